//! Running a program: a dispatch is an [`Execution`], made of workgroups of subgroups.

mod context;
mod elements;
mod execution;
mod moment;
mod peek;
mod registers;
mod stepping;
mod subgroup;
mod workgroup;

pub(crate) use context::{Context, Environment, Report, memory_share};
pub(crate) use elements::Argument;
pub(crate) use execution::workgroup_id;
pub use execution::{Execution, Pool, Progress};
pub(crate) use moment::Moment;
pub use registers::{MAXIMUM_LANES, Mask, Plane, Registers, first_lanes, halves, lanes_of};
pub(crate) use stepping::{Position, Stepper};
pub use subgroup::Subgroup;
pub(crate) use subgroup::{Frame, Standing, Stop};
pub(crate) use workgroup::{Shared as WorkgroupShared, Workgroup, execute_together};

/// An invocation: its workgroup, and its index in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Invocation {
    /// `gl_WorkGroupID`.
    pub workgroup: [u32; 3],
    /// `gl_LocalInvocationIndex`.
    pub index: u32,
}
