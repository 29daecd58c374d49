//! How large our modules are beside glslang's.

use anyhow::Result;
use coopmat_spirv::dr::Module;
use coopmat_spirv::spirv::Op;
use coopmat_spirv::{assemble, load};

/// No module may be larger than so many hundredths of glslang's.
const BOUND: usize = 110;

/// Words of a pair of modules.
#[derive(Clone, Copy, Default)]
pub struct Sizes {
    whole: [usize; 2],
    /// Without names and sources.
    bare: [usize; 2],
}

impl Sizes {
    pub fn of(ours: &[u32], theirs: &[u32]) -> Result<Sizes> {
        Ok(Sizes { whole: [ours.len(), theirs.len()], bare: [bare(ours)?, bare(theirs)?] })
    }
}

/// The words of a module without what only a debugger reads.
fn bare(words: &[u32]) -> Result<usize> {
    let mut module: Module = load(words)?;
    module.debug_string_source.clear();
    module.debug_names.clear();
    module.debug_module_processed.clear();
    for function in &mut module.functions {
        for block in &mut function.blocks {
            block
                .instructions
                .retain(|instruction| !matches!(instruction.class.opcode, Op::Line | Op::NoLine));
        }
    }
    module
        .types_global_values
        .retain(|instruction| !matches!(instruction.class.opcode, Op::Line | Op::NoLine));
    Ok(assemble(&module)?.len())
}

/// Prints the totals and the worst; tells how many of the bounds do not hold.
pub fn print_sizes(sizes: &[(&str, Sizes)]) -> usize {
    let mut wrong = 0;
    let total = |part: fn(&Sizes) -> [usize; 2]| {
        let sums = sizes.iter().map(|(_, sizes)| part(sizes));
        sums.fold([0, 0], |sum, pair| [sum[0] + pair[0], sum[1] + pair[1]])
    };
    for (what, pair) in
        [("with names", total(|sizes| sizes.whole)), ("without names and sources", total(|sizes| sizes.bare))]
    {
        let percent = 100 * pair[0] / pair[1].max(1);
        println!("modules {what}: ours {} KiB, glslang's {} KiB: {percent} %", pair[0] / 256, pair[1] / 256);
        wrong += usize::from(pair[0] > pair[1]);
    }
    let mut worst: Vec<(usize, &str)> = sizes
        .iter()
        .filter(|(_, sizes)| sizes.bare[1] > 0)
        .map(|(name, sizes)| (100 * sizes.bare[0] / sizes.bare[1], *name))
        .collect();
    worst.sort_unstable_by(|a, b| b.cmp(a));
    for (percent, name) in worst.iter().take(3) {
        println!("  {percent} % in {name}");
    }
    wrong + worst.iter().filter(|(percent, _)| *percent > BOUND).count()
}
