// What the page and the module say to each other, as JSON. Made by `cargo xtask generate` of the types in `playground-web/wasm/src`: change those.

/**
 * A load or store, and what it costs.
 */
export type AccessProfile = { 
/**
 * The source of the instruction.
 */
place?: SourcePlace, 
/**
 * The text of the line, where it is known.
 */
text?: string, 
/**
 * The instruction's index in the module; of several at one place the first.
 */
instruction: number, 
/**
 * `load`, `store` or `atomic`.
 */
operation: string, 
/**
 * The variable of shared memory or the buffer.
 */
memory: string, 
/**
 * The type of the matrix that is loaded or stored.
 */
matrix?: string, 
/**
 * How often subgroups did it.
 */
times: number, 
/**
 * Requests to memory, by the bytes of each lane in one.
 */
requests: { [key in number]: number }, 
/**
 * Of all lanes, each time again.
 */
bytes: number, 
/**
 * Of shared memory: how often its banks are asked, in all. None where that is not known.
 */
passes?: number, 
/**
 * As many as it would take without conflicts.
 */
"least-passes"?: number, 
/**
 * The most different words of one bank that lanes ask for at once: 4 is a 4-way conflict.
 */
ways?: number, 
/**
 * Of shared memory with conflicts: what other strides would do.
 */
strides?: ProfiledStrides, 
/**
 * Of buffers: sectors that lanes touch, each counted once each time.
 */
sectors?: number, 
/**
 * Sectors that as many different bytes fit into.
 */
"needed-sectors"?: number, 
/**
 * Of matrices in buffers: rows, or columns of a layout by columns.
 */
rows?: number, 
/**
 * Those of them that do not begin at a sector.
 */
"unaligned-rows"?: number, };

/**
 * The sums that one multiply-add adds to. Partial sums are those after each product, in double precision.
 */
export type Accumulator = { 
/**
 * The dispatch whose shader it is in, of several.
 */
dispatch?: string, 
/**
 * The source of the instruction.
 */
place?: SourcePlace, 
/**
 * The instruction's index in the module.
 */
instruction: number, 
/**
 * How many sums it has added to: elements of accumulators, each once from where it began.
 */
sums: number, 
/**
 * How many products the longest of them has.
 */
products: number, 
/**
 * How often the largest partial sum may double without overflowing; negative where it is beyond the range, infinite where all are zero.
 */
bits: Real, 
/**
 * The partial sum that is farthest from zero.
 */
largest?: PartialSum, 
/**
 * The largest factor of all products with which every partial sum would be in the range.
 */
scale: Real, 
/**
 * How many sums were beyond the range after some product, or became infinite.
 */
beyond: number, 
/**
 * The one of these that was so after the fewest products.
 */
first?: PartialSum, 
/**
 * How many became infinite or NaN with the numerics of the run.
 */
infinite: number, 
/**
 * Sums with an infinite or NaN operand, of which nothing else is told.
 */
excluded: number, };

export type ArrayIndex = { width: number, length: number, lanes: number, 
/**
 * Words at `lane * length + i`, then a byte for each that is not zero where it is undefined.
 */
offset: number, };

/**
 * Work of a workgroup.
 */
export type BetweenBarriers = { 
/**
 * Instructions of all its subgroups.
 */
instructions: number, 
/**
 * Operations in multiply-adds.
 */
operations: number, 
/**
 * Bytes of buffers.
 */
bytes: number, };

export type Binding = { set: number, binding: number, 
/**
 * What a recipe calls it.
 */
name: string | null, block: string, kind: BindingKind, 
/**
 * Null where the shader leaves it open.
 */
count: number | null, readonly: boolean, bytes: number, type: string | null, };

/**
 * What a descriptor refers to.
 */
export type BindingKind = "buffer" | "uniform" | "image" | "sampled image" | "sampler";

/**
 * A breakpoint as the page says it.
 */
export type Breakpoint = { file: string, 
/**
 * Counted from 0.
 */
line: number, 
/**
 * An expression that has to hold for an active lane.
 */
condition?: string, 
/**
 * Of this one alone.
 */
workgroup?: [number, number, number], subgroup?: number, };

/**
 * A buffer of the recipe, as it was planned.
 */
export type BufferInfo = { name: string, bytes: number, 
/**
 * Null for a buffer of members alone.
 */
type: string | null, shape: Array<number>, layout: Layout, stride: number | null, offset: number | null, 
/**
 * Set, binding and index, of several dispatches in the first that has it; null for a buffer that is known by its address.
 */
descriptor: [number, number, number] | null, 
/**
 * Its place in a descriptor heap, in words.
 */
heap: string | null, uniform: boolean, 
/**
 * An image of the shader: texels, and their channels last.
 */
image: boolean, uninitialised: boolean, 
/**
 * The reference that it is compared with.
 */
expectation: string | null, };

/**
 * A buffer, and what was read and written there.
 */
export type BufferTraffic = { 
/**
 * As the recipe calls it.
 */
buffer: string, 
/**
 * In all, each time again.
 */
read: number, 
/**
 * In all, each time again.
 */
written: number, 
/**
 * Different bytes that were read.
 */
"distinct-read": number, 
/**
 * Different bytes that were written.
 */
"distinct-written": number, };

/**
 * Over the first of the recipe's modes.
 */
export type Choices = { numerics?: string, ownership?: string, decode?: string, subgroupSize?: number, checked: boolean, 
/**
 * Checked mode also reports two invocations that write the same value to one place, and values that they pass through memory which is not coherent.
 */
strict: boolean, 
/**
 * Not checked, even where the recipe expects findings: as the runs are behind the verdicts of ownerships.
 */
unchecked: boolean, 
/**
 * Measure how far `float16_t` accumulators are from overflowing.
 */
headroom: boolean, 
/**
 * Keep what matrix instructions of one subgroup read and made, for the matrix views.
 */
record?: Recorder, };

/**
 * A specialization constant.
 */
export type Constant = { id: number, name: string | null, type: string | null, 
/**
 * The shader's own value.
 */
default: number, value: number, };

/**
 * Of checked mode.
 */
export type DebuggerFinding = { kind: string, message: string, place: Place | null, };

/**
 * Everything about a run before it begins. What cannot be told is null.
 */
export type Description = { problems: Array<Problem>, interface: Interface | null, 
/**
 * As its schema has it.
 */
recipe: Record<string, unknown> | null, plan: Plan | null, 
/**
 * Texts that modules hold of their sources, and that are no files of the page.
 */
sources: Array<Source>, };

export type Device = { name: string, title: string, };

/**
 * One dispatch of several.
 */
export type DispatchInfo = { name: string, 
/**
 * What the page calls its shader's file.
 */
shader: string, workgroups: [number, number, number], };

/**
 * What a dispatch costs.
 */
export type DispatchProfile = { 
/**
 * Its name, of several.
 */
dispatch?: string, 
/**
 * Instructions that subgroups executed.
 */
instructions: number, 
/**
 * Those of them that are on matrices.
 */
"matrix-instructions": number, 
/**
 * Barriers of the workgroup that all its subgroups passed, in all workgroups.
 */
barriers: number, 
/**
 * Workgroups that ran.
 */
workgroups: number, 
/**
 * Two for each multiplication and addition inside of matrix multiplies.
 */
"matrix-flops": number, 
/**
 * Of all buffers together.
 */
traffic: Traffic, 
/**
 * `matrix-flops` for each byte that is read from or written to buffers, each time again; none without such bytes.
 */
intensity: number | null, 
/**
 * The same, with each byte counted once if it is read and once if it is written: what a cache that forgets nothing would leave.
 */
"largest-intensity": number | null, 
/**
 * Loads and stores of shared memory, those with the most passes first.
 */
shared: Array<AccessProfile>, 
/**
 * Loads and stores of buffers, those with the most sectors first.
 */
global: Array<AccessProfile>, 
/**
 * What was read from and written to each buffer.
 */
buffers: Array<BufferTraffic>, 
/**
 * Which limit of the device is met first.
 */
roofline: Roofline, 
/**
 * Loops, each without the loops inside, those with the most instructions first.
 */
loops: Array<ProfiledLoop>, 
/**
 * The registers that matrices take; none if that is not known.
 */
registers?: ProfiledRegisters, 
/**
 * Lines, those with the most instructions first.
 */
lines: Array<LineProfile>, };

/**
 * What an expression is.
 */
export type Evaluated = Value | { error: string, };

export type EventIndex = { operation: string, instruction: number, workgroup: [number, number, number], subgroup: number, path: string | null, 
/**
 * From 0.
 */
line: number | null, operands: Array<number>, result: number | null, memory: MemoryIndex | null, array: ArrayIndex | null, arrayResult: ArrayIndex | null, start: number | null, vectors: VectorsIndex | null, };

export type Expectation = { 
/**
 * The index of the buffer.
 */
buffer: number, reference: string, };

/**
 * A first recipe.
 */
export type FirstRecipe = { text: string, 
/**
 * What it expects, as its schema has it.
 */
expect: Record<string, unknown>[], } | { problem: Problem, };

/**
 * A call.
 */
export type Frame = { function: string, place: Place | null, instruction: number, 
/**
 * Lanes as digits, `1` for those that run.
 */
active: string, 
/**
 * `1` for those that have not returned.
 */
live: string, 
/**
 * Lanes are elements of a matrix.
 */
elements: boolean, };

/**
 * How far `float16_t` accumulators are from overflowing.
 */
export type Headroom = { 
/**
 * For each multiply-add of the module with such an accumulator that was executed.
 */
accumulators: Array<Accumulator>, 
/**
 * Of each buffer that the run has written and left with infinite elements or NaN.
 */
infinite: Array<InfiniteElements>, };

/**
 * Matrices that are held.
 */
export type HeldMatrices = { 
/**
 * The variable; empty of a value without a name.
 */
name: string, 
/**
 * `f32 16x16 accumulator`.
 */
matrix: string, 
/**
 * How many of them: the elements of an array.
 */
count: number, 
/**
 * Registers of 32 bits of each invocation.
 */
registers: number, };

/**
 * Registers at a place.
 */
export type HeldRegisters = { 
/**
 * Of 32 bits, of each invocation.
 */
registers: number, 
/**
 * The place before which it is held.
 */
place?: SourcePlace, 
/**
 * The matrices, the largest first.
 */
matrices: Array<HeldMatrices>, };

/**
 * Elements of a buffer that are infinite or NaN after the run.
 */
export type InfiniteElements = { 
/**
 * The buffer's name.
 */
buffer: string, 
/**
 * How many there are.
 */
elements: number, 
/**
 * Their indices in the order of the shape: the first 65,536.
 */
listed: Array<Array<number>>, };

/**
 * What the module wants to be given.
 */
export type Interface = { workgroupSize: [number, number, number], subgroupSize: number | null, bindings: Array<Binding>, pushConstants: PushConstants | null, specialization: Array<Constant>, };

/**
 * How verdicts of ownerships go on.
 */
export type JudgedAnswer = { 
/**
 * Those that are new since the last answer.
 */
rows: Array<OwnershipVerdict>, 
/**
 * How many there will be in the end.
 */
all: number, 
/**
 * With the last one: what all of them say together.
 */
notes: Array<string> | null, };

export type LaneValues = { 
/**
 * One text for all lanes, or one for each; null where a lane has none.
 */
values: Array<string | null>, 
/**
 * Lanes as digits, `1` where the value is undefined.
 */
undefined?: string, };

/**
 * How a matrix is laid out in memory.
 */
export type Layout = "row-major" | "column-major" | "inferencing-optimal" | "training-optimal";

/**
 * A line of the source, and what it costs.
 */
export type LineProfile = { 
/**
 * As the host names the file; none of instructions without a place.
 */
path?: string, 
/**
 * From 1; 0 of instructions without a place.
 */
line: number, 
/**
 * The text, where it is known.
 */
text?: string, 
/**
 * Instructions that subgroups executed, without those that end blocks.
 */
instructions: number, 
/**
 * The same, times the invocations that were active.
 */
"lane-instructions": number, 
/**
 * Operations in multiply-adds of cooperative matrices.
 */
"matrix-flops": number, 
/**
 * Passes of shared memory, as far as they are known.
 */
passes: number, 
/**
 * Sectors of buffers.
 */
sectors: number, };

/**
 * A line of the source, and what it did in all dispatches together.
 */
export type LineWork = { 
/**
 * As the host names the file.
 */
path: string, 
/**
 * From 1.
 */
line: number, 
/**
 * Instructions that subgroups executed, without those that end blocks.
 */
instructions: number, 
/**
 * Bytes that were read and written; what all invocations of a subgroup read alike counts once. None where machine code ran.
 */
bytes?: number, 
/**
 * Passes of shared memory, of a run with a profile on a device whose banks are known.
 */
passes?: number, 
/**
 * Those of them that conflicts cost.
 */
"extra-passes"?: number, };

/**
 * What there is to choose from.
 */
export type Lists = { numerics: Array<string>, ownerships: Array<string>, decodes: Array<string>, devices: Array<Device>, 
/**
 * Types of elements: single numbers, and blocks that share a scale.
 */
components: Array<string>, blocks: Array<string>, 
/**
 * How a matrix may lie in memory.
 */
layouts: Array<string>, };

/**
 * Offsets count bytes of the data.
 */
export type MatrixIndex = { component: string, rows: number, columns: number, use: string, scope: string, 
/**
 * The elements in rows as 64-bit floating-point numbers.
 */
values: number, 
/**
 * Their bits, each in its bytes, low ones first.
 */
bits: number, 
/**
 * A bit for each element that is undefined, the first one lowest.
 */
undefined: number | null, 
/**
 * Of an accumulator whose headroom is measured.
 */
sums: SumsIndex | null, };

/**
 * What a matrix is, without its elements.
 */
export type MatrixInfo = { 
/**
 * As GLSL calls the type: `float16_t`.
 */
component: string, 
/**
 * Its rows.
 */
rows: number, 
/**
 * Its columns.
 */
columns: number, 
/**
 * `A`, `B` or `Accumulator`.
 */
use: string, 
/**
 * `subgroup` or `workgroup`.
 */
scope: string, 
/**
 * Whether anything was ever stored in it.
 */
written: boolean, 
/**
 * Elements in rows as digits, `1` for those that are undefined.
 */
undefined?: string, };

export type Member = { name: string, type: string, count: number, offset: number, };

export type MemoryIndex = { name: string, offset: number, size: number, stride: number | null, layout: string | null, 
/**
 * Whether the matrix is transposed before it is multiplied.
 */
transposed: boolean, tensor: TensorIndex | null, };

/**
 * A finding that the recipe expects.
 */
export type Missing = { 
/**
 * Its id, such as `out-of-bounds`.
 */
kind: string, 
/**
 * The line of the shader, from 1.
 */
line: number, 
/**
 * The dispatch that it was expected in, where the recipe says one.
 */
dispatch?: string, };

/**
 * The choices that a shader may not depend on.
 */
export type Modes = { 
/**
 * Invocations of a subgroup.
 */
"subgroup-size": number, 
/**
 * How matrices are multiplied, and numbers rounded: `sequential`, `exact:rtz`.
 */
numerics: string, 
/**
 * Who owns which element: a name such as `plain`, or the path of a table.
 */
ownership: string, 
/**
 * Which decode function tensor loads call: `vector`, `scalar` or `mixed`.
 */
decode: string, 
/**
 * Whether undefined behaviour is looked for.
 */
checked: boolean, 
/**
 * Whether that includes invocations that write the same value to one place.
 */
strict: boolean, 
/**
 * Whether the range of `float16_t` accumulators is measured.
 */
headroom: boolean, };

/**
 * How one expectation fared.
 */
export type Outcome = { 
/**
 * The buffer's name.
 */
buffer: string, 
/**
 * The dispatch after which it was compared, of several.
 */
after?: string, 
/**
 * The reference operation.
 */
reference: string, 
/**
 * Whether all its elements are within the tolerance.
 */
met: boolean, 
/**
 * Elements that were compared.
 */
elements: number, 
/**
 * Elements outside of the tolerance.
 */
wrong: number, 
/**
 * The largest distance from what was expected.
 */
"max-absolute": Real, 
/**
 * The largest distance, as a share of what was expected.
 */
"max-relative": Real, 
/**
 * The largest distance in numbers of the buffer's type.
 */
"max-ulp": Real, 
/**
 * What the wrong elements have in common, in words: where they are, and what they hold instead.
 */
patterns?: Array<string>, 
/**
 * The element that is farthest off, when one is.
 */
worst?: Worst, };

/**
 * The verdict of one ownership at one size of subgroups.
 */
export type OwnershipVerdict = { 
/**
 * As `--ownership` takes it.
 */
ownership: string, 
/**
 * Invocations of a subgroup.
 */
subgroupSize: number, 
/**
 * What the run showed.
 */
verdict: Verdict, 
/**
 * The same in a word or two.
 */
words: string, 
/**
 * The first ownership of this size that met every expectation, whose results the run's were compared with. None of that itself.
 */
comparedWith?: string, 
/**
 * Why, and what the ownership does not know of the shader's matrices: sentences without a full stop.
 */
reasons: Array<string>, };

export type Part = { name: string, value: Value, };

/**
 * A sum after some of its products.
 */
export type PartialSum = { 
/**
 * With what the accumulator held before the first product.
 */
value: number, 
/**
 * The product that was added last, counted from 0 from where the sum began.
 */
k: number, 
/**
 * `gl_WorkGroupID`.
 */
workgroup: [number, number, number], 
/**
 * `gl_SubgroupID`.
 */
subgroup: number, 
/**
 * Of the element in the accumulator.
 */
row: number, 
/**
 * Of the element in the accumulator.
 */
column: number, };

/**
 * A range of a file.
 */
export type Place = { 
/**
 * The name of the page's file.
 */
file: string, start: Position, end: Position, };

/**
 * The recipe, applied to the module.
 */
export type Plan = { 
/**
 * Workgroups of the first dispatch.
 */
dispatch: [number, number, number], 
/**
 * Those of a recipe that lists its dispatches, in their order.
 */
dispatches: Array<DispatchInfo>, modes: Modes, stepLimit: number | null, buffers: Array<BufferInfo>, expectations: Array<Expectation>, };

/**
 * Counted from 0; columns in UTF-16.
 */
export type Position = { line: number, character: number, };

/**
 * Why something cannot be done, and where that is.
 */
export type Problem = { message: string, place?: Place | null, };

/**
 * What a run costs.
 */
export type Profile = { 
/**
 * The name of the device profile whose banks are assumed.
 */
device?: string, 
/**
 * The banks of shared memory; without them passes are not known.
 */
banks?: ReportedBanks, 
/**
 * Bytes of a sector.
 */
sector: number, 
/**
 * Who owns which element of a matrix.
 */
ownership: string, 
/**
 * What is assumed or not known, in sentences without a full stop.
 */
notes: Array<string>, 
/**
 * In the order in which they ran.
 */
dispatches: Array<DispatchProfile>, };

/**
 * A loop that ran, without the loops inside.
 */
export type ProfiledLoop = { 
/**
 * Where it begins.
 */
place?: SourcePlace, 
/**
 * Instructions that subgroups executed in it, without those that end blocks.
 */
instructions: number, 
/**
 * Those of them that begin with `OpCooperativeMatrix`: loads, stores, multiply-adds and their like.
 */
"matrix-operations": number, 
/**
 * Those of them that are multiply-adds.
 */
"multiply-adds": number, 
/**
 * Whether it calls functions, whose instructions are not counted.
 */
calls: boolean, };

/**
 * Operations in multiply-adds of the same types.
 */
export type ProfiledProducts = { 
/**
 * The component type of A.
 */
a: string, 
/**
 * The component type of B.
 */
b: string, 
/**
 * The component type of the result.
 */
result: string, 
/**
 * Two for each multiplication and addition.
 */
operations: number, 
/**
 * What the device does in a second, in 10^9; none if it is not known.
 */
gigaops?: number, };

/**
 * The registers that matrices take.
 */
export type ProfiledRegisters = { 
/**
 * The most that results of multiply-adds take: no compiler can avoid them, as they are in no memory from which they could be loaded.
 */
bound: HeldRegisters, 
/**
 * The most that all matrices take if everything is done in the order of the module.
 */
"as-written": HeldRegisters, 
/**
 * What is not in the figures, in sentences without a full stop.
 */
notes: Array<string>, 
/**
 * How much of the device that takes; none if the device's registers are not known.
 */
residency?: Residency, };

/**
 * A stride, and what it costs.
 */
export type ProfiledStride = { 
/**
 * In bytes.
 */
bytes: number, 
/**
 * The same in components of the matrix, or in elements of the array; none if it is no whole number of them.
 */
components?: number, 
/**
 * Passes of the access.
 */
passes: number, 
/**
 * Passes of all loads and stores of the array.
 */
"array-passes": number, 
/**
 * As many as those would take without conflicts.
 */
"array-least": number, 
/**
 * The shared memory of all variables, in bytes.
 */
"shared-memory": number, 
/**
 * How much more that is than now, in bytes; less than 0 if it is less.
 */
more: number, 
/**
 * Whether the device has as much for a workgroup; none if its limit is not known.
 */
fits?: boolean, };

/**
 * What other strides would do for an access with conflicts: from one row of its array to the next.
 */
export type ProfiledStrides = { 
/**
 * Why nothing is predicted, in words; the rest is empty then.
 */
"not-predicted"?: string, 
/**
 * The stride that it has, in bytes.
 */
now: number, 
/**
 * Bytes of a component of the matrix, or of an element of the array, in which strides are told as well.
 */
component: number, 
/**
 * What strides are multiples of, in bytes: the alignment of matrices (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986), of the widest access of
 * an invocation, of an element.
 */
alignment: number, 
/**
 * Strides without conflicts in this access, those that need the least shared memory first.
 */
free: Array<ProfiledStride>, 
/**
 * If no stride is free of conflicts: the one with the fewest passes.
 */
fewest?: ProfiledStride, };

export type PushConstants = { bytes: number, members: Array<Member>, };

/**
 * How a run ended.
 */
export type RanAnswer = { 
/**
 * As `run --json` prints it.
 */
report: Report, 
/**
 * The ranges of its findings, in their order.
 */
findingPlaces: Array<Place | null>, 
/**
 * What each line did, by the page's names of files.
 */
lines: Array<LineWork>, };

/**
 * JSON has no infinity and no NaN: these are text.
 */
export type Real = number | "inf" | "-inf" | "NaN";

/**
 * Why a motion ended.
 */
export type Reason = { "kind": "step" } | { "kind": "breakpoint", index: number, } | { "kind": "finding" } | { "kind": "time" } | { "kind": "start" } | { "kind": "end" } | { "kind": "error", message: string, } | { "kind": "cancelled" };

/**
 * Which subgroup's matrices are kept, and of which line alone.
 */
export type Recorder = { 
/**
 * The dispatch, counted from 0; by default the first one.
 */
dispatch?: number, workgroup: [number, number, number], subgroup: number, 
/**
 * The page's file, and the line from 0.
 */
line?: [string, number], };

export type RecordingIndex = { 
/**
 * Operations that were let go because they were too many.
 */
dropped: number, events: Array<EventIndex>, matrices: Array<MatrixIndex>, };

/**
 * Everything about one run.
 */
export type Report = { 
/**
 * The shader's path, as the host names it.
 */
shader: string, 
/**
 * The recipe's path, as the host names it.
 */
recipe?: string, 
/**
 * Whether every expectation is met, no finding is left over, and none is missing.
 */
met: boolean, 
/**
 * Why there are no results, when the run ended early.
 */
error?: RunError, 
/**
 * What was chosen for this run.
 */
modes: Modes, 
/**
 * Workgroups in each direction; of several dispatches those of the first.
 */
dispatch: [number, number, number], 
/**
 * Invocations in each direction; of several dispatches those of the first.
 */
"workgroup-size": [number, number, number], 
/**
 * The dispatches of a recipe that lists them, in their order.
 */
dispatches?: Array<ReportedDispatch>, 
/**
 * In the order of the recipe; none where the run ended early.
 */
expectations: Array<Outcome>, 
/**
 * What checked mode found, 200 at most.
 */
findings: Array<ReportedFinding>, 
/**
 * Findings that the recipe expects and that there are none of.
 */
"missing-findings"?: Array<Missing>, 
/**
 * How far `float16_t` accumulators are from overflowing, where that was asked for.
 */
headroom?: Headroom, 
/**
 * What a user may want to know of the recipe, though it runs.
 */
notes?: Array<string>, 
/**
 * What the run did, to its end or until it ended early.
 */
work: Work, 
/**
 * For each dispatch, in their order, whether it ran as machine code; none where the host has the interpreter alone.
 */
tiers?: Array<ReportedTier>, 
/**
 * What debugPrintfEXT wrote.
 */
log?: Array<string>, 
/**
 * By the host's clock.
 */
seconds?: number, };

/**
 * The banks of shared memory.
 */
export type ReportedBanks = { 
/**
 * How many there are.
 */
count: number, 
/**
 * Bytes of a word.
 */
width: number, };

/**
 * One dispatch of several.
 */
export type ReportedDispatch = { 
/**
 * As the recipe calls it.
 */
name: string, 
/**
 * The path of its shader, as the host names it.
 */
shader: string, 
/**
 * Workgroups in each direction.
 */
workgroups: [number, number, number], 
/**
 * Invocations in each direction.
 */
"workgroup-size": [number, number, number], 
/**
 * What it did; nothing where the run ended before it.
 */
work?: Work, };

/**
 * Undefined behaviour that checked mode came upon, with its place in the source.
 */
export type ReportedFinding = { 
/**
 * Its id, such as `out-of-bounds`.
 */
kind: string, 
/**
 * In words, with the values.
 */
message: string, 
/**
 * The dispatch that it was made in, of several.
 */
dispatch?: string, 
/**
 * The source of the instruction.
 */
place?: SourcePlace, 
/**
 * The other party of a race.
 */
other?: SourcePlace, 
/**
 * The instruction's index in the module.
 */
instruction: number, 
/**
 * `gl_WorkGroupID`.
 */
workgroup: [number, number, number], 
/**
 * `gl_LocalInvocationIndex`.
 */
invocation: number, 
/**
 * Whether the recipe expects it.
 */
expected: boolean, 
/**
 * How often the same was found at the same place.
 */
times: number, };

/**
 * What ran a dispatch.
 */
export type ReportedTier = { 
/**
 * Machine code; otherwise the interpreter.
 */
compiled: boolean, 
/**
 * Why it was the interpreter, though the run was long: a clause.
 */
reason?: string, };

/**
 * How many subgroups can be resident at most on what NVIDIA calls a multiprocessor.
 */
export type Residency = { 
/**
 * Its registers of 32 bits.
 */
registers: number, 
/**
 * The most registers of one invocation; what is above is spilled to memory.
 */
"registers-per-invocation": number, 
/**
 * Whether the bound is above that.
 */
spills: boolean, 
/**
 * The most subgroups that the device has resident, whatever they need.
 */
"most-subgroups": number, 
/**
 * The most by registers: those of the bound.
 */
"by-registers": number, 
/**
 * The most by shared memory; none if the shader has none.
 */
"by-shared-memory"?: number, 
/**
 * The least of these.
 */
subgroups: number, };

/**
 * What a dispatch does, against what the device can do.
 */
export type Roofline = { 
/**
 * Operations of multiply-adds, by the types of the matrices, those with the most first.
 */
products: Array<ProfiledProducts>, 
/**
 * The bandwidth of the device's memory in 10^9 bytes a second; none if it is not known.
 */
bandwidth?: number, 
/**
 * Operations for each byte at which both limits are met at once, for this mix of types.
 */
ridge?: number, 
/**
 * Which limit is met first.
 */
limit: RooflineLimit, 
/**
 * What is not known, in words; none if the limit is known.
 */
"not-known"?: string, 
/**
 * The average work of a workgroup between two barriers, or one and its begin or end; none without barriers.
 */
"between-barriers"?: BetweenBarriers, };

/**
 * The limit that is met first.
 */
export type RooflineLimit = "memory" | "matrices" | "caches" | "not-known";

/**
 * Why a run ended early.
 */
export type RunError = { 
/**
 * In words, with what would help.
 */
message: string, 
/**
 * The dispatch that it is about, of several.
 */
dispatch?: string, 
/**
 * The source of the instruction that is to blame, where one is.
 */
place?: SourcePlace, };

/**
 * What is to be run, as the page says it.
 */
export type RunRequest = { 
/**
 * The name of the shader's file.
 */
shader: string, 
/**
 * The name of the recipe's file. Without one it follows from the shader.
 */
recipe?: string, 
/**
 * A device profile, over the recipe's.
 */
device?: string, 
/**
 * The name of a configuration. Without one the recipe's, or the project file's own choice.
 */
configuration?: string, 
/**
 * Values of specialization constants, over those of everything: a set of the project file, `recipe`, or `TM=64, TN=32`.
 */
specialization?: string, choices: Choices, 
/**
 * For the debugger: the dispatch that it runs, counted from 0, after those before it. The first one by default.
 */
dispatch?: number, };

/**
 * A text that is no file of the page.
 */
export type Source = { 
/**
 * What places call it.
 */
name: string, text: string, };

/**
 * Lines and columns from 1; columns count characters.
 */
export type SourcePlace = { 
/**
 * As the host names the file.
 */
path: string, 
/**
 * From 1.
 */
line: number, 
/**
 * From 1, in characters.
 */
column: number, };

/**
 * Where the vector of each invocation, or its bias, begins in memory.
 */
export type StartsIndex = { name: string, offsets: Array<number>, size: number, };

/**
 * Where the run stands. Time counts instructions.
 */
export type State = { reason: Reason | null, time: number, furthest: number, 
/**
 * The time at which the run ends, once it got there.
 */
end: number | null, workgroup: [number, number, number], subgroup: number, stack: Array<Frame>, subgroups: Array<Subgroup>, findings: Array<DebuggerFinding>, 
/**
 * What debugPrintfEXT wrote.
 */
log: Array<string>, modes: Modes, };

export type Step = string | number;

export type Subgroup = { index: number, status: string, place: Place | null, active: number, lanes: number, };

export type SumsIndex = { 
/**
 * How many have been added to each element.
 */
products: number, 
/**
 * The elements in rows if nothing had been rounded, as 64-bit floating-point numbers; NaN where an operand was not finite.
 */
values: number, };

export type TensorIndex = { clampMode: string, clampValue: number, dimension: Array<number>, stride: Array<number>, offset: Array<number>, span: Array<number>, blockSize: Array<number>, view: ViewIndex | null, 
/**
 * Of each element in rows, as 32-bit words: what becomes of it (0 an element, 1 clipped, 2 clamped, 3 outside although the clamp mode is
 * Undefined), its index in memory, the coordinate that it asks for, the coordinate that it gets.
 */
elements: number, };

/**
 * A change of a recipe's text.
 */
export type TomlEdit = { "kind": "set", path: Array<Step>, value: TomlValue, } | { "kind": "remove", path: Array<Step>, } | { "kind": "append", list: string, table: TomlTable, };

export type TomlNumber = { $number: TomlNumberName, };

export type TomlNumberName = "nan" | "inf" | "-inf" | "-0";

/**
 * A table, in the order that the page gives.
 */
export type TomlTable = { [key: string]: TomlValue };

/**
 * As JSON has values; numbers that it lacks are `{"$number": "nan"}`, with `inf`, `-inf` and `-0`.
 */
export type TomlValue = TomlNumber | boolean | number | number | string | Array<TomlValue> | TomlTable;

/**
 * Bytes that were read and written.
 */
export type Traffic = { 
/**
 * In all, each time again.
 */
read: number, 
/**
 * In all, each time again.
 */
written: number, 
/**
 * Different bytes that were read.
 */
"distinct-read": number, 
/**
 * Different bytes that were written.
 */
"distinct-written": number, };

/**
 * A value as the lanes have it: besides its text, what its lanes have, its parts, or the type of the matrix.
 */
export type Value = { type: string, 
/**
 * In one line.
 */
text: string, lanes?: LaneValues, parts?: Array<Part>, 
/**
 * How many parts there are, shown or not.
 */
count?: number, matrix?: MatrixInfo, };

export type Variable = { name: string, kind: string, value: Value, };

/**
 * An operation on cooperative vectors: its matrices of vectors have a row for each invocation.
 */
export type VectorsIndex = { 
/**
 * The invocations of the subgroup that take part.
 */
active: Array<number>, 
/**
 * The constants that say how the input, the matrix and the bias are interpreted.
 */
interpretations: Array<string>, starts: StartsIndex | null, };

/**
 * What a run under one ownership showed.
 */
export type Verdict = "met" | "wrong" | "depends" | "not-known";

export type ViewIndex = { hasDimensions: boolean, permutation: Array<number>, dimension: Array<number>, stride: Array<number>, clip: [number, number, number, number], };

/**
 * How much was done.
 */
export type Work = { 
/**
 * Instructions that subgroups executed.
 */
instructions: number, 
/**
 * The same by family; families without any are left out.
 */
"by-family": Array<[string, number]>, 
/**
 * Cooperative matrix multiply-adds.
 */
"matrix-multiplies": number, 
/**
 * Two for each multiplication and addition inside matrix multiplies.
 */
"matrix-flops": number, 
/**
 * By all invocations, and by matrix loads.
 */
"bytes-read": number, 
/**
 * By all invocations, and by matrix stores.
 */
"bytes-written": number, 
/**
 * Workgroups that have begun.
 */
workgroups: number, };

/**
 * An element, and what was expected of it.
 */
export type Worst = { 
/**
 * In each direction, in the order of the shape.
 */
index: Array<number>, 
/**
 * What the reference is.
 */
expected: Real, 
/**
 * What the buffer held.
 */
found: Real, 
/**
 * Both in all digits, where they are integers of 64 bits.
 */
exact?: [string, string], };
