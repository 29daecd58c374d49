//! The rules of built-ins that go beyond a signature: each types its call, checks it, or both.
//!
//! `apply` is called once per call of a built-in whose table entry names a rule, after the arguments are lowered and their
//! number is checked. Parameters with a plain pattern (`uint element`) are converted by then; `AnyType`, `AnyCoopmat` and
//! the like accept every argument, so that the rule can say what is wrong with it. No argument has an `Error` type: such
//! calls are silent and never come here.
//!
//! A rule may change an argument in place: `lowerer.convert_in_place(argument, ty, what)` wraps it in an implicit
//! conversion, and a `FunctionName` gets the overload that it stands for.
//!
//! One file per extension: `khr`, `qcom`, `nv2_functions`, `nv2_tensor`, `coordinate`, `decode`, `nv1`, `coopvec`, `small_floats`. `matrix`,
//! `memory`, `no_array` and `callback_arguments` are shared by them, `device` answers from the target device. `images` has the memory qualifiers
//! of images, `abort` the message of that call, `semantics` the memory of atomics and the orders that atomics and barriers name, `subgroups` the sizes of clusters.

mod abort;
mod callback_arguments;
mod codes;
mod coopvec;
mod coordinate;
mod decode;
mod device;
pub(crate) mod images;
mod khr;
mod matrix;
mod memory;
mod no_array;
mod nv1;
mod nv2_functions;
pub(crate) mod nv2_tensor;
mod qcom;
mod semantics;
mod small_floats;
mod subgroups;
mod tensor_arm;

pub use codes::rule_codes;
pub(crate) use matrix::conversion_difference;

use super::Lowerer;
use super::call_site::CallSite;
use crate::extensions::Rule;
use crate::types::Ty;

/// Checks a call and gives the type of its result. `Ty::ERROR` silences what uses the result.
pub fn apply(rule: Rule, lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) -> Ty {
    match rule {
        Rule::CoopMatLoad => khr::load(lowerer, call),
        Rule::CoopMatStore => khr::store(lowerer, call),
        Rule::CoopMatMulAdd => khr::mul_add(lowerer, call),
        Rule::CoopMatLoadTensor => nv2_tensor::load(lowerer, call),
        Rule::CoopMatStoreTensor => nv2_tensor::store(lowerer, call),
        Rule::CoopMatReduce => nv2_functions::reduce(lowerer, call),
        Rule::CoopMatPerElement => nv2_functions::per_element(lowerer, call),
        Rule::CoopMatTranspose => nv2_functions::transpose(lowerer, call),
        Rule::CoopMatCoordinate => coordinate::check(lowerer, call),
        Rule::CreateTensorLayout => nv2_tensor::create_layout(lowerer, call),
        Rule::CreateTensorView => nv2_tensor::create_view(lowerer, call),
        Rule::SetTensorLayout | Rule::SetTensorView => nv2_tensor::set(lowerer, call),
        Rule::BitcastQcom => qcom::bitcast(lowerer, call),
        Rule::ExtractSubArrayQcom => qcom::extract_sub_array(lowerer, call),
        Rule::VectorToCoopmatQcom => qcom::vector_to_coopmat(lowerer, call),
        Rule::CoopmatToVectorQcom => qcom::coopmat_to_vector(lowerer, call),
        Rule::CoopMatLoadNv => nv1::access(lowerer, call, false),
        Rule::CoopMatStoreNv => nv1::access(lowerer, call, true),
        Rule::CoopMatMulAddNv => nv1::mul_add(lowerer, call),
        Rule::CoopVecMatMul => coopvec::mat_mul(lowerer, call),
        Rule::CoopVecAccumulate => coopvec::accumulate(lowerer, call),
        Rule::CoopVecLoad => coopvec::load(lowerer, call),
        Rule::CoopVecStore => coopvec::store(lowerer, call),
        // The signature gives the type.
        Rule::Subgroup | Rule::DebugPrintf => call.result,
        Rule::SubgroupClustered => {
            subgroups::check_cluster(lowerer, call);
            call.result
        }
        Rule::Atomic | Rule::Barrier => {
            semantics::check(lowerer, call);
            call.result
        }
        Rule::TensorAccessArm => tensor_arm::access(lowerer, call),
        Rule::TensorSizeArm => tensor_arm::size(lowerer, call),
        Rule::Abort => {
            abort::check(lowerer, call);
            call.result
        }
        Rule::Convert => small_floats::saturated_convert(lowerer, call),
        Rule::NotAnalysed => Ty::ERROR,
    }
}
