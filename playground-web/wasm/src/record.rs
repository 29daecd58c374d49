//! Keeps what instructions on matrices and cooperative vectors read and made in one subgroup of a run, for the page's matrix views.
//!
//! A [`Recorder`] looks at the run; its [`Recording`] is asked afterwards, or while it runs. Matrices are not copied: their `Arc`s are
//! kept. Memory is bounded: the oldest operations go first, and are counted.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use coopmat_simulator::Observer;
use coopmat_simulator::matrix::tensor::{ClampMode, Place};
use coopmat_simulator::matrix::{Matrix, Scope};
use coopmat_simulator::observer::{
    Addressing, At, LaneArrays, MatrixValues, Memory, TensorAddressing, VectorValues, Wants,
};
use coopmat_spirv::spirv::ComponentType;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// What to record.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub workgroup: [u32; 3],
    /// Matrices of workgroup scope are recorded whichever it is.
    pub subgroup: u32,
    /// These instructions alone.
    pub instructions: Option<FxHashSet<u32>>,
    /// Bytes that are kept, about.
    pub limit: usize,
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted { workgroup: [0; 3], subgroup: 0, instructions: None, limit: 16 << 20 }
    }
}

/// The most operations that are kept, whatever they take.
const MOST_EVENTS: usize = 4096;

/// An operation, as it happened.
struct Event {
    at: At,
    operation: &'static str,
    operands: Vec<Arc<Matrix>>,
    result: Option<Arc<Matrix>>,
    memory: Option<Memory>,
    array: Option<LaneArrays>,
    array_result: Option<LaneArrays>,
    start: Option<u32>,
    vectors: Option<VectorValues>,
}

impl Event {
    fn matrices(&self) -> impl Iterator<Item = &Arc<Matrix>> {
        self.operands.iter().chain(&self.result)
    }

    /// Bytes besides the matrices.
    fn own_bytes(&self) -> usize {
        let arrays = [&self.array, &self.array_result].into_iter().flatten();
        let tensor = match self.memory.as_ref().map(|memory| &memory.addressing) {
            Some(Addressing::Tensor(tensor)) => std::mem::size_of_val(tensor.elements.as_slice()),
            _ => 0,
        };
        let starts = self.vectors.as_ref().and_then(|vectors| vectors.starts.as_ref());
        let starts = starts.map_or(0, |starts| std::mem::size_of_val(starts.offsets.as_slice()));
        arrays.map(|array| array.words.len() * 5).sum::<usize>() + tensor + starts + 256
    }
}

#[derive(Default)]
struct Kept {
    events: VecDeque<Event>,
    /// How often each matrix is named, by its address.
    uses: FxHashMap<usize, u32>,
    bytes: usize,
    dropped: u64,
}

impl Kept {
    fn add(&mut self, event: Event, limit: usize) {
        for matrix in event.matrices() {
            let uses = self.uses.entry(address(matrix)).or_default();
            *uses += 1;
            if *uses == 1 {
                self.bytes += matrix.bytes() as usize;
            }
        }
        self.bytes += event.own_bytes();
        self.events.push_back(event);
        while (self.bytes > limit || self.events.len() > MOST_EVENTS) && self.events.len() > 1 {
            let Some(oldest) = self.events.pop_front() else { break };
            self.dropped += 1;
            self.bytes -= oldest.own_bytes();
            for matrix in oldest.matrices() {
                if let Some(uses) = self.uses.get_mut(&address(matrix)) {
                    *uses -= 1;
                    if *uses == 0 {
                        self.uses.remove(&address(matrix));
                        self.bytes -= matrix.bytes() as usize;
                    }
                }
            }
        }
    }
}

/// Which matrix it is: held, its address is nobody else's.
fn address(matrix: &Arc<Matrix>) -> usize {
    Arc::as_ptr(matrix) as usize
}

/// Looks at a run.
pub struct Recorder {
    wanted: Wanted,
    here: bool,
    kept: Arc<Mutex<Kept>>,
}

/// What a recorder kept.
#[derive(Clone)]
pub struct Recording(Arc<Mutex<Kept>>);

/// A recorder, and what it will have kept.
pub fn recorder(wanted: Wanted) -> (Recorder, Recording) {
    let kept = Arc::new(Mutex::new(Kept::default()));
    (Recorder { wanted, here: false, kept: kept.clone() }, Recording(kept))
}

impl Observer for Recorder {
    /// Asked when a workgroup begins: all others run as if nobody looked.
    fn wants(&self) -> Wants {
        Wants { values: self.here, ..Wants::default() }
    }

    fn workgroup_started(&mut self, workgroup: [u32; 3]) {
        self.here = workgroup == self.wanted.workgroup;
    }

    fn workgroup_ended(&mut self, _workgroup: [u32; 3]) {
        self.here = false;
    }

    fn matrix_values(&mut self, at: &At, values: &MatrixValues<'_>) {
        let together = || {
            let mut matrices = values.operands.iter().chain(values.result);
            matrices.any(|matrix| matrix.type_().scope == Scope::Workgroup)
        };
        let chosen = self.wanted.instructions.as_ref().is_none_or(|chosen| chosen.contains(&at.instruction));
        if !chosen || at.subgroup != self.wanted.subgroup && !together() {
            return;
        }
        let event = Event {
            at: *at,
            operation: values.operation,
            operands: values.operands.to_vec(),
            result: values.result.cloned(),
            memory: values.memory.cloned(),
            array: values.array.cloned(),
            array_result: values.array_result.cloned(),
            start: values.start,
            vectors: values.vectors.cloned(),
        };
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).add(event, self.wanted.limit);
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "RecordingIndex"))]
pub(crate) struct Index {
    /// Operations that were let go because they were too many.
    dropped: u64,
    events: Vec<EventIndex>,
    matrices: Vec<MatrixIndex>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct EventIndex {
    operation: &'static str,
    instruction: u32,
    workgroup: [u32; 3],
    subgroup: u32,
    path: Option<String>,
    /// From 0.
    line: Option<u32>,
    operands: Vec<usize>,
    result: Option<usize>,
    memory: Option<MemoryIndex>,
    array: Option<ArrayIndex>,
    array_result: Option<ArrayIndex>,
    start: Option<u32>,
    vectors: Option<VectorsIndex>,
}

/// Offsets count bytes of the data.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct MatrixIndex {
    component: &'static str,
    rows: u32,
    columns: u32,
    #[serde(rename = "use")]
    use_: &'static str,
    scope: String,
    /// The elements in rows as 64-bit floating-point numbers.
    values: usize,
    /// Their bits, each in its bytes, low ones first.
    bits: usize,
    /// A bit for each element that is undefined, the first one lowest.
    undefined: Option<usize>,
    /// Of an accumulator whose headroom is measured.
    sums: Option<SumsIndex>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct SumsIndex {
    /// How many have been added to each element.
    products: u64,
    /// The elements in rows if nothing had been rounded, as 64-bit floating-point numbers; NaN where an operand was not finite.
    values: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct MemoryIndex {
    name: String,
    offset: u64,
    size: u32,
    stride: Option<u64>,
    layout: Option<String>,
    /// Whether the matrix is transposed before it is multiplied.
    transposed: bool,
    tensor: Option<TensorIndex>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct TensorIndex {
    clamp_mode: &'static str,
    clamp_value: u32,
    dimension: Vec<u32>,
    stride: Vec<u32>,
    offset: Vec<i32>,
    span: Vec<u32>,
    block_size: Vec<u32>,
    view: Option<ViewIndex>,
    /// Of each element in rows, as 32-bit words: what becomes of it (0 an element, 1 clipped, 2 clamped, 3 outside although the clamp mode is
    /// Undefined), its index in memory, the coordinate that it asks for, the coordinate that it gets.
    elements: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ViewIndex {
    has_dimensions: bool,
    permutation: Vec<u8>,
    dimension: Vec<u32>,
    stride: Vec<u32>,
    clip: [u32; 4],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct ArrayIndex {
    width: u32,
    length: u32,
    lanes: u32,
    /// Words at `lane * length + i`, then a byte for each that is not zero where it is undefined.
    offset: usize,
}

/// An operation on cooperative vectors: its matrices of vectors have a row for each invocation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct VectorsIndex {
    /// The invocations of the subgroup that take part.
    active: Vec<usize>,
    /// The constants that say how the input, the matrix and the bias are interpreted.
    interpretations: Vec<String>,
    starts: Option<StartsIndex>,
}

/// Where the vector of each invocation, or its bias, begins in memory.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
struct StartsIndex {
    name: String,
    offsets: Vec<u64>,
    size: u32,
}

/// Data behind an index.
#[derive(Default)]
struct Packer {
    data: Vec<u8>,
    matrices: Vec<MatrixIndex>,
    known: FxHashMap<usize, usize>,
}

impl Packer {
    fn align(&mut self) -> usize {
        self.data.resize(self.data.len().next_multiple_of(8), 0);
        self.data.len()
    }

    fn matrix(&mut self, matrix: &Arc<Matrix>) -> usize {
        if let Some(known) = self.known.get(&address(matrix)) {
            return *known;
        }
        let type_ = matrix.type_();
        let values = self.align();
        for index in 0..type_.count() {
            self.data.extend_from_slice(&matrix.number(index).to_le_bytes());
        }
        let bits = self.align();
        let size = type_.component.bytes() as usize;
        for index in 0..type_.count() {
            self.data.extend_from_slice(&matrix.get(index).to_le_bytes()[..size.min(8)]);
        }
        let undefined = matrix.any_undefined().then(|| {
            let offset = self.align();
            for first in (0..type_.count()).step_by(8) {
                let byte = (0..8).map(|bit| u8::from(matrix.is_undefined(first + bit)) << bit).sum();
                self.data.push(byte);
            }
            offset
        });
        let sums = matrix.sums().map(|sums| {
            let values = self.align();
            for index in 0..type_.count() {
                self.data.extend_from_slice(&sums.value(index).to_le_bytes());
            }
            SumsIndex { products: sums.products(), values }
        });
        self.matrices.push(MatrixIndex {
            component: type_.component.name(),
            rows: type_.rows,
            columns: type_.columns,
            use_: type_.use_.name(),
            scope: type_.scope.to_string(),
            values,
            bits,
            undefined,
            sums,
        });
        self.known.insert(address(matrix), self.matrices.len() - 1);
        self.matrices.len() - 1
    }

    fn array(&mut self, array: &LaneArrays) -> ArrayIndex {
        let offset = self.align();
        self.data.extend(array.words.iter().flat_map(|word| word.to_le_bytes()));
        self.data.extend(array.undefined.iter().map(|undefined| u8::from(*undefined)));
        ArrayIndex { width: array.width, length: array.length, lanes: array.lanes, offset }
    }

    fn tensor(&mut self, tensor: &TensorAddressing) -> TensorIndex {
        let layout = &tensor.layout;
        let used = layout.dimensions;
        let elements = self.align();
        for (wanted, place) in &tensor.elements {
            let (state, index, got) = match place {
                Place::Clipped => (1, 0, None),
                Place::Clamped => (2, 0, None),
                Place::Element { index, block, in_block, outside } => {
                    let got = |dim: usize| {
                        block[dim].wrapping_mul(layout.block_size[dim]).wrapping_add(in_block[dim])
                    };
                    (if *outside { 3 } else { 0 }, *index, Some(got))
                }
            };
            let mut word = |word: u32| self.data.extend_from_slice(&word.to_le_bytes());
            word(state);
            word(index);
            (0..used).for_each(|dim| word(wanted.map_or(0, |wanted| wanted[dim] as u32)));
            (0..used).for_each(|dim| word(got.map_or(0, |got| got(dim))));
        }
        TensorIndex {
            clamp_mode: match layout.clamp_mode {
                ClampMode::Undefined => "Undefined",
                ClampMode::Constant => "Constant",
                ClampMode::ClampToEdge => "ClampToEdge",
                ClampMode::Repeat => "Repeat",
                ClampMode::RepeatMirrored => "RepeatMirrored",
            },
            clamp_value: layout.clamp_value,
            dimension: layout.dimension[..used].to_vec(),
            stride: layout.stride[..used].to_vec(),
            offset: layout.offset[..used].to_vec(),
            span: layout.span[..used].to_vec(),
            block_size: layout.block_size[..used].to_vec(),
            view: tensor.view.map(|view| ViewIndex {
                has_dimensions: view.has_dimensions,
                permutation: view.permutation[..view.dimensions].to_vec(),
                dimension: view.dimension[..view.dimensions].to_vec(),
                stride: view.stride[..view.dimensions].to_vec(),
                clip: view.clip,
            }),
            elements,
        }
    }

    fn memory(&mut self, memory: &Memory) -> MemoryIndex {
        let mut is_transposed = false;
        let (stride, layout, tensor) = match &memory.addressing {
            Addressing::Strided(placement) => {
                (Some(placement.stride), Some(format!("{:?}", placement.layout)), None)
            }
            Addressing::Tensor(tensor) => (None, None, Some(self.tensor(tensor))),
            Addressing::VectorMatrix { layout, stride, transposed } => {
                is_transposed = *transposed;
                ((!layout.is_optimal()).then_some(*stride), Some(format!("{layout:?}")), None)
            }
        };
        MemoryIndex {
            name: memory.name.clone(),
            offset: memory.offset,
            size: memory.size,
            stride,
            layout,
            transposed: is_transposed,
            tensor,
        }
    }
}

fn vectors_index(vectors: &VectorValues, mask: u128) -> VectorsIndex {
    let name = |number: &u32| match ComponentType::from_u32(*number) {
        Some(known) => format!("gl_ComponentType{known:?}"),
        None => number.to_string(),
    };
    VectorsIndex {
        active: (0..128).filter(|lane| mask >> lane & 1 != 0).collect(),
        interpretations: vectors.interpretations.iter().map(name).collect(),
        starts: vectors.starts.as_ref().map(|starts| StartsIndex {
            name: starts.name.clone(),
            offsets: starts.offsets.clone(),
            size: starts.size,
        }),
    }
}

impl Recording {
    /// Everything, as an index in JSON and the data that it points into. `place` tells the file and the line (from 0) of an instruction.
    pub fn pack(&self, place: &dyn Fn(u32) -> Option<(String, u32)>) -> (String, Vec<u8>) {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut packer = Packer::default();
        let events = kept.events.iter().map(|event| {
            let (path, line) = place(event.at.instruction).unzip();
            EventIndex {
                operation: event.operation,
                instruction: event.at.instruction,
                workgroup: event.at.workgroup,
                subgroup: event.at.subgroup,
                path,
                line,
                operands: event.operands.iter().map(|matrix| packer.matrix(matrix)).collect(),
                result: event.result.as_ref().map(|matrix| packer.matrix(matrix)),
                memory: event.memory.as_ref().map(|memory| packer.memory(memory)),
                array: event.array.as_ref().map(|array| packer.array(array)),
                array_result: event.array_result.as_ref().map(|array| packer.array(array)),
                start: event.start,
                vectors: event.vectors.as_ref().map(|vectors| vectors_index(vectors, event.at.mask)),
            }
        });
        let events = events.collect();
        let index = Index { dropped: kept.dropped, events, matrices: packer.matrices };
        // Numbers, strings and lists: nothing that JSON cannot hold.
        (serde_json::to_string(&index).unwrap_or_default(), packer.data)
    }
}

#[cfg(test)]
#[path = "record/tests.rs"]
mod tests;
