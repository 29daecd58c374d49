//! The module: checks that a program can be compiled, puts the pieces of its function together, and adds the helpers that they call.

use wasm_encoder::{
    BlockType, CodeSection, ConstExpr, DataSection, EntityType, ExportKind, ExportSection, Function,
    FunctionSection, ImportSection, Instruction as I, MemorySection, MemoryType, Module, TypeSection,
    ValType,
};

use super::compiled::Compiled;
use super::control::UNREACHABLE;
use super::layout::{
    ALLOCATION, ALLOCATION_COUNT, Layout, MASK, MASKS, NOWHERE, PC, RUNNING, SELECT, SELECTED, WAITING, ZEROS,
};
use super::planes::{Planes, Run};
use super::refusal::Refusal;
use super::region::{GO_ON, Generator, LANES, SUBGROUP, at};
use super::site::{Helper, Site, SiteKind};
use super::uniform::Uniform;
use super::unroll::{Unrolled, unroll};
use super::vectors;
use crate::memory::OFFSET_BITS;
use crate::program::{ProgramData, Terminator};
use crate::{Program, Settings};

/// The most pieces of code, and the most bytes of a subgroup.
const MAXIMUM_PIECES: usize = 20_000;
const MAXIMUM_SUBGROUP: u32 = 1 << 26;

impl Generator<'_> {
    pub fn site(&mut self, kind: SiteKind, reads: &[Run], writes: &[Run]) -> usize {
        self.sites.push(Site {
            kind,
            function: self.function,
            block: self.block,
            base: self.planes.bases[self.function as usize],
            reads: self.words_of(reads),
            writes: self.words_of(writes),
        });
        self.sites.len() - 1
    }

    /// What of some planes is words in the module's memory: matrices are in the interpreter's registers alone.
    pub(super) fn words_of(&self, runs: &[Run]) -> Vec<Run> {
        let mut words: Vec<Run> = Vec::new();
        for plane in runs.iter().flat_map(|&(first, count)| first..first + count) {
            match words.last_mut() {
                _ if self.planes.matrices[plane as usize] => {}
                Some((first, count)) if *first + *count == plane => *count += 1,
                _ => words.push((plane, 1)),
            }
        }
        words
    }
}

fn check(program: &ProgramData, planes: &Planes) -> Result<(), Refusal> {
    for &function in &planes.functions {
        let lowered = &program.functions[function as usize];
        if lowered.blocks.is_empty() {
            return Err(Refusal::Instruction("a function without a body"));
        }
        for block in &lowered.blocks {
            match &block.terminator {
                Terminator::Kill => return Err(Refusal::Instruction("an invocation that ends early")),
                Terminator::Switch { wide: true, .. } => {
                    return Err(Refusal::Instruction("a switch on 64 bits"));
                }
                Terminator::Switch { .. }
                | Terminator::Branch(_)
                | Terminator::Conditional { .. }
                | Terminator::Return
                | Terminator::ReturnValue(_)
                | Terminator::Unreachable => {}
            }
        }
    }
    Ok(())
}

impl Compiled {
    /// Makes the module. The error says why the interpreter has to run the program.
    pub fn new(program: &Program, settings: &Settings) -> Result<Compiled, Refusal> {
        compile(program, settings)
    }
}

fn compile(program: &Program, settings: &Settings) -> Result<Compiled, Refusal> {
    let data = &*program.data;
    if settings.checked || settings.headroom {
        return Err(Refusal::Checked);
    }
    if settings.subgroup_size > 64 {
        return Err(Refusal::SubgroupSize(settings.subgroup_size));
    }
    if data.interface.heaps.contains(&true) {
        return Err(Refusal::Heaps);
    }
    let Unrolled { program: unrolled, parts } = unroll(&program.data)?;
    let data = &*unrolled;
    let planes = Planes::new(data)?;
    let uniform = Uniform::new(data, &planes)?;
    check(data, &planes)?;
    let blocks: Vec<u32> = data.functions.iter().map(|function| function.blocks.len() as u32).collect();
    let layout = Layout::new(settings.subgroup_size, &blocks, data.blocks, planes.count)
        .filter(|layout| layout.subgroup <= MAXIMUM_SUBGROUP)
        .ok_or(Refusal::Size)?;
    let mut generator = Generator::new(data, settings, &planes, &uniform, &layout, &parts);
    for &function in &planes.functions {
        generator.function(function)?;
    }
    if generator.pieces.len() > MAXIMUM_PIECES {
        return Err(Refusal::Size);
    }
    let (sites, traffic) = (std::mem::take(&mut generator.sites), std::mem::take(&mut generator.traffic));
    let wasm = assemble(generator, &layout);
    let Uniform { varying, .. } = uniform;
    Ok(Compiled {
        blocks: program.data.blocks,
        program: unrolled,
        parts,
        wasm,
        layout,
        sites,
        traffic,
        varying,
        subgroup_size: settings.subgroup_size,
        numerics: settings.numerics,
    })
}

/// The function: a loop around a choice of the piece with which it goes on.
fn run_function(generator: Generator<'_>) -> Function {
    let Generator { mut pieces, locals, .. } = generator;
    // Numbers of blocks of functions that nothing calls lead nowhere.
    let numbers = pieces.iter().map(|(number, _)| *number + 1).max().unwrap_or(0);
    let count = pieces.len() as u32;
    let mut targets = vec![count; numbers as usize];
    for (position, (number, _)) in (0u32..).zip(&pieces) {
        targets[*number as usize] = position;
    }
    let mut function = Function::new(locals.into_iter().map(|type_| (1, type_)));
    for instruction in [
        I::LocalGet(SUBGROUP),
        I::I32Load(at(PC)),
        I::LocalSet(GO_ON),
        I::LocalGet(SUBGROUP),
        I::I64Load(at(MASK)),
        I::LocalSet(LANES),
        I::Loop(BlockType::Empty),
    ] {
        function.instruction(&instruction);
    }
    for _ in 0..=count {
        function.instruction(&I::Block(BlockType::Empty));
    }
    function.instruction(&I::LocalGet(GO_ON));
    function.instruction(&I::BrTable(targets.into(), count));
    function.instruction(&I::End);
    for (position, (_, code)) in (0u32..).zip(&mut pieces) {
        for instruction in code.drain(..) {
            let instruction = match instruction {
                I::Br(depth) if depth > u32::MAX / 2 => I::Br(count - position + (u32::MAX - depth)),
                other => other,
            };
            function.instruction(&instruction);
        }
        function.instruction(&I::End);
    }
    // A number that leads nowhere.
    for instruction in [I::I32Const(UNREACHABLE), I::Return, I::End, I::Unreachable, I::End] {
        function.instruction(&instruction);
    }
    function
}

/// `select(subgroup, lanes)`.
fn select(lanes: u32) -> Function {
    let mut function = Function::new([]);
    let mut code = vec![
        I::LocalGet(0),
        I::I64Load(at(SELECTED)),
        I::LocalGet(1),
        I::I64Eq,
        I::If(BlockType::Empty),
        I::Return,
        I::End,
        I::LocalGet(0),
        I::LocalGet(1),
        I::I64Store(at(SELECTED)),
    ];
    for four in 0..lanes / 4 {
        code.extend([
            I::LocalGet(0),
            I::LocalGet(1),
            I::I64Const(i64::from(four) * 4),
            I::I64ShrU,
            I::I32WrapI64,
            I::I32Const(15),
            I::I32And,
            I::I32Const(4),
            I::I32Shl,
            I::V128Load(at(MASKS)),
            I::V128Store(at(SELECT + four * 16)),
        ]);
    }
    code.push(I::End);
    for instruction in &code {
        function.instruction(instruction);
    }
    function
}

/// `wait(word, lanes' place, bit, lanes)`.
fn wait() -> Function {
    let mut function = Function::new([]);
    for instruction in [
        I::LocalGet(0),
        I::LocalGet(0),
        I::I64Load(at(0)),
        I::LocalGet(2),
        I::I64Or,
        I::I64Store(at(0)),
        I::LocalGet(1),
        I::LocalGet(1),
        I::I64Load(at(0)),
        I::LocalGet(3),
        I::I64Or,
        I::I64Store(at(0)),
        I::End,
    ] {
        function.instruction(&instruction);
    }
    function
}

/// `next(subgroup, frame, lanes' place in it) -> block`: the frame runs with the lanes that waited there.
fn next() -> Function {
    // Locals: the word's address, the word, the block, the place of its lanes.
    let (word_at, word, block, place) = (3, 4, 5, 6);
    let mut function = Function::new([(1, ValType::I32), (1, ValType::I64), (2, ValType::I32)]);
    for instruction in [
        I::LocalGet(0),
        I::LocalGet(1),
        I::I32Add,
        I::LocalTee(1),
        I::LocalSet(word_at),
        I::Block(BlockType::Empty),
        I::Loop(BlockType::Empty),
        I::LocalGet(word_at),
        I::I64Load(at(WAITING)),
        I::LocalTee(word),
        I::I64Eqz,
        I::I32Eqz,
        I::BrIf(1),
        I::LocalGet(word_at),
        I::I32Const(8),
        I::I32Add,
        I::LocalTee(word_at),
        // Beyond the last word there is nothing that waits.
        I::LocalGet(1),
        I::LocalGet(2),
        I::I32Add,
        I::I32LtU,
        I::BrIf(0),
        I::Unreachable,
        I::End,
        I::End,
        I::LocalGet(word_at),
        I::LocalGet(word),
        I::LocalGet(word),
        I::I64Const(1),
        I::I64Sub,
        I::I64And,
        I::I64Store(at(WAITING)),
        I::LocalGet(word_at),
        I::LocalGet(1),
        I::I32Sub,
        I::I32Const(3),
        I::I32Shl,
        I::LocalGet(word),
        I::I64Ctz,
        I::I32WrapI64,
        I::I32Add,
        I::LocalTee(block),
        I::I32Const(3),
        I::I32Shl,
        I::LocalGet(1),
        I::I32Add,
        I::LocalGet(2),
        I::I32Add,
        I::LocalSet(place),
        I::LocalGet(1),
        I::LocalGet(place),
        I::I64Load(at(0)),
        I::I64Store(at(RUNNING)),
        I::LocalGet(place),
        I::I64Const(0),
        I::I64Store(at(0)),
        I::LocalGet(0),
        I::LocalGet(1),
        I::I64Load(at(RUNNING)),
        I::Call(Helper::Select as u32),
        I::LocalGet(block),
        I::End,
    ] {
        function.instruction(&instruction);
    }
    function
}

/// `place(address, bytes, writes) -> address in the module's memory`: zeros, or nowhere, for what is not inside an allocation.
fn place(layout: &Layout) -> Function {
    // Locals: the allocation's entry, its size.
    let (entry, size) = (3, 4);
    let mut function = Function::new([(1, ValType::I32), (1, ValType::I64)]);
    let offset = |code: &mut Vec<I<'static>>| {
        code.extend([I::LocalGet(0), I::I64Const((1 << OFFSET_BITS) - 1), I::I64And]);
    };
    let mut code = vec![
        I::LocalGet(0),
        I::I64Const(i64::from(OFFSET_BITS)),
        I::I64ShrU,
        I::I32Const(0),
        I::I64Load32U(at(ALLOCATION_COUNT)),
        I::I64LtU,
        I::If(BlockType::Empty),
        I::LocalGet(0),
        I::I64Const(i64::from(OFFSET_BITS)),
        I::I64ShrU,
        I::I32WrapI64,
        I::I32Const(ALLOCATION as i32),
        I::I32Mul,
        I::LocalTee(entry),
        I::LocalGet(entry),
        I::LocalGet(2),
        I::I32Const(2),
        I::I32Shl,
        I::I32Add,
        I::I64Load32U(at(layout.allocations + 4)),
        I::LocalSet(size),
        I::Drop,
    ];
    offset(&mut code);
    code.extend([
        I::LocalGet(1),
        I::I64ExtendI32U,
        I::I64Add,
        I::LocalGet(size),
        I::I64LeU,
        I::If(BlockType::Empty),
        I::LocalGet(entry),
        I::I32Load(at(layout.allocations)),
    ]);
    offset(&mut code);
    code.extend([
        I::I32WrapI64,
        I::I32Add,
        I::Return,
        I::End,
        I::End,
        I::I32Const(NOWHERE as i32),
        I::I32Const(ZEROS as i32),
        I::LocalGet(2),
        I::Select,
        I::End,
    ]);
    for instruction in &code {
        function.instruction(instruction);
    }
    function
}

fn assemble(generator: Generator<'_>, layout: &Layout) -> Vec<u8> {
    use ValType::{I32, I64, V128};
    let mut types = TypeSection::new();
    types.ty().function([I32, I32, I64], [I32]);
    types.ty().function([I32], [I32]);
    types.ty().function([I32, I64], []);
    types.ty().function([I32, I32, I64, I64], []);
    types.ty().function([I32, I32, I32], [I32]);
    types.ty().function([I64, I32, I32], [I32]);
    types.ty().function([V128, V128, I64, I32], [V128]);
    types.ty().function([V128, V128, I64, I32, V128, V128], []);
    let mut imports = ImportSection::new();
    imports.import("host", "execute", EntityType::Function(0));
    let mut functions = FunctionSection::new();
    for type_ in 1..8 {
        functions.function(type_);
    }
    let mut memories = MemorySection::new();
    memories.memory(MemoryType {
        minimum: 1,
        maximum: None,
        memory64: false,
        shared: false,
        page_size_log2: None,
    });
    let mut exports = ExportSection::new();
    exports.export("memory", ExportKind::Memory, 0);
    exports.export("run", ExportKind::Func, Helper::Run as u32);
    let mut code = CodeSection::new();
    code.function(&run_function(generator));
    code.function(&select(layout.lanes));
    code.function(&wait());
    code.function(&next());
    code.function(&place(layout));
    code.function(&vectors::load_scalars());
    code.function(&vectors::store_scalars());
    let mut data = DataSection::new();
    let words = (0..16u32).flat_map(|bits| (0..4).map(move |lane| (bits >> lane & 1) * u32::MAX));
    let masks: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    data.active(0, &ConstExpr::i32_const(MASKS as i32), masks);
    let mut module = Module::new();
    module.section(&types).section(&imports).section(&functions).section(&memories).section(&exports);
    module.section(&code).section(&data);
    module.finish()
}
