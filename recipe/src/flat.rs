//! A recipe that holds nothing but numbers: what was captured from a program, or is left of another recipe. Modules and contents of buffers are files
//! beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::component::Component;
use crate::model::Tolerance;

/// The recipe.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// What it is, in a sentence.
    pub description: String,
    /// The start of the names of its files.
    pub stem: String,
    /// The device profile that checked mode compares with.
    pub device: Option<String>,
    /// How matrices are multiplied, if that is chosen.
    pub numerics: Option<String>,
    /// Who owns which element, if that is chosen.
    pub ownership: Option<String>,
    /// Which decode function tensor loads call, if that is chosen.
    pub decode: Option<String>,
    /// Whether checked mode is strict.
    pub strict: bool,
    /// Invocations.
    pub subgroup_size: u32,
    /// One at least.
    pub dispatches: Vec<FlatDispatch>,
    /// Everything that is bound.
    pub buffers: Vec<FlatBuffer>,
    /// What buffers shall hold afterwards.
    pub expectations: Vec<FlatExpectation>,
}

/// One dispatch.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatDispatch {
    /// The file of its module, which is specialized.
    pub shader: String,
    /// The entry point.
    pub entry: Option<String>,
    /// In each direction.
    pub workgroups: [u32; 3],
    /// As the shader reads them.
    pub push_constants: Vec<u8>,
    /// Set, binding and index, and the place of the buffer in [`Flat::buffers`]; indices of a binding come without gaps.
    pub bindings: BTreeMap<(u32, u32, u32), usize>,
}

/// One buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct FlatBuffer {
    /// As reports call it: a word.
    pub name: String,
    /// Of its elements, one after the other.
    pub element: Component,
    /// Before the run; nothing where nobody has written there.
    pub bytes: Option<Vec<u8>>,
    /// In bytes, whole elements.
    pub size: usize,
    /// Of an image: its directions, and the channels of a texel.
    pub image: Option<Vec<usize>>,
}

impl FlatBuffer {
    /// How many elements it has.
    pub fn elements(&self) -> usize {
        self.size / self.element.size()
    }
}

/// What a buffer shall hold.
#[derive(Clone, Debug)]
pub struct FlatExpectation {
    /// Its place in [`Flat::buffers`].
    pub buffer: usize,
    /// As recipes write it: `{ file = "after.npy" }`.
    pub equals: String,
    /// How far elements may be from that.
    pub tolerance: Tolerance,
    /// For which elements, as a formula; all otherwise.
    pub only: Option<String>,
}

impl Flat {
    /// Its file's name.
    pub fn file(&self) -> String {
        format!("{}{}", self.stem, crate::EXTENSION)
    }

    /// The files with the contents of buffers: their names, and the buffers. Zeros need none.
    pub fn contents(&self) -> impl Iterator<Item = (String, &FlatBuffer, &[u8])> {
        self.buffers.iter().filter_map(|buffer| {
            let bytes = buffer.bytes.as_deref().filter(|bytes| !is_zero(bytes))?;
            Some((self.contents_of(buffer), buffer, bytes))
        })
    }

    fn contents_of(&self, buffer: &FlatBuffer) -> String {
        format!("{}.{}.bin", self.stem, buffer.name)
    }

    /// What its file says.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let description = self.description.replace(['"', '\\', '\n'], " ");
        let _ = writeln!(text, "description = \"{description}\"");
        let one = match self.dispatches.as_slice() {
            [first, rest @ ..] if rest.iter().all(|other| other.shader == first.shader) => {
                Some(&first.shader)
            }
            _ => None,
        };
        if let Some(shader) = one {
            let _ = writeln!(text, "shader = \"{shader}\"");
        }
        let _ = writeln!(text, "subgroup-size = {}", self.subgroup_size);
        if let Some(device) = &self.device {
            let _ = writeln!(text, "device = \"{device}\"");
        }
        let modes = [("numerics", &self.numerics), ("ownership", &self.ownership), ("decode", &self.decode)];
        for (key, value) in modes {
            if let Some(value) = value {
                let _ = writeln!(text, "{key} = [\"{value}\"]");
            }
        }
        if self.strict {
            text += "strict = true\n";
        }
        for dispatch in &self.dispatches {
            self.dispatch(dispatch, one.is_none(), &mut text);
        }
        for buffer in &self.buffers {
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{}\"\ntype = \"{}\"\nshape = {:?}",
                buffer.name,
                buffer.element.name(),
                buffer.image.clone().unwrap_or_else(|| vec![buffer.elements()])
            );
            match &buffer.bytes {
                Some(bytes) if is_zero(bytes) => text += "fill = { constant = 0 }\n",
                Some(_) => {
                    let _ = writeln!(text, "fill = {{ file = \"{}\" }}", self.contents_of(buffer));
                }
                None => {}
            }
        }
        for FlatExpectation { buffer, equals, tolerance, only } in &self.expectations {
            let Some(buffer) = self.buffers.get(*buffer) else { continue };
            let _ = writeln!(text, "\n[[expect]]\nbuffer = \"{}\"\nequals = {equals}", buffer.name);
            let Tolerance { absolute, relative, ulp } = tolerance;
            for (key, value) in [("absolute", absolute), ("relative", relative), ("ulp", ulp)] {
                if let Some(value) = value {
                    let _ = writeln!(text, "tolerance.{key} = {value:?}");
                }
            }
            if let Some(only) = only {
                let _ = writeln!(text, "where = \"{only}\"");
            }
        }
        text
    }

    fn dispatch(&self, dispatch: &FlatDispatch, own: bool, text: &mut String) {
        let _ = writeln!(text, "\n[[dispatches]]");
        if own {
            let _ = writeln!(text, "shader = \"{}\"", dispatch.shader);
        }
        let _ = writeln!(text, "workgroups = {:?}", dispatch.workgroups);
        if let Some(entry) = &dispatch.entry {
            let _ = writeln!(text, "entry = \"{entry}\"");
        }
        if !dispatch.push_constants.is_empty() {
            let (words, bytes) = dispatch.push_constants.as_chunks::<4>();
            let words = words.iter().map(|word| ("u32", u32::from_le_bytes(*word)));
            let all = words.chain(bytes.iter().map(|byte| ("u8", u32::from(*byte))));
            let all = all.map(|(kind, value)| format!("{{ type = \"{kind}\", value = {value} }}"));
            let _ = writeln!(text, "push-constants = [{}]", all.collect::<Vec<_>>().join(", "));
        }
        let mut bindings: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        for ((set, binding, _), buffer) in &dispatch.bindings {
            let Some(buffer) = self.buffers.get(*buffer) else { continue };
            bindings.entry((*set, *binding)).or_default().push(format!("\"{}\"", buffer.name));
        }
        let bindings = bindings.into_iter().map(|((set, binding), names)| match names.as_slice() {
            [one] => format!("\"{set}.{binding}\" = {one}"),
            _ => format!("\"{set}.{binding}\" = [{}]", names.join(", ")),
        });
        let _ = writeln!(text, "buffers = {{ {} }}", bindings.collect::<Vec<_>>().join(", "));
    }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}
