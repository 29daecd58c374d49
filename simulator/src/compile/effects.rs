//! For every instruction: what it reads and writes, and who does it. The matches are exhaustive: a new instruction does not compile without a
//! decision here.

use smallvec::{SmallVec, smallvec};

use super::planes::{Planes, Run};
use super::refusal::Refusal;
use crate::code::{
    AtomicInstruction, CompositeInstruction, ConversionInstruction, DotInstruction, ExtendedInstruction,
    Extent, FoldKind, Instruction, LogicInstruction, MemoryInstruction, PrintInstruction, ProductInstruction,
    Shuffle, Start, StoredMatrix, SubgroupInstruction, VectorMemoryInstruction, VectorOperand, Vote, Where,
};
use crate::instructions::extended::packing_planes;
use crate::matrix::operation::{Extra, Holder, Number, Operation, Source, Strided, Tensor};
use crate::matrix::tensor::{ClampMode, TensorLayout, TensorView};
use crate::program::types::Scalar;
use crate::program::{ProgramData, Slot};

/// What lanes have in common in a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    /// The same word, if the operands are.
    Follows,
    /// A word of its own each.
    Varying,
    /// The same word in all.
    Uniform,
}

/// What an instruction does to planes.
#[derive(Clone, Debug)]
pub(super) struct Effects {
    pub reads: SmallVec<[Run; 4]>,
    pub writes: SmallVec<[Run; 2]>,
    pub sharing: Sharing,
    /// Whether lanes see each other's operands.
    pub across: bool,
}

impl Effects {
    /// Of what each lane does for itself.
    fn follows(reads: SmallVec<[Run; 4]>, writes: SmallVec<[Run; 2]>) -> Effects {
        Effects { reads, writes, sharing: Sharing::Follows, across: false }
    }
}

/// What an instruction does; the error says why the program cannot be compiled.
pub(super) fn effects(
    program: &ProgramData,
    planes: &Planes,
    function: u32,
    instruction: &Instruction,
) -> Result<Effects, Refusal> {
    let of = |slot: Slot| planes.of(function, slot);
    let follows = Effects::follows;
    let refused = |what| Err(Refusal::Instruction(what));
    Ok(match instruction {
        Instruction::Integer(i) => {
            let step = words(i.width);
            let made = if i.op.compares() { 1 } else { step };
            follows(
                smallvec![(of(i.a), i.count * step), (of(i.b), i.count * step)],
                smallvec![(of(i.result), i.count * made)],
            )
        }
        Instruction::BitField(i) => {
            let all = i.count * words(i.width);
            follows(
                smallvec![(of(i.base), all), (of(i.insert), all), (of(i.offset), 1), (of(i.bits), 1)],
                smallvec![(of(i.result), all)],
            )
        }
        Instruction::Float(i) => {
            let step = Scalar::Float(i.format).planes();
            let made = if i.op.compares() { 1 } else { step };
            let b = if i.step == 0 { step } else { i.count * step };
            follows(
                smallvec![(of(i.a), i.count * step), (of(i.b), b)],
                smallvec![(of(i.result), i.count * made)],
            )
        }
        Instruction::Product(i) => match &**i {
            ProductInstruction::Fma { format, count, result, operands } => {
                let all = count * Scalar::Float(*format).planes();
                follows(operands.iter().map(|slot| (of(*slot), all)).collect(), smallvec![(of(*result), all)])
            }
            ProductInstruction::Sums { format, sums, inner, a_step, b_step } => {
                let step = Scalar::Float(*format).planes();
                let mut reads: SmallVec<[Run; 4]> = SmallVec::new();
                for sum in sums {
                    for index in 0..*inner {
                        reads.push((of(sum.a) + index * a_step, step));
                        reads.push((of(sum.b) + index * b_step, step));
                    }
                }
                follows(reads, sums.iter().map(|sum| (of(sum.result), step)).collect())
            }
        },
        Instruction::Logic(i) => match *i {
            LogicInstruction::Binary { count, result, a, b, .. } => {
                follows(smallvec![(of(a), count), (of(b), count)], smallvec![(of(result), count)])
            }
            LogicInstruction::Not { count, result, a } => {
                follows(smallvec![(of(a), count)], smallvec![(of(result), count)])
            }
            LogicInstruction::Any { count, result, a } | LogicInstruction::All { count, result, a } => {
                follows(smallvec![(of(a), count)], smallvec![(of(result), 1)])
            }
            LogicInstruction::Select { count, planes, result, condition, a, b } => follows(
                smallvec![(of(condition), count), (of(a), count * planes), (of(b), count * planes)],
                smallvec![(of(result), count * planes)],
            ),
        },
        Instruction::Conversion(i) => match *i {
            ConversionInstruction::Convert { from, to, count, result, a, .. } => follows(
                smallvec![(of(a), count * from.planes())],
                smallvec![(of(result), count * to.planes())],
            ),
            ConversionInstruction::Repack { from, to, count, result, a } => {
                let made = u32::from(from) * count / u32::from(to);
                follows(smallvec![(of(a), count * words(from))], smallvec![(of(result), made * words(to))])
            }
            ConversionInstruction::Extract { from, count, to, made, result, a, offset } => follows(
                smallvec![(of(a), count * words(from)), (of(offset), 1)],
                smallvec![(of(result), made * words(to))],
            ),
            ConversionInstruction::QuantizeToF16 { count, result, a } => {
                follows(smallvec![(of(a), count)], smallvec![(of(result), count)])
            }
        },
        Instruction::Composite(i) => match *i {
            CompositeInstruction::Extract { result, vector, index, wide, count, planes } => follows(
                smallvec![(of(vector), count * planes), (of(index), 1 + u32::from(wide))],
                smallvec![(of(result), planes)],
            ),
            CompositeInstruction::Insert { result, vector, component, index, wide, count, planes } => {
                follows(
                    smallvec![
                        (of(vector), count * planes),
                        (of(component), planes),
                        (of(index), 1 + u32::from(wide))
                    ],
                    smallvec![(of(result), count * planes)],
                )
            }
        },
        Instruction::Extended(i) => match &**i {
            ExtendedInstruction::Component(i) => {
                let step = i.scalar.planes();
                // The exponents that `ldexp` takes have a width of their own.
                let reads = [i.a, i.b, i.c].map(|slot| (of(slot), i.count * step)).into_iter().collect();
                let mut writes: SmallVec<[Run; 2]> = smallvec![(of(i.result), i.count * i.made)];
                if i.second_made != 0 {
                    writes.push((of(i.second), i.count * i.second_made));
                }
                follows(reads, writes)
            }
            ExtendedInstruction::Vector(i) => {
                let step = Scalar::Float(i.format).planes();
                let reads = i.operands.iter().map(|&(slot, count)| (of(slot), count * step)).collect();
                follows(reads, smallvec![(of(i.result), i.made * step)])
            }
            ExtendedInstruction::Packing(i) => {
                let (read, made) = packing_planes(i.op);
                follows(smallvec![(of(i.a), read)], smallvec![(of(i.result), made)])
            }
        },
        Instruction::Dot(i) => match **i {
            DotInstruction::Integer(i) => {
                let all = if i.packed { 1 } else { i.count * words(i.width) };
                let made = words(i.made);
                let mut reads: SmallVec<[Run; 4]> = smallvec![(of(i.a), all), (of(i.b), all)];
                reads.extend(i.sum.map(|sum| (of(sum), made)));
                follows(reads, smallvec![(of(i.result), made)])
            }
            DotInstruction::Float { count, result, a, b, sum, .. } => {
                follows(smallvec![(of(a), count), (of(b), count), (of(sum), 1)], smallvec![(of(result), 1)])
            }
        },
        Instruction::Memory(i) => memory(program, planes, function, i)?,
        Instruction::Atomic(i) => atomic(of, i)?,
        Instruction::Image(_) => return refused("an image"),
        Instruction::Subgroup(i) => subgroup(of, i),
        Instruction::Matrix(i) => matrix(program, planes, function, &i.operation),
        Instruction::Vector(i) => vector(of, i),
        Instruction::Call(i) => Effects {
            reads: i.arguments.iter().map(|&(slot, count)| (of(slot), count)).collect(),
            writes: smallvec![(of(i.result), program.functions[i.function as usize].result_planes)],
            sharing: Sharing::Varying,
            across: false,
        },
        Instruction::Barrier(_) => follows(smallvec![], smallvec![]),
        Instruction::Print(i) => match &**i {
            PrintInstruction::Pieces(_) | PrintInstruction::Message { .. } => return refused("debugPrintf"),
        },
        Instruction::Clock(result) => Effects {
            reads: smallvec![],
            writes: smallvec![(of(*result), 2)],
            sharing: Sharing::Uniform,
            across: false,
        },
        Instruction::Unsupported(_) => return refused("an instruction that the simulator does not know"),
    })
}

fn words(width: u8) -> u32 {
    if width == 64 { 2 } else { 1 }
}

/// The planes that a load or store moves.
pub(super) fn leaf_planes(program: &ProgramData, leaves: u32) -> u32 {
    program.leaves[leaves as usize].last().map_or(0, |leaf| leaf.plane + leaf.scalar.planes())
}

fn memory(
    program: &ProgramData,
    planes: &Planes,
    function: u32,
    instruction: &MemoryInstruction,
) -> Result<Effects, Refusal> {
    let of = |slot: Slot| planes.of(function, slot);
    let follows = Effects::follows;
    Ok(match *instruction {
        MemoryInstruction::Copy { result, source, planes } => {
            follows(smallvec![(of(source), planes)], smallvec![(of(result), planes)])
        }
        MemoryInstruction::Gather { result, pointer, planes: count, .. } => {
            let mut reads: SmallVec<[Run; 4]> = planes.pointees(of(pointer)).into();
            reads.push((of(pointer), 1));
            Effects { sharing: Sharing::Varying, ..follows(reads, smallvec![(of(result), count)]) }
        }
        MemoryInstruction::Scatter { pointer, value, planes: count, .. } => {
            let runs = planes.pointees(of(pointer));
            let mut reads: SmallVec<[Run; 4]> = runs.clone().into();
            reads.extend([(of(pointer), 1), (of(value), count)]);
            Effects { sharing: Sharing::Varying, ..follows(reads, runs.into()) }
        }
        MemoryInstruction::Move { result, value } => {
            follows(smallvec![(of(value), 1)], smallvec![(of(result), 1)])
        }
        MemoryInstruction::MoveTo { pointer, value, .. } => {
            let runs = planes.pointees(of(pointer));
            let mut reads: SmallVec<[Run; 4]> = runs.clone().into();
            reads.extend([(of(pointer), 1), (of(value), 1)]);
            Effects { sharing: Sharing::Varying, ..follows(reads, runs.into()) }
        }
        MemoryInstruction::Load { result, pointer, leaves, .. }
        | MemoryInstruction::LoadApart { result, pointer, leaves, .. } => {
            follows(smallvec![(of(pointer), 2)], smallvec![(of(result), leaf_planes(program, leaves))])
        }
        MemoryInstruction::Store { pointer, value, leaves, .. }
        | MemoryInstruction::StoreApart { pointer, value, leaves, .. } => {
            follows(smallvec![(of(pointer), 2), (of(value), leaf_planes(program, leaves))], smallvec![])
        }
        MemoryInstruction::Address { result, pointer, ref terms, .. } => {
            let mut reads: SmallVec<[Run; 4]> = smallvec![(of(pointer), 2)];
            reads.extend(terms.iter().map(|term| (of(term.index), 1 + u32::from(term.wide))));
            follows(reads, smallvec![(of(result), 2)])
        }
        MemoryInstruction::Buffer { result, index, wide, .. } => {
            follows(smallvec![(of(index), 1 + u32::from(wide))], smallvec![(of(result), 2)])
        }
        MemoryInstruction::Descriptor { .. } => return Err(Refusal::Instruction("an array of images")),
        MemoryInstruction::HeapBuffer { .. } | MemoryInstruction::HeapImage { .. } => {
            return Err(Refusal::Heaps);
        }
        MemoryInstruction::PlaneIndex { result, .. } => {
            Effects { sharing: Sharing::Uniform, ..follows(smallvec![], smallvec![(of(result), 1)]) }
        }
        MemoryInstruction::PlaneOf { result, index, wide, .. } => {
            follows(smallvec![(of(index), 1 + u32::from(wide))], smallvec![(of(result), 1)])
        }
        MemoryInstruction::PlaneFrom { result, pointer, index, wide, .. } => {
            follows(smallvec![(of(pointer), 1), (of(index), 1 + u32::from(wide))], smallvec![(of(result), 1)])
        }
        MemoryInstruction::Extend { result, value, .. } => {
            follows(smallvec![(of(value), 1)], smallvec![(of(result), 1)])
        }
        MemoryInstruction::ArrayLength { result, pointer, .. } => {
            follows(smallvec![(of(pointer), 2)], smallvec![(of(result), 1)])
        }
    })
}

fn atomic(of: impl Fn(Slot) -> u32, instruction: &AtomicInstruction) -> Result<Effects, Refusal> {
    let all = instruction.count * instruction.scalar.planes();
    let Where::Memory { pointer, .. } = instruction.at else {
        return Err(Refusal::Instruction("an atomic operation on a variable or an image"));
    };
    Ok(Effects {
        reads: smallvec![(of(pointer), 2), (of(instruction.value), all), (of(instruction.comparator), all)],
        writes: instruction.result.map(|result| (of(result), all)).into_iter().collect(),
        sharing: Sharing::Varying,
        across: true,
    })
}

fn subgroup(of: impl Fn(Slot) -> u32, instruction: &SubgroupInstruction) -> Effects {
    let across = |reads: SmallVec<[Run; 4]>, writes: SmallVec<[Run; 2]>, sharing| Effects {
        reads,
        writes,
        sharing,
        across: true,
    };
    match *instruction {
        SubgroupInstruction::Elect { result } => {
            across(smallvec![], smallvec![(of(result), 1)], Sharing::Varying)
        }
        SubgroupInstruction::Vote { vote, result, value } => {
            let sharing = match vote {
                Vote::All | Vote::Any => Sharing::Uniform,
                Vote::QuadAll | Vote::QuadAny => Sharing::Varying,
            };
            across(smallvec![(of(value), 1)], smallvec![(of(result), 1)], sharing)
        }
        SubgroupInstruction::AllEqual { result, value, planes, .. } => {
            across(smallvec![(of(value), planes)], smallvec![(of(result), 1)], Sharing::Uniform)
        }
        SubgroupInstruction::First { result, value, planes } => {
            across(smallvec![(of(value), planes)], smallvec![(of(result), planes)], Sharing::Uniform)
        }
        SubgroupInstruction::Write { result, value, written, planes, lane } => across(
            smallvec![(of(value), planes), (of(written), planes), (of(lane), 1)],
            smallvec![(of(result), planes)],
            Sharing::Varying,
        ),
        SubgroupInstruction::Shuffle { shuffle, result, value, planes, lane } => {
            // Words beside the lane's number.
            let words = match shuffle {
                Shuffle::Swizzle => 4,
                Shuffle::Masked => 3,
                _ => 1,
            };
            let sharing = match shuffle {
                // It follows the lane's number, and is the word of that lane.
                Shuffle::Broadcast
                | Shuffle::Index
                | Shuffle::Xor
                | Shuffle::Up
                | Shuffle::Down
                | Shuffle::Rotate(_)
                | Shuffle::QuadBroadcast
                | Shuffle::QuadSwap
                | Shuffle::Swizzle
                | Shuffle::Masked => Sharing::Varying,
            };
            across(
                smallvec![(of(value), planes), (of(lane), words)],
                smallvec![(of(result), planes)],
                sharing,
            )
        }
        SubgroupInstruction::Ballot { result, value } => {
            across(smallvec![(of(value), 1)], smallvec![(of(result), 4)], Sharing::Uniform)
        }
        SubgroupInstruction::Bits { result, value, index, .. } => {
            across(smallvec![(of(value), 4), (of(index), 1)], smallvec![(of(result), 1)], Sharing::Varying)
        }
        SubgroupInstruction::Partition { result, value, planes } => {
            across(smallvec![(of(value), planes)], smallvec![(of(result), 4)], Sharing::Varying)
        }
        SubgroupInstruction::Reduce(reduce) => {
            let all = reduce.count * reduce.scalar.planes();
            let mut reads: SmallVec<[Run; 4]> = smallvec![(of(reduce.value), all)];
            if let Extent::Partition(mask) = reduce.extent {
                reads.push((of(mask), 4));
            }
            let sharing = match (reduce.extent, reduce.kind) {
                (Extent::All, FoldKind::Reduce) => Sharing::Uniform,
                _ => Sharing::Varying,
            };
            across(reads, smallvec![(of(reduce.result), all)], sharing)
        }
    }
}

fn vector(of: impl Fn(Slot) -> u32, instruction: &VectorMemoryInstruction) -> Effects {
    let all = |operand: &VectorOperand| (of(operand.first), operand.count * operand.scalar.planes());
    let start = |at: &Start| [(of(at.pointer), 2), (of(at.offset), 1 + u32::from(at.wide))];
    let matrix = |matrix: &StoredMatrix| {
        let stride = matrix.stride.map(|stride| (of(stride), 1));
        start(&matrix.at).into_iter().chain(stride).collect::<SmallVec<[Run; 4]>>()
    };
    let mut reads: SmallVec<[Run; 4]> = SmallVec::new();
    let mut writes: SmallVec<[Run; 2]> = SmallVec::new();
    match instruction {
        VectorMemoryInstruction::Load { result, at } => {
            reads.extend(start(at));
            writes.push(all(result));
        }
        VectorMemoryInstruction::Store { value, at } | VectorMemoryInstruction::Sum { value, at } => {
            reads.push(all(value));
            reads.extend(start(at));
        }
        VectorMemoryInstruction::Product(product) => {
            reads.push(all(&product.input));
            reads.extend(matrix(&product.matrix));
            reads.extend(product.bias.iter().flat_map(|bias| start(&bias.at)));
            writes.push(all(&product.result));
        }
        VectorMemoryInstruction::OuterProduct { a, b, matrix: stored } => {
            reads.extend([all(a), all(b)]);
            reads.extend(matrix(stored));
        }
    }
    Effects { reads, writes, sharing: Sharing::Varying, across: true }
}

/// Matrices themselves are the host's; what counts are the words of planes.
fn matrix(program: &ProgramData, planes: &Planes, function: u32, operation: &Operation) -> Effects {
    let of = |slot: Slot| planes.of(function, slot);
    let number = |number: &Number| (of(number.slot), 1 + u32::from(number.wide));
    let mut reads: SmallVec<[Run; 4]> = SmallVec::new();
    let mut writes: SmallVec<[Run; 2]> = SmallVec::new();
    let mut sharing = Sharing::Varying;
    let through = |source: &Source| source.through.map(|(pointer, _)| (of(pointer), 1));
    reads.extend(operation.sources().iter().filter_map(through));
    let strided = |strided: &Strided| {
        let stride = strided.stride.as_ref().map(number);
        [Some((of(strided.pointer.slot), 2)), stride].into_iter().flatten()
    };
    let held = |holder: &Holder| match holder {
        Holder::Plane(_) => None,
        Holder::Pointer { pointer, .. } => Some((of(*pointer), 1)),
    };
    // Functions over elements have registers of their own, which begin with these.
    let variables = program.globals.variables.iter().map(|&(first, count, _)| (first, count));
    let component = |type_: &crate::matrix::MatrixType| words(type_.component.width() as u8);
    match operation {
        Operation::Undefined { .. }
        | Operation::Binary { .. }
        | Operation::Negate { .. }
        | Operation::Convert { .. }
        | Operation::Bitcast { .. }
        | Operation::ChangeUse { .. }
        | Operation::MultiplyAdd { .. } => {}
        Operation::Splat { type_, value, .. } => reads.push((of(*value), component(type_))),
        Operation::Load { from, .. } => reads.extend(strided(from)),
        Operation::Store { to, .. } => reads.extend(strided(to)),
        Operation::Length { result, .. } => {
            writes.push((of(*result), 1));
            sharing = Sharing::Uniform;
        }
        Operation::ElementLoad { result, type_, holder, index } => {
            reads.extend(held(holder));
            reads.push(number(index));
            writes.push((of(*result), component(type_)));
        }
        Operation::ElementStore { type_, holder, index, value } => {
            reads.extend(held(holder));
            reads.extend([number(index), (of(*value), component(type_))]);
        }
        Operation::Extract { result, object, .. } => writes.push((of(*result), component(&object.type_))),
        Operation::Insert { object, value, .. } => reads.push((of(*value), component(&object.type_))),
        Operation::TimesScalar { a, scalar, .. } => reads.push((of(*scalar), component(&a.type_))),
        Operation::Coordinate { result, index, .. } => {
            reads.push(number(index));
            writes.push((of(*result), 2));
        }
        Operation::Reduce { .. } => reads.extend(variables),
        Operation::PerElement { extra, .. } => {
            reads.extend(extra.iter().filter_map(|extra| match extra {
                Extra::Value(slot, count) => Some((of(*slot), *count)),
                Extra::Matrix(_) => None,
            }));
            reads.extend(variables);
        }
        Operation::LoadTensor { from, .. } => {
            reads.extend(tensor(from, &of));
            reads.extend(variables);
        }
        Operation::StoreTensor { to, .. } => reads.extend(tensor(to, &of)),
        Operation::Construct { array, length, .. } => reads.push((of(*array), *length)),
        Operation::ExtractArray { result, length, .. } => writes.push((of(*result), *length)),
        Operation::BitcastArray { result, array, from_width, to_width, length } => {
            reads.push((of(*array), (length * to_width).div_ceil(*from_width)));
            writes.push((of(*result), *length));
        }
        Operation::SubArray { result, array, start, planes, length, source_length } => {
            reads.extend([(of(*array), source_length * planes), (of(*start), 1)]);
            writes.push((of(*result), length * planes));
        }
        Operation::CreateLayout { result, dimensions, .. } => {
            writes.push((of(*result), layout_words(*dimensions)));
            sharing = Sharing::Uniform;
        }
        Operation::ChangeLayout { result, source, dimensions, values, .. } => {
            reads.push((of(*source), layout_words(*dimensions)));
            reads.extend(values.iter().map(|value| (of(*value), 1)));
            writes.push((of(*result), layout_words(*dimensions)));
            sharing = Sharing::Uniform;
        }
        Operation::CreateView { result, view } => {
            writes.push((of(*result), view_words(view)));
            sharing = Sharing::Uniform;
        }
        Operation::ChangeView { result, source, view, values, .. } => {
            reads.push((of(*source), view_words(view)));
            reads.extend(values.iter().map(|value| (of(*value), 1)));
            writes.push((of(*result), view_words(view)));
            sharing = Sharing::Uniform;
        }
    }
    Effects { reads, writes, sharing, across: true }
}

/// Words of a tensor layout, and of a view.
fn layout_words(dimensions: usize) -> u32 {
    TensorLayout::new(dimensions, ClampMode::Undefined).to_words().len() as u32
}

fn view_words(view: &TensorView) -> u32 {
    view.to_words().len() as u32
}

fn tensor(tensor: &Tensor, of: &impl Fn(Slot) -> u32) -> SmallVec<[Run; 3]> {
    let mut reads =
        smallvec![(of(tensor.pointer.slot), 2), (of(tensor.layout), layout_words(tensor.dimensions))];
    reads.extend(tensor.view.as_ref().map(|(slot, view)| (of(*slot), view_words(view))));
    reads
}
