//! A recipe that holds nothing but numbers: what was captured from a program, or is left of another recipe. Modules and contents of buffers are files
//! beside it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::component::Component;
use crate::model::{BufferRange, Sampler, Tolerance};

/// The recipe.
#[derive(Clone, Debug, Default)]
pub struct Flat {
    /// What it is, in a sentence.
    pub description: String,
    /// What a reader should know besides: sentences.
    pub comments: Vec<String>,
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
    /// How images are sampled.
    pub samplers: Vec<Sampler>,
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
    /// Addresses in the push constants, whose words there do not count; in order.
    pub addresses: Vec<FlatAddress>,
    /// Set, binding and index, and what is bound there; indices of a binding come without gaps.
    pub bindings: BTreeMap<(u32, u32, u32), FlatBinding>,
    /// The same of samplers: the place in [`Flat::samplers`].
    pub samplers: BTreeMap<(u32, u32, u32), usize>,
}

/// A buffer, or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatBinding {
    /// Its place in [`Flat::buffers`].
    pub buffer: usize,
    /// Which bytes of it; all of images.
    pub part: BufferRange,
}

/// Eight bytes that are the address of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlatAddress {
    /// Bytes from the start of what holds it.
    pub offset: usize,
    /// Whose it is, by its place in [`Flat::buffers`].
    pub of: usize,
    /// Bytes from that buffer's start.
    pub plus: u64,
}

/// What an image has besides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlatImage {
    /// Its directions, and the channels of a texel.
    pub shape: Vec<usize>,
    /// The format of its texels, by Vulkan's name.
    pub format: Option<&'static str>,
    /// Which components shaders see, if it is not each from itself.
    pub components: Option<String>,
    /// Of which image it is a further level of detail, by its place in [`Flat::buffers`], and which one.
    pub level: Option<(usize, u32)>,
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
    /// Of an image.
    pub image: Option<FlatImage>,
    /// Addresses in it, whose bytes do not count.
    pub addresses: Vec<FlatAddress>,
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
        for comment in &self.comments {
            let _ = writeln!(text, "# {}", comment.replace('\n', " "));
        }
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
            let image = buffer.image.as_ref();
            let _ = writeln!(
                text,
                "\n[[buffers]]\nname = \"{}\"\ntype = \"{}\"\nshape = {:?}",
                buffer.name,
                buffer.element.name(),
                image.map_or_else(|| vec![buffer.elements()], |image| image.shape.clone())
            );
            if let Some(format) = image.and_then(|image| image.format) {
                let _ = writeln!(text, "format = \"{format}\"");
            }
            if let Some(components) = image.and_then(|image| image.components.as_ref()) {
                let _ = writeln!(text, "components = \"{components}\"");
            }
            if let Some((of, level)) = image.and_then(|image| image.level)
                && let Some(of) = self.buffers.get(of)
            {
                let _ = writeln!(text, "mip-level = {{ of = \"{}\", level = {level} }}", of.name);
            }
            match &buffer.bytes {
                Some(bytes) if is_zero(bytes) => text += "fill = { constant = 0 }\n",
                Some(_) => {
                    let _ = writeln!(text, "fill = {{ file = \"{}\" }}", self.contents_of(buffer));
                }
                None => text += "fill = \"uninitialised\"\n",
            }
            let addresses = buffer.addresses.iter().filter_map(|at| {
                let plus = if at.plus == 0 { String::new() } else { format!(", plus = {}", at.plus) };
                let name = &self.buffers.get(at.of)?.name;
                Some(format!("  {{ offset = {}, address = \"{name}\"{plus} }},\n", at.offset))
            });
            let addresses: String = addresses.collect();
            if !addresses.is_empty() {
                let _ = writeln!(text, "addresses = [\n{addresses}]");
            }
        }
        for sampler in &self.samplers {
            // A structure of plain values.
            let _ =
                writeln!(text, "\n[[samplers]]\n{}", toml::to_string(sampler).unwrap_or_default().trim_end());
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
            let all = self.push_constants(dispatch);
            let _ = writeln!(text, "push-constants = [{}]", all.join(", "));
        }
        let mut bindings: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        for ((set, binding, _), FlatBinding { buffer, part }) in &dispatch.bindings {
            let Some(buffer) = self.buffers.get(*buffer) else { continue };
            let mut written = format!("{{ buffer = \"{}\"", buffer.name);
            if part.offset > 0 {
                let _ = write!(written, ", offset = {}", part.offset);
            }
            if let Some(range) = part.range {
                let _ = write!(written, ", range = {range}");
            }
            bindings.entry((*set, *binding)).or_default().push(match *part == BufferRange::default() {
                true => format!("\"{}\"", buffer.name),
                false => written + " }",
            });
        }
        let _ = writeln!(text, "buffers = {{ {} }}", listed(bindings));
        let mut samplers: BTreeMap<(u32, u32), Vec<String>> = BTreeMap::new();
        for ((set, binding, _), sampler) in &dispatch.samplers {
            let Some(sampler) = self.samplers.get(*sampler) else { continue };
            samplers.entry((*set, *binding)).or_default().push(format!("\"{}\"", sampler.name));
        }
        if !samplers.is_empty() {
            let _ = writeln!(text, "samplers = {{ {} }}", listed(samplers));
        }
    }

    /// The words of push constants, with addresses in between.
    fn push_constants(&self, dispatch: &FlatDispatch) -> Vec<String> {
        let bytes = &dispatch.push_constants;
        let mut all = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let here = dispatch.addresses.iter().find(|address| address.offset == at);
            if let Some((address, buffer)) = here.and_then(|it| Some((it, self.buffers.get(it.of)?))) {
                let value = format!("{{ address = \"{}\", plus = {} }}", buffer.name, address.plus);
                all.push(format!("{{ value = {value}, offset = {at} }}"));
                at += 8;
                continue;
            }
            let word = bytes.get(at..at + 4).and_then(|bytes| bytes.first_chunk::<4>());
            let (kind, value, size) = match word {
                Some(word) => ("u32", u32::from_le_bytes(*word), 4),
                None => ("u8", bytes.get(at).copied().map_or(0, u32::from), 1),
            };
            all.push(format!("{{ type = \"{kind}\", value = {value} }}"));
            at += size;
        }
        all
    }
}

/// What is bound, by set and binding.
fn listed(bindings: BTreeMap<(u32, u32), Vec<String>>) -> String {
    let all = bindings.into_iter().map(|((set, binding), names)| match names.as_slice() {
        [one] => format!("\"{set}.{binding}\" = {one}"),
        _ => format!("\"{set}.{binding}\" = [{}]", names.join(", ")),
    });
    all.collect::<Vec<_>>().join(", ")
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}
