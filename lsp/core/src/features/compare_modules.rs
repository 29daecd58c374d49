//! `coopmat-analyzer/compareModules`: what differs between two modules, which the client hands over as assembly text or in words.

use std::panic::{AssertUnwindSafe, catch_unwind};

use coopmat_codegen::difference::{self, Difference};
use coopmat_spirv::dr::Module;
use coopmat_spirv::{assembly, load};
use futures::channel::oneshot;
use serde::{Deserialize, Serialize};
use tower_lsp::jsonrpc::{Error, Result};

use crate::host::{Host, LogLevel};
use crate::query::request_failed;

#[derive(Debug, Deserialize)]
pub struct Params {
    old: Side,
    new: Side,
}

/// One of the modules.
#[derive(Debug, Deserialize)]
struct Side {
    /// What it is called in the answer.
    name: String,
    #[serde(flatten)]
    content: Content,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Content {
    Text(String),
    Words(Vec<u32>),
}

#[derive(Serialize)]
pub struct Answer {
    #[serde(flatten)]
    difference: Difference,
    /// The same as a unified diff.
    text: String,
}

impl Side {
    fn module(&self) -> std::result::Result<Module, String> {
        let read = match &self.content {
            Content::Words(words) => load(words).map_err(|error| error.to_string()),
            Content::Text(text) => {
                let assembly::Parsed { module, errors, .. } = assembly::parse(text);
                module.ok_or_else(|| match errors.first() {
                    Some(first) => {
                        let before = text.get(..first.range.start).unwrap_or(text);
                        let line = before.matches('\n').count() + 1;
                        let more = match errors.len() {
                            1 => String::new(),
                            2 => " (and 1 more mistake)".to_owned(),
                            all => format!(" (and {} more mistakes)", all - 1),
                        };
                        format!("line {line}: {}{more}", first.message)
                    }
                    None => "this is no module".to_owned(),
                })
            }
        };
        read.map_err(|error| format!("{}: {error}", self.name))
    }
}

impl Params {
    fn answer(&self) -> std::result::Result<Answer, String> {
        let difference = difference::compare(&self.old.module()?, &self.new.module()?);
        let text = difference.text(&self.old.name, &self.new.name, false);
        Ok(Answer { difference, text })
    }
}

/// Compares as a job of the host: large modules take a moment.
pub async fn compare(host: &dyn Host, params: Params) -> Result<Answer> {
    let (reply, answer) = oneshot::channel();
    let job = move || {
        let answer = catch_unwind(AssertUnwindSafe(|| params.answer()));
        let _ = reply.send(answer);
    };
    host.spawn(Box::new(job));
    match answer.await {
        Ok(Ok(answer)) => answer.map_err(request_failed),
        _ => {
            host.log(LogLevel::Error, "coopmat-analyzer/compareModules panicked");
            Err(Error::internal_error())
        }
    }
}
