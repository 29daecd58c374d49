//! The way to a client: the streams that messages come and go by, and how messages are framed in them (`Content-Length`, then the text), as the
//! language server protocol and the debug adapter protocol have it.

use std::io;

use futures::StreamExt as _;
use futures::channel::mpsc;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
    BufReader,
};

use crate::output::report_error;

/// Where the client is. It listens, and we connect: that is how editors hand out pipes and ports to servers that they start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Standard input and output.
    Standard,
    /// A Unix domain socket by its path; on Windows a named pipe, `\\.\pipe\NAME`.
    Pipe(String),
    /// A port of this machine, on 127.0.0.1.
    Port(u16),
}

pub type Input = BufReader<Box<dyn AsyncRead + Send + Unpin>>;
pub type Output = Box<dyn AsyncWrite + Send + Unpin>;

impl Endpoint {
    /// Opens both directions.
    ///
    /// # Errors
    /// That nobody listens there.
    pub async fn open(&self) -> io::Result<(Input, Output)> {
        let (input, output): (Box<dyn AsyncRead + Send + Unpin>, Output) = match self {
            Endpoint::Standard => (Box::new(tokio::io::stdin()), Box::new(tokio::io::stdout())),
            Endpoint::Pipe(name) => pipe(name).await?,
            Endpoint::Port(port) => {
                let stream = tokio::net::TcpStream::connect((std::net::Ipv4Addr::LOCALHOST, *port)).await?;
                // Messages are small, and somebody waits for each.
                stream.set_nodelay(true)?;
                let (input, output) = stream.into_split();
                (Box::new(input), Box::new(output))
            }
        };
        Ok((BufReader::new(input), output))
    }
}

#[cfg(unix)]
async fn pipe(name: &str) -> io::Result<(Box<dyn AsyncRead + Send + Unpin>, Output)> {
    let (input, output) = tokio::net::UnixStream::connect(name).await?.into_split();
    Ok((Box::new(input), Box::new(output)))
}

#[cfg(windows)]
async fn pipe(name: &str) -> io::Result<(Box<dyn AsyncRead + Send + Unpin>, Output)> {
    let stream = tokio::net::windows::named_pipe::ClientOptions::new().open(name)?;
    let (input, output) = tokio::io::split(stream);
    Ok((Box::new(input), Box::new(output)))
}

/// Reads messages until the input ends; what has no readable header ends it too, since nobody knows where the next message starts.
pub async fn read_messages(mut input: impl AsyncBufRead + Unpin, messages: mpsc::UnboundedSender<String>) {
    // Far above any document: a length beyond is a mistake, not a message.
    const LONGEST: u64 = 1 << 30;
    loop {
        let mut length = None;
        loop {
            let mut line = Vec::new();
            match (&mut input).take(4096).read_until(b'\n', &mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) => {}
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            if line.is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.trim().eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse::<u64>().ok();
            }
        }
        let Some(length) = length.filter(|&length| length <= LONGEST) else {
            return report_error("a message without a usable Content-Length header");
        };
        let mut body = Vec::new();
        match (&mut input).take(length).read_to_end(&mut body).await {
            Ok(read) if read as u64 == length => {}
            _ => return,
        }
        if messages.unbounded_send(String::from_utf8_lossy(&body).into_owned()).is_err() {
            return;
        }
    }
}

/// Writes messages until there are no more or nobody reads them. Its end is how the session learns of a closed pipe.
pub async fn write_messages(
    mut output: impl AsyncWrite + Unpin,
    mut messages: mpsc::UnboundedReceiver<String>,
) {
    // What has come together goes together, as long as it is short.
    const TOGETHER: usize = 1 << 16;
    let mut bytes = Vec::new();
    while let Some(message) = messages.next().await {
        frame(&message, &mut bytes);
        while bytes.len() < TOGETHER
            && let Ok(message) = messages.try_recv()
        {
            frame(&message, &mut bytes);
        }
        if output.write_all(&bytes).await.is_err() || output.flush().await.is_err() {
            return;
        }
        bytes.clear();
        bytes.shrink_to(TOGETHER);
    }
}

fn frame(message: &str, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes());
    bytes.extend_from_slice(message.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    #[track_caller]
    fn check(input: &[u8], expected: &[&str]) {
        let (sender, messages) = mpsc::unbounded();
        run(read_messages(input, sender));
        let messages: Vec<String> = run(messages.collect());
        assert_eq!(messages, expected);
    }

    #[test]
    fn messages_are_as_long_as_their_headers_say() {
        check(b"Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]", &["{}", "[1]"]);
        check("Content-Length: 4\n\n\"\u{e9}\"".as_bytes(), &["\"\u{e9}\""]);
        // The rest of what ends early is no message.
        check(b"Content-Length: 3\r\n\r\n{}", &[]);
        check(b"Content-Length: 2\r\n\r\n{}Content-Length: much\r\n\r\n{}", &["{}"]);
        check(b"Content-Length: 99999999999\r\n\r\n{}", &[]);
    }

    #[test]
    fn what_is_written_can_be_read() {
        let (sender, messages) = mpsc::unbounded();
        let texts = ["{}", "\"\u{1f600}\"", &"x".repeat(100_000), ""];
        texts.iter().for_each(|text| sender.unbounded_send((*text).to_owned()).unwrap());
        drop(sender);
        let mut bytes = Vec::new();
        run(write_messages(&mut bytes, messages));
        check(&bytes, &texts);
    }
}
