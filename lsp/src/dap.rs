//! `coopmat-analyzer dap`: the Debug Adapter Protocol over standard input and output. What requests mean is `coopmat_debug`'s; here are the
//! streams, the files, and the time that a run gets between two messages.

mod host;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use coopmat_debug::Session;
use futures::StreamExt as _;
use futures::channel::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::output::report_error;
use crate::program::{STACK, UNUSABLE};
use crate::transport::{Endpoint, read_messages, write_messages};
use host::OnDisk;

/// How long a run goes on before the next message is looked for.
const SLICE: Duration = Duration::from_millis(10);
/// Steps of the first slice.
const FIRST: u64 = 10_000;

pub fn serve() -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&format!("cannot start: {error}")),
    };
    let (to_session, incoming) = mpsc::unbounded();
    let (outgoing, from_session) = mpsc::unbounded();
    let converses = move || catch_unwind(AssertUnwindSafe(|| converse(incoming, &outgoing)));
    let session = match std::thread::Builder::new().stack_size(STACK).spawn(converses) {
        Ok(session) => session,
        Err(error) => return failed(&format!("cannot start a thread: {error}")),
    };
    let ran = runtime.block_on(async {
        let (input, output) = Endpoint::Standard.open().await?;
        // The session ends with the input, and what it writes with the session.
        let reading = read_messages(input, to_session);
        let writing = write_messages(output, from_session);
        futures::pin_mut!(reading, writing);
        if let futures::future::Either::Left(((), writing)) = futures::future::select(reading, writing).await
        {
            writing.await;
        }
        Ok::<(), std::io::Error>(())
    });
    // Nobody waits for the rest of the input.
    runtime.shutdown_background();
    if let Err(error) = ran {
        return failed(&format!("cannot use standard input and output: {error}"));
    }
    match session.join() {
        Ok(Ok(true)) => ExitCode::SUCCESS,
        Ok(Ok(false)) => ExitCode::FAILURE,
        Ok(Err(_)) | Err(_) => failed("the debugger failed; this is a bug of coopmat-analyzer"),
    }
}

fn failed(message: &str) -> ExitCode {
    report_error(message);
    ExitCode::from(UNUSABLE)
}

/// Answers a client. Whether it has disconnected, rather than left.
fn converse(mut incoming: UnboundedReceiver<String>, outgoing: &UnboundedSender<String>) -> bool {
    let mut session = Session::new(OnDisk);
    let mut steps = FIRST;
    while !session.has_ended() {
        let message = if session.is_working() {
            match incoming.try_recv() {
                Ok(message) => Some(message),
                Err(error) if error.is_closed() => return false,
                Err(_) => None,
            }
        } else {
            match futures::executor::block_on(incoming.next()) {
                Some(message) => Some(message),
                None => return false,
            }
        };
        match message {
            Some(message) => match serde_json::from_str(&message) {
                Ok(message) => session.handle(message),
                Err(error) => report_error(&format!("a message that is no JSON: {error}")),
            },
            None => {
                let begun = Instant::now();
                session.work(steps);
                let took = begun.elapsed();
                steps = if took > SLICE * 2 {
                    steps / 2
                } else if took < SLICE / 2 {
                    steps * 2
                } else {
                    steps
                };
                steps = steps.clamp(1, 1 << 24);
            }
        }
        for message in session.take() {
            if outgoing.unbounded_send(message.to_string()).is_err() {
                return false;
            }
        }
    }
    true
}
