//! The rules, broken one at a time.
//!
//! `parameters` has what follows from a function's declaration in the tables, `flow` what follows from where a call stands; the other
//! files have the rules of one family each.

mod converts;
mod declarations;
mod devices;
mod extensions;
mod flow;
mod memory;
mod multiply;
mod operators;
mod parameters;
mod qcom;
mod reductions;
mod tensors;
mod types;
mod vectors;

use coopmat_analysis::extensions::Rule;

use crate::call::{Argument, Call};
use crate::suite::Suite;
use crate::valid;

/// Everything.
pub fn suite() -> Suite {
    let mut suite = Suite::default();
    for function in valid::functions() {
        for (index, call) in valid::calls(function).iter().enumerate() {
            let twin = suite.call(call);
            suite.broad = index < 3 || index % 6 == 0;
            call_rules(&mut suite, twin, call, index == 0);
        }
    }
    types::add(&mut suite);
    declarations::add(&mut suite);
    operators::add(&mut suite);
    flow::add(&mut suite);
    extensions::add(&mut suite);
    devices::add(&mut suite);
    vectors::add(&mut suite);
    suite
}

/// Cooperative vectors have no rules about the flow of control, and memory of their own.
fn is_of_vectors(call: &Call) -> bool {
    call.arguments.iter().any(|argument| matches!(argument, Argument::Vector(_)))
}

fn call_rules(suite: &mut Suite, twin: usize, call: &Call, first: bool) {
    if suite.broad {
        parameters::add(suite, twin, call, first);
        if is_of_vectors(call) {
            vectors::any(suite, twin, call);
        } else {
            flow::add_call(suite, twin, call, first);
        }
    }
    match call.function.rule {
        Some(Rule::CoopMatLoad | Rule::CoopMatStore) => memory::accesses(suite, twin, call),
        Some(Rule::CoopMatMulAdd) => multiply::khr(suite, twin, call),
        Some(Rule::CoopMatLoadTensor | Rule::CoopMatStoreTensor) => tensors::accesses(suite, twin, call),
        Some(Rule::CoopMatReduce) => reductions::reduce(suite, twin, call),
        Some(Rule::CoopMatPerElement) => reductions::per_element(suite, twin, call),
        Some(Rule::CoopMatTranspose) => reductions::transpose(suite, twin, call),
        Some(Rule::CoopMatCoordinate) => reductions::coordinate(suite, twin, call),
        Some(Rule::CreateTensorLayout) => tensors::layout_creation(suite, twin, call),
        Some(Rule::CreateTensorView) => tensors::view_creation(suite, twin, call),
        Some(Rule::SetTensorLayout | Rule::SetTensorView) => tensors::changes(suite, twin, call),
        Some(Rule::BitcastQcom) => qcom::bit_cast(suite, twin, call),
        Some(Rule::ExtractSubArrayQcom) => qcom::sub_array(suite, twin, call),
        Some(Rule::VectorToCoopmatQcom | Rule::CoopmatToVectorQcom) => qcom::conversion(suite, twin, call),
        Some(Rule::CoopMatLoadNv | Rule::CoopMatStoreNv) => memory::accesses_nv(suite, twin, call),
        Some(Rule::CoopMatMulAddNv) => multiply::nv(suite, twin, call),
        Some(Rule::Convert) => converts::saturate(suite, twin, call),
        Some(Rule::CoopVecMatMul) => vectors::product(suite, twin, call),
        Some(Rule::CoopVecAccumulate) => vectors::accumulation(suite, twin, call),
        Some(Rule::CoopVecLoad | Rule::CoopVecStore) => vectors::access(suite, twin, call),
        Some(
            Rule::Atomic
            | Rule::Barrier
            | Rule::Subgroup
            | Rule::SubgroupClustered
            | Rule::DebugPrintf
            | Rule::Abort
            | Rule::TensorAccessArm
            | Rule::TensorSizeArm
            | Rule::NotAnalysed,
        )
        | None => {}
    }
}
