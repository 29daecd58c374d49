//! What a shader's module needs of a device, with the places of the source that ask.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::text::TextRange;
use coopmat_spirv::vulkan::{self, Cause, Means};

use crate::{CompileError, Compiled};

/// Something that a shader's module needs of a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Any of these will do.
    pub any: Vec<Means>,
    /// What asks, as the end of a sentence.
    pub why: String,
    /// The places of the expanded text that ask, the first one first. Never none.
    pub places: Vec<TextRange>,
}

/// What a shader's module needs.
#[derive(Clone, Debug)]
pub struct Needs(Result<Vec<Need>, String>);

impl Needs {
    pub(crate) fn new(analysis: &Analysis, module: &Result<Arc<Compiled>, Vec<CompileError>>) -> Needs {
        match module {
            Ok(compiled) => Needs(Ok(of_module(analysis, compiled))),
            Err(errors) => {
                let first = errors.first().map(|error| error.message.clone());
                Needs(Err(first.unwrap_or_else(|| "the shader is not compiled".to_owned())))
            }
        }
    }

    /// Nothing where the shader is not compiled.
    pub fn list(&self) -> &[Need] {
        self.0.as_deref().unwrap_or_default()
    }

    /// Why nothing is known.
    pub fn refusal(&self) -> Option<&str> {
        self.0.as_ref().err().map(String::as_str)
    }
}

fn of_module(analysis: &Analysis, compiled: &Compiled) -> Vec<Need> {
    let mut found: Vec<Need> = Vec::new();
    for need in vulkan::needs(&compiled.module, None) {
        let mut places: Vec<TextRange> = match &need.cause {
            Cause::Capability(capability) => compiled.map.askers().of(*capability).to_vec(),
            Cause::Instruction(_) => {
                need.instructions.iter().filter_map(|index| compiled.map.expanded(*index)).collect()
            }
            Cause::ExecutionMode(..) => analysis.module.local_size.range.into_iter().collect(),
            Cause::UnknownCapability(_) => Vec::new(),
        };
        if places.is_empty() {
            places.push(entry_point(analysis));
        }
        // What one feature lets be declared together is needed once.
        match found.iter_mut().find(|known| known.any == need.any && !need.any.is_empty()) {
            Some(known) => known.places.extend(places),
            None => found.push(Need { any: need.any, why: need.cause.describe(), places }),
        }
    }
    found
}

/// What nothing else in the text asks for.
fn entry_point(analysis: &Analysis) -> TextRange {
    let mut functions = analysis.module.functions.iter();
    let main = functions.find(|(_, function)| function.name == "main" && function.body.is_some());
    main.map(|(_, function)| function.name_range).unwrap_or_default()
}
