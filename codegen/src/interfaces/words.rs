//! The words in front of interface variables, and the names in their `layout(...)`, with what SPIR-V calls them.

use coopmat_analysis::hir::{Layout, MemoryQualifiers, Storage};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, StorageClass, Word};

use crate::codegen::{Codegen, Emit};

/// What is decorated: a variable, or a member of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Target {
    Variable(Word),
    Member(Word, u32),
}

/// Words of interpolation, and of how often a value exists.
const DECORATIONS: &[(&str, Decoration)] = &[
    ("flat", Decoration::Flat),
    ("noperspective", Decoration::NoPerspective),
    ("centroid", Decoration::Centroid),
    ("sample", Decoration::Sample),
    ("patch", Decoration::Patch),
    ("perprimitiveEXT", Decoration::PerPrimitiveEXT),
    ("perprimitiveNV", Decoration::PerPrimitiveEXT),
    ("perviewNV", Decoration::PerViewNV),
    ("taskNV", Decoration::PerTaskNV),
    ("pervertexEXT", Decoration::PerVertexKHR),
    ("pervertexNV", Decoration::PerVertexKHR),
    ("__explicitInterpAMD", Decoration::ExplicitInterpAMD),
];

/// Words that say what holds anyway.
const DEFAULTS: &[&str] = &["smooth"];

/// Words of storage that one extension brings.
const CLASSES: &[(&str, StorageClass)] = &[
    ("taskPayloadSharedEXT", StorageClass::TaskPayloadWorkgroupEXT),
    ("rayPayloadEXT", StorageClass::RayPayloadKHR),
    ("rayPayloadInEXT", StorageClass::IncomingRayPayloadKHR),
    ("hitAttributeEXT", StorageClass::HitAttributeKHR),
    ("callableDataEXT", StorageClass::CallableDataKHR),
    ("callableDataInEXT", StorageClass::IncomingCallableDataKHR),
    ("rayPayloadNV", StorageClass::RayPayloadKHR),
    ("rayPayloadInNV", StorageClass::IncomingRayPayloadKHR),
    ("hitAttributeNV", StorageClass::HitAttributeKHR),
    ("callableDataNV", StorageClass::CallableDataKHR),
    ("callableDataInNV", StorageClass::IncomingCallableDataKHR),
    ("hitObjectAttributeEXT", StorageClass::HitObjectAttributeEXT),
    ("hitObjectAttributeNV", StorageClass::HitObjectAttributeNV),
    ("tileImageEXT", StorageClass::TileImageEXT),
];

/// Names in `layout(...)` with a number that a decoration takes.
const NUMBERS: &[(&str, Decoration)] = &[
    ("component", Decoration::Component),
    ("index", Decoration::Index),
    ("input_attachment_index", Decoration::InputAttachmentIndex),
    ("secondary_view_offset", Decoration::SecondaryViewportRelativeNV),
];

/// Names without a number that become decorations.
const FLAGS: &[(&str, Decoration)] = &[
    ("passthrough", Decoration::PassthroughNV),
    ("override_coverage", Decoration::OverrideCoverageNV),
    ("viewport_relative", Decoration::ViewportRelativeNV),
];

/// Names that are compiled elsewhere: those of capturing, and those that a variable of the language is declared again with, which become
/// modes of its stage.
const OTHERS: &[&str] = &[
    "stream",
    "xfb_buffer",
    "xfb_offset",
    "xfb_stride",
    "origin_upper_left",
    "depth_any",
    "depth_greater",
    "depth_less",
    "depth_unchanged",
];

/// Whether a name in `layout(...)` is of interfaces, and compiled here.
pub(crate) fn is_interface_layout(name: &str) -> bool {
    NUMBERS.iter().chain(FLAGS).any(|(known, _)| *known == name) || OTHERS.contains(&name)
}

/// The storage class that a word stands for.
pub(super) fn storage_class(layout: &Layout) -> Option<StorageClass> {
    let word = |word: &str| CLASSES.iter().find(|(known, _)| *known == word).map(|(_, class)| *class);
    layout.interface.iter().find_map(|known| word(known))
}

/// The number behind a name.
pub(super) fn number(layout: &Layout, name: &str) -> Option<u32> {
    let (_, value) = layout.other.iter().rev().find(|(known, _)| known == name)?;
    value.and_then(|value| u32::try_from(value).ok())
}

impl Codegen<'_> {
    pub(super) fn decorate_target(
        &mut self,
        target: Target,
        decoration: Decoration,
        operands: impl IntoIterator<Item = Operand>,
    ) {
        self.require(&Operand::Decoration(decoration));
        match target {
            Target::Variable(id) => self.b.decorate(id, decoration, operands),
            Target::Member(id, member) => self.b.decorate_member(id, member, decoration, operands),
        }
    }

    /// Refuses words that are not compiled.
    pub(super) fn check_words(&mut self, layout: &Layout) -> Emit<()> {
        let known = |word: &str| {
            DECORATIONS.iter().any(|(name, _)| *name == word)
                || CLASSES.iter().any(|(name, _)| *name == word)
                || DEFAULTS.contains(&word)
        };
        match layout.interface.iter().find(|word| !known(word)) {
            Some(word) => Err(self.fail(format!("`{word}` is not supported in compiled shaders"))),
            None => Ok(()),
        }
    }

    /// What a block has as a whole.
    pub(super) fn decorate_whole(&mut self, target: Target, layout: &Layout) {
        if layout.interface.iter().any(|word| word.starts_with("pervertex")) {
            self.decorate_target(target, Decoration::PerVertexKHR, []);
        }
    }

    /// What stands in front of an interface variable or a member; a member has the words of its block, too.
    pub(super) fn decorate_words(&mut self, target: Target, layout: &Layout, of_block: Option<&Layout>) {
        for (word, decoration) in DECORATIONS {
            let has = |layout: &Layout| layout.interface.iter().any(|known| known == word);
            let whole = *decoration == Decoration::PerVertexKHR;
            if has(layout) || of_block.is_some_and(|layout| !whole && has(layout)) {
                self.decorate_target(target, *decoration, []);
            }
        }
    }

    /// The names with numbers; `Location` is decided elsewhere.
    pub(super) fn decorate_numbers(&mut self, target: Target, layout: &Layout) {
        for (name, decoration) in NUMBERS {
            if let Some(value) = number(layout, name) {
                self.decorate_target(target, *decoration, [Operand::LiteralBit32(value)]);
            }
        }
        for (name, decoration) in FLAGS {
            if layout.other.iter().any(|(known, _)| known == name) {
                self.decorate_target(target, *decoration, []);
            }
        }
    }

    /// `layout(input_attachment_index = N)` of a subpass input.
    pub fn decorate_attachment(&mut self, variable: Word, layout: &Layout) {
        self.decorate_numbers(Target::Variable(variable), layout);
    }

    /// `#pragma STDGL invariant(all)`, of outputs.
    pub(super) fn all_invariant(&self) -> bool {
        let is_all = |text: &str| text.split_whitespace().collect::<String>() == "STDGLinvariant(all)";
        self.analysis.preprocessed.pragmas.iter().any(|pragma| is_all(&pragma.text))
    }

    pub(super) fn decorate_invariant(&mut self, target: Target, memory: &MemoryQualifiers, storage: Storage) {
        if memory.invariant || (storage == Storage::Out && self.all_invariant()) {
            self.decorate_target(target, Decoration::Invariant, []);
        }
    }
}
