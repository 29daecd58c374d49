//! A shader module, read: where its instructions come from, which descriptors it names, whether it has addresses.

use std::sync::OnceLock;

use coopmat_driver_report::Place;
use coopmat_spirv::debug::DebugInfo;
use coopmat_spirv::dr;
use coopmat_spirv::spirv::{Capability, Decoration, Dim, Op, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::robustness::Accessed;

/// A module, read.
pub struct Module {
    pub module: dr::Module,
    debug: OnceLock<DebugInfo>,
}

impl Module {
    /// # Errors
    /// What is wrong with the words.
    pub fn new(words: &[u32]) -> Result<Module, String> {
        let module = coopmat_spirv::load(words).map_err(|error| error.to_string())?;
        Ok(Module { module, debug: OnceLock::new() })
    }

    /// Where an instruction comes from, if the module tells.
    pub fn place(&self, instruction: u32) -> Option<Place> {
        let debug = self.debug.get_or_init(|| DebugInfo::of(&self.module));
        let place = debug.places.get(instruction as usize).copied().flatten()?;
        let path = debug.files.get(place.file as usize).map_or(String::new(), |file| file.name.clone());
        let text = debug.line(place.file, place.line).map(|line| line.trim_end().to_owned());
        // Some compilers tell lines without columns.
        Some(Place { path, line: place.line, column: place.column.max(1), text })
    }

    /// The sets and bindings that functions name: what is only declared need not be bound.
    pub fn used_bindings(&self) -> FxHashSet<(u32, u32)> {
        let mut places: FxHashMap<u32, (Option<u32>, Option<u32>)> = FxHashMap::default();
        for annotation in &self.module.annotations {
            let [
                dr::Operand::IdRef(id),
                dr::Operand::Decoration(decoration),
                dr::Operand::LiteralBit32(number),
            ] = annotation.operands.as_slice()
            else {
                continue;
            };
            match decoration {
                Decoration::DescriptorSet => places.entry(*id).or_default().0 = Some(*number),
                Decoration::Binding => places.entry(*id).or_default().1 = Some(*number),
                _ => {}
            }
        }
        let blocks = self.module.functions.iter().flat_map(|function| &function.blocks);
        let operands = blocks.flat_map(|block| &block.instructions).flat_map(|one| &one.operands);
        let named = operands.filter_map(|operand| match operand {
            dr::Operand::IdRef(id) => places.get(id),
            _ => None,
        });
        named.map(|(set, binding)| (set.unwrap_or(0), binding.unwrap_or(0))).collect()
    }

    /// What an instruction accesses through a descriptor, as far as features give an access out of bounds a meaning: neither shared memory, nor an
    /// address, nor a matrix (which has cooperativeMatrixRobustBufferAccess).
    pub fn accessed(&self, instruction: u32) -> Option<Accessed> {
        let find = |id: u32| self.module.all_inst_iter().find(|one| one.result_id == Some(id));
        let one = self.module.all_inst_iter().nth(instruction as usize)?;
        let Some(dr::Operand::IdRef(accessed)) = one.operands.first() else { return None };
        let kind = find(*accessed).and_then(|accessed| find(accessed.result_type?))?;
        let texels = matches!(kind.operands.get(1), Some(dr::Operand::Dim(Dim::DimBuffer)));
        match one.class.opcode {
            Op::Load | Op::Store => match kind.operands.first()? {
                dr::Operand::StorageClass(StorageClass::StorageBuffer) => Some(Accessed::Storage),
                // Before SPIR-V 1.3, a storage buffer was a uniform one whose block is a BufferBlock; compilers make the one or the other in a module.
                dr::Operand::StorageClass(StorageClass::Uniform) if self.has_buffer_blocks() => {
                    Some(Accessed::Storage)
                }
                dr::Operand::StorageClass(StorageClass::Uniform) => Some(Accessed::Uniform),
                _ => None,
            },
            Op::ImageRead | Op::ImageWrite if texels => Some(Accessed::Storage),
            Op::ImageFetch if texels => Some(Accessed::Uniform),
            Op::ImageRead | Op::ImageWrite | Op::ImageFetch => Some(Accessed::Image),
            _ => None,
        }
    }

    fn has_buffer_blocks(&self) -> bool {
        let buffer_block = dr::Operand::Decoration(Decoration::BufferBlock);
        self.module.annotations.iter().any(|annotation| annotation.operands.contains(&buffer_block))
    }

    /// Whether shaders of the module have addresses of buffers.
    pub fn has_addresses(&self) -> bool {
        self.module.capabilities.iter().any(|declared| {
            declared.operands.iter().any(|operand| {
                matches!(operand, dr::Operand::Capability(Capability::PhysicalStorageBufferAddresses))
            })
        })
    }
}
