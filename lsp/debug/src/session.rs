//! A session: requests and their answers, and the events of a run.

mod answers;
mod running;

use dapts::event;
use dapts::request;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use coopmat_simulator::FindingKind;

use crate::breakpoints::Breakpoints;
use crate::data::Data;
use crate::debuggee::Debuggee;
use crate::disassembly;
use crate::outbox::{NO_RUN, NOT_STOPPED, Outbox, Refusal, Request};
use crate::sources::Counting;
use crate::variables::Handles;
use crate::{Host, Launch, capabilities, findings, matrices};

/// A client's session. Hand it messages with [`Session::handle`] and time with [`Session::work`], and send what [`Session::take`] gives.
pub struct Session<H> {
    host: H,
    outbox: Outbox,
    counting: Counting,
    launch: Launch,
    debuggee: Option<Debuggee>,
    breakpoints: Breakpoints,
    data: Data,
    listing: Option<disassembly::Listing>,
    stop_at: Vec<FindingKind>,
    handles: Handles,
    /// The client has said what it wants to stop at.
    is_configured: bool,
    has_ended: bool,
    /// Of the report.
    exit_code: u64,
    /// What is worth knowing of what was launched, until it was shown.
    note: Option<String>,
}

/// What a request comes to: the body of the answer.
type Answer = Result<Value, Refusal>;

impl<H: Host> Session<H> {
    /// A session that waits for `initialize`.
    pub fn new(host: H) -> Session<H> {
        Session {
            host,
            outbox: Outbox::default(),
            counting: Counting::default(),
            launch: Launch::default(),
            debuggee: None,
            breakpoints: Breakpoints::default(),
            data: Data::default(),
            listing: None,
            stop_at: findings::kinds().collect(),
            handles: Handles::default(),
            is_configured: false,
            has_ended: false,
            exit_code: 0,
            note: None,
        }
    }

    /// What is to be sent since the last call, in its order.
    pub fn take(&mut self) -> Vec<Value> {
        self.outbox.take()
    }

    /// Whether the client has disconnected.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Whether [`Session::work`] has something to do.
    pub fn is_working(&self) -> bool {
        self.debuggee.as_ref().is_some_and(Debuggee::is_working)
    }

    /// Takes a message of the client.
    pub fn handle(&mut self, message: Value) {
        let Some(request) = Request::read(message) else { return };
        let outcome = self.dispatch(&request);
        let failed = outcome.is_err();
        self.outbox.answer(&request, outcome);
        // Events that follow from a request come after its answer.
        if !failed {
            self.after(&request.command);
        }
    }

    fn dispatch(&mut self, request: &Request) -> Answer {
        let arguments = request.arguments.clone();
        match request.command.as_str() {
            "initialize" => answered::<request::Initialize>(arguments, |arguments| {
                self.counting = Counting::of(&arguments);
                Ok(capabilities::capabilities())
            }),
            "launch" => self.launched(arguments),
            "restart" => self.restarted(arguments),
            "attach" => Err("there is no running shader to attach to: use `launch`".to_owned()),
            "configurationDone" => Ok(Value::Null),
            "setBreakpoints" => answered::<request::SetBreakpoints>(arguments, |it| self.set_breakpoints(it)),
            "setFunctionBreakpoints" => {
                answered::<request::SetFunctionBreakpoints>(arguments, |it| Ok(self.set_functions(&it)))
            }
            "dataBreakpointInfo" => {
                let mut body = answered::<request::DataBreakpointInfo>(arguments, |it| self.data_info(&it))?;
                // The protocol wants to see that there is none.
                if let Some(body) = body.as_object_mut() {
                    body.entry("dataId").or_insert(Value::Null);
                }
                Ok(body)
            }
            "setDataBreakpoints" => {
                answered::<request::SetDataBreakpoints>(arguments, |it| Ok(self.set_data(&it)))
            }
            "setInstructionBreakpoints" => {
                let arguments: disassembly::SetBreakpoints = read("setInstructionBreakpoints", arguments)?;
                written(&self.set_instructions(&arguments))
            }
            "disassemble" => {
                let arguments: disassembly::Arguments = read("disassemble", arguments)?;
                written(&self.disassemble(&arguments)?)
            }
            "setExceptionBreakpoints" => {
                answered::<request::SetExceptionBreakpoints>(arguments, |it| self.set_exceptions(&it))
            }
            "breakpointLocations" => {
                answered::<request::BreakpointLocations>(arguments, |it| self.breakpoint_locations(&it))
            }
            "threads" => self.threads(),
            "stackTrace" => answered::<request::StackTrace>(arguments, |it| self.stack_trace(&it)),
            "scopes" => answered::<request::Scopes>(arguments, |it| self.scopes(&it)),
            "variables" => answered::<request::Variables>(arguments, |it| self.variables(&it)),
            "evaluate" => answered::<request::Evaluate>(arguments, |it| self.evaluate(&it)),
            "setVariable" => answered::<request::SetVariable>(arguments, |it| self.set_variable(&it)),
            "setExpression" => answered::<request::SetExpression>(arguments, |it| self.set_expression(&it)),
            "exceptionInfo" => answered::<request::ExceptionInfo>(arguments, |_| self.exception_info()),
            "source" => answered::<request::Source>(arguments, |it| self.source(&it)),
            "loadedSources" => self.loaded_sources(),
            "continue" | "reverseContinue" | "next" | "stepIn" | "stepOut" | "stepBack" => {
                self.moved(&request.command, &arguments)
            }
            "coopmat/matrices" => {
                let matrices::InFrame { frame_id } = read(&request.command, arguments)?;
                self.matrices(frame_id, matrices::list)
            }
            "coopmat/matrix" => {
                let matrices::Of { frame_id, expression } = read(&request.command, arguments)?;
                self.matrices(frame_id, |debugger, frame| matrices::one(debugger, frame, expression.trim()))
            }
            "pause" => self.pause(),
            "terminate" => Ok(Value::Null),
            "disconnect" => {
                self.debuggee = None;
                self.has_ended = true;
                Ok(Value::Null)
            }
            other => Err(format!("this debugger does not support the request `{other}`")),
        }
    }

    /// What follows from a request that was carried out.
    fn after(&mut self, command: &str) {
        match command {
            "launch" => self.outbox.tell::<event::Initialized>(&None),
            "configurationDone" => {
                self.is_configured = true;
                self.begin_run();
            }
            "restart" => {
                self.show_changed();
                self.begin_run();
            }
            "pause" => self.show_pause(),
            "continue" | "next" | "stepIn" | "stepOut" => self.end_if_over(),
            "terminate" => self.end_run(None),
            _ => {}
        }
    }

    fn launched(&mut self, arguments: Value) -> Answer {
        if self.debuggee.is_some() {
            return Err("a shader is already being debugged: use `restart`".to_owned());
        }
        self.prepare(arguments)?;
        Ok(Value::Null)
    }

    /// Begins anew, with what is in the files by now.
    fn restarted(&mut self, arguments: Value) -> Answer {
        if self.debuggee.is_none() {
            return Err(NO_RUN.to_owned());
        }
        let launch = arguments.get("arguments").filter(|arguments| !arguments.is_null());
        let launch = launch.cloned();
        match launch {
            Some(launch) => self.prepare(launch)?,
            None => self.take_up(self.launch.clone())?,
        }
        Ok(Value::Null)
    }

    fn prepare(&mut self, arguments: Value) -> Result<(), Refusal> {
        let launch: Launch =
            serde_json::from_value(arguments).map_err(|error| format!("`launch`: {error}"))?;
        if launch.program.is_empty() {
            return Err("`launch`: expected `program`, the path of a shader or a recipe".to_owned());
        }
        self.take_up(launch)
    }

    fn take_up(&mut self, launch: Launch) -> Result<(), Refusal> {
        let subject = self.host.prepare(&launch)?;
        let mut debuggee = Debuggee::new(subject)?;
        if let Some(dispatch) = &launch.dispatch {
            debuggee.find(dispatch)?;
        }
        debuggee.stop_at_findings(self.stop_at.clone());
        self.data.renew(&mut debuggee);
        self.handles.clear();
        self.listing = None;
        self.note = debuggee.subject().note();
        self.counting.module_documents = launch.module_documents;
        self.launch = launch;
        self.debuggee = Some(debuggee);
        Ok(())
    }

    /// The run, where one is launched.
    fn debuggee(&mut self) -> Result<&mut Debuggee, Refusal> {
        self.debuggee.as_mut().ok_or_else(|| NO_RUN.to_owned())
    }

    /// The run, where it stands and can be looked at.
    fn standing(&mut self) -> Result<&mut Debuggee, Refusal> {
        let debuggee = self.debuggee()?;
        // The protocol's word for it.
        if debuggee.is_standing() { Ok(debuggee) } else { Err(NOT_STOPPED.to_owned()) }
    }
}

/// Reads the arguments of a request, and writes its answer.
fn answered<R: dapts::IRequest>(
    arguments: Value,
    answer: impl FnOnce(R::Arguments) -> Result<R::Response, Refusal>,
) -> Answer {
    let arguments = read(R::COMMAND, arguments)?;
    written(&answer(arguments)?)
}

fn read<T: DeserializeOwned>(command: &str, arguments: Value) -> Result<T, Refusal> {
    let arguments = if arguments.is_null() { json!({}) } else { arguments };
    serde_json::from_value(arguments).map_err(|error| format!("the arguments of `{command}`: {error}"))
}

fn written(body: &impl Serialize) -> Answer {
    serde_json::to_value(body).map_err(|error| error.to_string())
}
