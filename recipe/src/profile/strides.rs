//! Other strides for arrays of shared memory whose accesses have conflicts: which are free of them, and what they cost.

use coopmat_simulator::profile::{Access, Banks, Measured, Rows, SharedArray};
use schemars::JsonSchema;
use serde::Serialize;

/// What other strides would do for an access with conflicts: from one row of its array to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfiledStrides"))]
#[serde(rename_all = "kebab-case")]
pub struct Strides {
    /// Why nothing is predicted, in words; the rest is empty then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub not_predicted: Option<String>,
    /// The stride that it has, in bytes.
    pub now: u64,
    /// Bytes of a component of the matrix, or of an element of the array, in which strides are told as well.
    pub component: u64,
    /// What strides are multiples of, in bytes: the alignment of matrices (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986), of the widest access of
    /// an invocation, of an element.
    pub alignment: u64,
    /// Strides without conflicts in this access, those that need the least shared memory first.
    pub free: Vec<Stride>,
    /// If no stride is free of conflicts: the one with the fewest passes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub fewest: Option<Stride>,
}

/// A stride, and what it costs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfiledStride"))]
#[serde(rename_all = "kebab-case")]
pub struct Stride {
    /// In bytes.
    pub bytes: u64,
    /// The same in components of the matrix, or in elements of the array; none if it is no whole number of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub components: Option<u64>,
    /// Passes of the access.
    pub passes: u64,
    /// Passes of all loads and stores of the array.
    pub array_passes: u64,
    /// As many as those would take without conflicts.
    pub array_least: u64,
    /// The shared memory of all variables, in bytes.
    pub shared_memory: u64,
    /// How much more that is than now, in bytes; less than 0 if it is less.
    pub more: i64,
    /// Whether the device has as much for a workgroup; none if its limit is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub fits: Option<bool>,
}

/// What the search needs to know.
pub(super) struct Search<'s> {
    pub measured: &'s Measured,
    pub arrays: &'s [SharedArray],
    pub subgroup_size: u32,
    pub banks: Banks,
    /// The most bytes of shared memory that a workgroup may have.
    pub limit: Option<u64>,
}

impl Search<'_> {
    /// What other strides would do for accesses at one place, which go to one array.
    pub fn strides(&self, accesses: &[&Access]) -> Strides {
        let not_predicted = |reason: String| Strides { not_predicted: Some(reason), ..Strides::default() };
        let Some(array) = accesses.first().and_then(|access| access.array) else {
            return not_predicted("the access goes to several variables".to_owned());
        };
        let rows = match self.measured.rows(self.arrays, array) {
            Ok(rows) => rows,
            Err(reason) => return not_predicted(reason),
        };
        let component = accesses.iter().find_map(|access| access.matrix);
        let component = component.map_or_else(
            || self.arrays.get(array).map_or(1, |array| array.element.max(1)),
            |matrix| u64::from(matrix.component.bytes()).max(1),
        );
        let now: u64 = self.arrays.iter().map(|array| array.offset + array.size).max().unwrap_or(0);
        let mut strides = Vec::new();
        for bytes in rows.strides(self.banks).filter(|bytes| *bytes != rows.stride) {
            let (Some((passes, least)), Some((array_passes, array_least))) = (
                self.passes(accesses.iter().copied(), &rows, bytes),
                self.passes(self.measured.of_array(array), &rows, bytes),
            ) else {
                return not_predicted("the addresses are not of the form base + row * stride".to_owned());
            };
            let more = rows.size_with(bytes) as i64 - rows.size_with(rows.stride) as i64;
            let shared_memory = now.saturating_add_signed(more);
            let stride = Stride {
                bytes,
                components: bytes.is_multiple_of(component).then(|| bytes / component),
                passes,
                array_passes,
                array_least,
                shared_memory,
                more,
                fits: self.limit.map(|limit| shared_memory <= limit),
            };
            strides.push((stride, passes <= least));
        }
        let fewest =
            strides.iter().map(|(stride, _)| stride).min_by_key(|stride| (stride.passes, stride.bytes));
        let fewest = fewest.filter(|_| strides.iter().all(|(_, is_free)| !is_free)).cloned();
        let mut free: Vec<Stride> =
            strides.into_iter().filter(|(_, is_free)| *is_free).map(|(stride, _)| stride).collect();
        // Those that spare other accesses of the array their conflicts come before cheaper ones that do not.
        free.sort_by_key(|stride| (stride.array_passes > stride.array_least, stride.bytes));
        Strides { not_predicted: None, now: rows.stride, component, alignment: rows.alignment, free, fewest }
    }

    fn passes<'a>(
        &self,
        accesses: impl Iterator<Item = &'a Access>,
        rows: &Rows,
        stride: u64,
    ) -> Option<(u64, u64)> {
        let mut sum = (0, 0);
        for access in accesses {
            let passes = rows.passes(access, self.subgroup_size, self.banks, stride)?;
            sum = (sum.0 + passes.passes, sum.1 + passes.least);
        }
        Some(sum)
    }
}
