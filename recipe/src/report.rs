//! What a run came to, for people and, as JSON, for programs.

use serde::{Serialize, Serializer};

/// Everything about one run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Report {
    /// The shader's path, as the host names it.
    pub shader: String,
    /// The recipe's path, as the host names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub recipe: Option<String>,
    /// Whether every expectation is met, no finding is left over, and none is missing.
    pub met: bool,
    /// Why there are no results, when the run ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub error: Option<Problem>,
    /// What was chosen for this run.
    pub modes: Modes,
    /// Workgroups in each direction; of several dispatches those of the first.
    pub dispatch: [u32; 3],
    /// Invocations in each direction; of several dispatches those of the first.
    pub workgroup_size: [u32; 3],
    /// The dispatches of a recipe that lists them, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<ReportedDispatch>>"))]
    pub dispatches: Vec<ReportedDispatch>,
    /// In the order of the recipe; none where the run ended early.
    pub expectations: Vec<Outcome>,
    /// What checked mode found, 200 at most.
    pub findings: Vec<ReportedFinding>,
    /// Findings that the recipe expects and that there are none of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<Missing>>"))]
    pub missing_findings: Vec<Missing>,
    /// How far `float16_t` accumulators are from overflowing, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub headroom: Option<Headroom>,
    /// What a user may want to know of the recipe, though it runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub notes: Vec<String>,
    /// What the run did, to its end or until it ended early.
    pub work: Work,
    /// For each dispatch, in their order, whether it ran as machine code; none where the host has the interpreter alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<ReportedTier>>"))]
    pub tiers: Vec<ReportedTier>,
    /// What debugPrintfEXT wrote.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub log: Vec<String>,
    /// By the host's clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub seconds: Option<f64>,
}

/// One dispatch of several.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct ReportedDispatch {
    /// As the recipe calls it.
    pub name: String,
    /// The path of its shader, as the host names it.
    pub shader: String,
    /// Workgroups in each direction.
    pub workgroups: [u32; 3],
    /// Invocations in each direction.
    pub workgroup_size: [u32; 3],
    /// What it did; nothing where the run ended before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub work: Option<Work>,
}

/// What ran a dispatch.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct ReportedTier {
    /// Machine code; otherwise the interpreter.
    pub compiled: bool,
    /// Why it was the interpreter, though the run was long: a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub reason: Option<String>,
}

/// Why a run ended early.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RunError"))]
#[serde(rename_all = "kebab-case")]
pub struct Problem {
    /// In words, with what would help.
    pub message: String,
    /// The dispatch that it is about, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub dispatch: Option<String>,
    /// The source of the instruction that is to blame, where one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub place: Option<SourcePlace>,
}

/// The choices that a shader may not depend on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Modes {
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// How matrices are multiplied, and numbers rounded: `sequential`, `exact:rtz`.
    pub numerics: String,
    /// Who owns which element: a name such as `plain`, or the path of a table.
    pub ownership: String,
    /// Which decode function tensor loads call: `vector`, `scalar` or `mixed`.
    pub decode: String,
    /// Whether undefined behaviour is looked for.
    pub checked: bool,
    /// Whether that includes invocations that write the same value to one place.
    pub strict: bool,
    /// Whether the range of `float16_t` accumulators is measured.
    pub headroom: bool,
}

/// How one expectation fared.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Outcome {
    /// The buffer's name.
    pub buffer: String,
    /// The dispatch after which it was compared, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub after: Option<String>,
    /// The reference operation.
    pub reference: String,
    /// Whether all its elements are within the tolerance.
    pub met: bool,
    /// Elements that were compared.
    pub elements: usize,
    /// Elements outside of the tolerance.
    pub wrong: usize,
    /// The largest distance from what was expected.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub max_absolute: f64,
    /// The largest distance, as a share of what was expected.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub max_relative: f64,
    /// The largest distance in numbers of the buffer's type.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub max_ulp: f64,
    /// What the wrong elements have in common, in words: where they are, and what they hold instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<String>>"))]
    pub patterns: Vec<String>,
    /// The element that is farthest off, when one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub worst: Option<Worst>,
}

/// An element, and what was expected of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Worst {
    /// In each direction, in the order of the shape.
    pub index: Vec<usize>,
    /// What the reference is.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub expected: f64,
    /// What the buffer held.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub found: f64,
    /// Both in all digits, where they are integers of 64 bits.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub exact: Option<[String; 2]>,
}

/// Undefined behaviour that checked mode came upon, with its place in the source.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct ReportedFinding {
    /// Its id, such as `out-of-bounds`.
    pub kind: String,
    /// In words, with the values.
    pub message: String,
    /// The dispatch that it was made in, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub dispatch: Option<String>,
    /// The source of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub place: Option<SourcePlace>,
    /// The other party of a race.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub other: Option<SourcePlace>,
    /// The instruction's index in the module.
    pub instruction: u32,
    /// `gl_WorkGroupID`.
    pub workgroup: [u32; 3],
    /// `gl_LocalInvocationIndex`.
    pub invocation: u32,
    /// Whether the recipe expects it.
    pub expected: bool,
    /// How often the same was found at the same place.
    pub times: u64,
}

/// Lines and columns from 1; columns count characters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SourcePlace {
    /// As the host names the file.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
}

/// How far `float16_t` accumulators are from overflowing.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Headroom {
    /// For each multiply-add of the module with such an accumulator that was executed.
    pub accumulators: Vec<Accumulator>,
    /// Of each buffer that the run has written and left with infinite elements or NaN.
    pub infinite: Vec<InfiniteElements>,
}

/// The sums that one multiply-add adds to. Partial sums are those after each product, in double precision.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Accumulator {
    /// The dispatch whose shader it is in, of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub dispatch: Option<String>,
    /// The source of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub place: Option<SourcePlace>,
    /// The instruction's index in the module.
    pub instruction: u32,
    /// How many sums it has added to: elements of accumulators, each once from where it began.
    pub sums: u64,
    /// How many products the longest of them has.
    pub products: u64,
    /// How often the largest partial sum may double without overflowing; negative where it is beyond the range, infinite where all are zero.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub bits: f64,
    /// The partial sum that is farthest from zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub largest: Option<PartialSum>,
    /// The largest factor of all products with which every partial sum would be in the range.
    #[serde(serialize_with = "real")]
    #[cfg_attr(feature = "typescript", ts(as = "Real"))]
    pub scale: f64,
    /// How many sums were beyond the range after some product, or became infinite.
    pub beyond: u64,
    /// The one of these that was so after the fewest products.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub first: Option<PartialSum>,
    /// How many became infinite or NaN with the numerics of the run.
    pub infinite: u64,
    /// Sums with an infinite or NaN operand, of which nothing else is told.
    pub excluded: u64,
}

/// A sum after some of its products.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct PartialSum {
    /// With what the accumulator held before the first product.
    pub value: f64,
    /// The product that was added last, counted from 0 from where the sum began.
    pub k: u64,
    /// `gl_WorkGroupID`.
    pub workgroup: [u32; 3],
    /// `gl_SubgroupID`.
    pub subgroup: u32,
    /// Of the element in the accumulator.
    pub row: u32,
    /// Of the element in the accumulator.
    pub column: u32,
}

/// Elements of a buffer that are infinite or NaN after the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct InfiniteElements {
    /// The buffer's name.
    pub buffer: String,
    /// How many there are.
    pub elements: usize,
    /// Their indices in the order of the shape: the first 65,536.
    pub listed: Vec<Vec<usize>>,
}

/// A finding that the recipe expects.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Missing {
    /// Its id, such as `out-of-bounds`.
    pub kind: String,
    /// The line of the shader, from 1.
    pub line: u32,
    /// The dispatch that it was expected in, where the recipe says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub dispatch: Option<String>,
}

/// How much was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Work {
    /// Instructions that subgroups executed.
    pub instructions: u64,
    /// The same by family; families without any are left out.
    pub by_family: Vec<(String, u64)>,
    /// Cooperative matrix multiply-adds.
    pub matrix_multiplies: u64,
    /// Two for each multiplication and addition inside matrix multiplies.
    pub matrix_flops: u64,
    /// By all invocations, and by matrix loads.
    pub bytes_read: u64,
    /// By all invocations, and by matrix stores.
    pub bytes_written: u64,
    /// Workgroups that have begun.
    pub workgroups: u64,
}

impl Work {
    /// What the simulator counted.
    pub fn new(counts: &coopmat_simulator::Counts) -> Work {
        let families = coopmat_simulator::Class::ALL.into_iter();
        let families = families.map(|class| (class.name().to_owned(), counts.of(class)));
        Work {
            instructions: counts.total(),
            by_family: families.filter(|(_, count)| *count > 0).collect(),
            matrix_multiplies: counts.matrix_multiplies,
            matrix_flops: counts.matrix_flops,
            bytes_read: counts.bytes_read,
            bytes_written: counts.bytes_written,
            workgroups: counts.workgroups,
        }
    }
}

impl std::ops::AddAssign<&Work> for Work {
    fn add_assign(&mut self, other: &Work) {
        self.instructions += other.instructions;
        for (family, count) in &other.by_family {
            match self.by_family.iter_mut().find(|(known, _)| known == family) {
                Some((_, sum)) => *sum += count,
                None => self.by_family.push((family.clone(), *count)),
            }
        }
        self.matrix_multiplies += other.matrix_multiplies;
        self.matrix_flops += other.matrix_flops;
        self.bytes_read += other.bytes_read;
        self.bytes_written += other.bytes_written;
        self.workgroups += other.workgroups;
    }
}

/// JSON has no infinity and no NaN: these are text.
#[cfg(feature = "typescript")]
#[derive(ts_rs::TS)]
#[ts(type = "number | \"inf\" | \"-inf\" | \"NaN\"")]
#[expect(dead_code, reason = "stands for what `real` writes")]
struct Real(f64);

/// JSON has no infinity and no NaN: these are text.
fn real<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() {
        serializer.serialize_f64(*value)
    } else {
        serializer.serialize_str(&value.to_string())
    }
}
