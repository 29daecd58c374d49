//! Answers and events on their way to the client, numbered in their order.

use dapts::IEvent;
use dapts::event;
use serde_json::{Map, Value, json};

/// What is to be sent.
#[derive(Debug, Default)]
pub struct Outbox {
    messages: Vec<Value>,
    sent: i64,
}

/// Why a request is not carried out: one sentence for people.
pub type Refusal = String;

/// The protocol's word for what can only be asked while the run stands: clients ask again, and people need not know.
pub const NOT_STOPPED: &str = "notStopped";

/// Requests whose refusals clients show in their place, next to an expression or a value, some of which nobody asked for himself: inline values.
const SHOWN_IN_PLACE: [&str; 3] = ["evaluate", "setVariable", "setExpression"];

impl Outbox {
    pub fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.messages)
    }

    fn push(&mut self, kind: &str, mut message: Map<String, Value>) {
        self.sent += 1;
        message.insert("seq".to_owned(), json!(self.sent));
        message.insert("type".to_owned(), json!(kind));
        self.messages.push(Value::Object(message));
    }

    /// Answers a request. A body that is null is none.
    pub fn answer(&mut self, request: &Request, outcome: Result<Value, Refusal>) {
        let mut message = Map::new();
        message.insert("request_seq".to_owned(), json!(request.seq));
        message.insert("command".to_owned(), json!(request.command));
        message.insert("success".to_owned(), json!(outcome.is_ok()));
        match outcome {
            Ok(Value::Null) => {}
            Ok(body) => {
                message.insert("body".to_owned(), body);
            }
            Err(problem) => {
                let shown = problem == NOT_STOPPED || SHOWN_IN_PLACE.contains(&request.command.as_str());
                // Braces in the text are no variables of the format.
                let error = dapts::Message {
                    id: 1,
                    format: "{problem}".to_owned(),
                    variables: Some(json!({ "problem": problem })),
                    show_user: Some(!shown),
                    send_telemetry: None,
                    url: None,
                    url_label: None,
                };
                message.insert("body".to_owned(), json!({ "error": error }));
                message.insert("message".to_owned(), json!(problem));
            }
        }
        self.push("response", message);
    }

    pub fn tell<E: IEvent>(&mut self, body: &E::Body) {
        let mut message = Map::new();
        message.insert("event".to_owned(), json!(E::EVENT));
        match serde_json::to_value(body) {
            Ok(Value::Null) | Err(_) => {}
            Ok(body) => {
                message.insert("body".to_owned(), body);
            }
        }
        self.push("event", message);
    }

    /// Text for the client's console.
    pub fn print(&mut self, category: dapts::OutputEventCategory, text: String) {
        self.print_from(category, text, None);
    }

    /// The same, with the line that it comes from.
    pub fn print_from(
        &mut self,
        category: dapts::OutputEventCategory,
        text: String,
        from: Option<(dapts::Source, u32)>,
    ) {
        let (source, line) = from.map_or((None, None), |(source, line)| (Some(source), Some(line)));
        let output = dapts::OutputEvent {
            category: Some(category),
            output: text,
            source,
            line,
            ..dapts::OutputEvent::default()
        };
        self.tell::<event::Output>(&output);
    }
}

/// Why most requests are refused before a launch and after the end.
pub const NO_RUN: &str = "there is no run: it has ended, or nothing is launched yet";

/// A request of the client.
#[derive(Clone, Debug)]
pub struct Request {
    pub seq: i64,
    pub command: String,
    pub arguments: Value,
}

impl Request {
    /// Nothing for other messages: this adapter asks its client nothing.
    pub fn read(mut message: Value) -> Option<Request> {
        let command = message.get("command")?.as_str()?.to_owned();
        let seq = message.get("seq").and_then(Value::as_i64).unwrap_or_default();
        let is_request = message.get("type").and_then(Value::as_str) == Some("request");
        let arguments = message.get_mut("arguments").map(Value::take).unwrap_or_default();
        is_request.then_some(Request { seq, command, arguments })
    }
}
