//! What a case is: a variant with sizes, what ggml is asked for, and the recipe that runs it.

use std::fmt::Write as _;

use super::convolution::Convolution;
use super::decode::{Decode, Phase};
use super::judge::Request;
use super::plain::Plain;
use crate::simulate_report::attention::Attention;
use crate::simulate_report::multiply::Multiply;

/// One run of a variant.
#[derive(Clone, Debug)]
pub struct Case {
    /// What llama.cpp calls the module, `matmul_f16_cm1`.
    pub variant: String,
    /// The types that it reads, if its name does not say them.
    pub types: String,
    /// For people: `64x64x256`.
    pub sizes: String,
    /// Invocations of a subgroup.
    pub subgroup: u32,
    pub request: Request,
    /// Buffers that the judge writes: name and binding. They are files of the same name.
    pub inputs: Vec<(&'static str, u32)>,
    /// Buffers that the shader declares and does not read here: their bindings.
    pub unread: Vec<u32>,
    /// Buffers that it leaves for the variant that follows: name, binding, type and elements.
    pub left: Vec<(&'static str, u32, &'static str, usize)>,
    /// What is judged; nothing, if that is what the variant that follows makes.
    pub output: Option<Output>,
    /// Whether the result is zeros before the run.
    pub zeroed: bool,
    /// Dispatched behind this one, and judged with it.
    pub then: Option<Box<Case>>,
    /// The largest error, in proportion to the judge's `scale` of the element.
    pub bound: f64,
    pub work: Work,
}

/// The buffer that is judged.
#[derive(Clone, Debug)]
pub struct Output {
    pub binding: u32,
    pub shape: Vec<usize>,
    /// As recipes call it.
    pub type_: &'static str,
}

impl Output {
    pub fn floats(binding: u32, shape: Vec<usize>) -> Output {
        Output { binding, shape, type_: "f32" }
    }
}

#[derive(Clone, Debug)]
pub enum Work {
    Plain(Plain),
    Multiply(Multiply),
    Attention(Attention),
    Convolution(Convolution),
    Decode(Decode, Phase),
}

impl Case {
    /// A folder's name.
    pub fn name(&self) -> String {
        let types = if self.types.is_empty() { String::new() } else { format!(".{}", self.types) };
        format!("{}{types}.{}.{}", self.variant, self.sizes, self.subgroup).replace(' ', "-")
    }

    /// The variants that are dispatched, one behind the other.
    pub fn steps(&self) -> impl Iterator<Item = &Case> {
        std::iter::successors(Some(self), |case| case.then.as_deref())
    }

    /// The variant whose result is judged.
    pub fn last(&self) -> &Case {
        self.then.as_ref().map_or(self, |then| then.last())
    }

    /// The recipe for a module that declares these specialization constants, beside the judge's files.
    pub fn recipe(
        &self,
        declared: &[u32],
        sizes_of_files: impl Fn(&str) -> u64,
        largest_error: f64,
    ) -> String {
        let mut text = match &self.work {
            Work::Multiply(multiply) => multiply.pipeline(&self.variant, self.subgroup, declared),
            Work::Attention(attention) => attention.pipeline(&self.variant, self.subgroup, declared),
            Work::Convolution(convolution) => convolution.pipeline(&self.variant, self.subgroup, declared),
            Work::Plain(plain) => plain.pipeline(&self.variant, self.subgroup, declared),
            Work::Decode(decode, phase) => decode.pipeline(*phase, &self.variant, declared),
        };
        for (name, binding) in &self.inputs {
            let bytes = sizes_of_files(name);
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{name}\"\nbinding = {binding}\ntype = \"u8\"\nshape = [{bytes}]\nfill.file = \"{name}\""
            );
        }
        for binding in &self.unread {
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"unread{binding}\"\nbinding = {binding}\ntype = \"u32\"\nshape = [4]"
            );
        }
        for (name, binding, type_, elements) in &self.left {
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{name}\"\nbinding = {binding}\ntype = \"{type_}\"\nshape = [{elements}]\nfill.constant = -99"
            );
        }
        let before = match &self.output {
            _ if self.zeroed => 0,
            // Of bytes.
            Some(output) if output.type_ == "u8" => 99,
            _ => -99,
        };
        let Some(Output { binding, shape, type_ }) = &self.output else { return text };
        let _ = writeln!(
            text,
            "\n[[buffers]]\nname = \"result\"\nbinding = {binding}\ntype = \"{type_}\"\nshape = {shape:?}\nfill.constant = {before}"
        );
        let _ = writeln!(
            text,
            "\n[[expect]]\nbuffer = \"result\"\nequals.file = \"expected.npy\"\ntolerance = {{ absolute = {largest_error:e} }}"
        );
        text
    }
}

/// A case that has yet to be filled in.
pub fn case(variant: &str, subgroup: u32, request: Request, work: Work) -> Case {
    Case {
        variant: variant.to_owned(),
        types: String::new(),
        sizes: String::new(),
        subgroup,
        request,
        inputs: Vec::new(),
        unread: Vec::new(),
        left: Vec::new(),
        output: None,
        zeroed: false,
        then: None,
        bound: 0.0,
        work,
    }
}

/// Whether it multiplies cooperative matrices.
pub fn has_matrices(variant: &str) -> bool {
    variant.ends_with("_cm1") || variant.ends_with("_cm2")
}
