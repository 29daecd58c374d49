//! Clusters of a subgroup (GL_KHR_shader_subgroup, section 3.8; GL_KHR_shader_subgroup_rotate).

use crate::diagnostics::codes;
use crate::extensions;
use crate::hir::Const;
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;

/// "The clusterSize [...] must be an integral constant expression, at least 1, a power of 2." That it is constant, the signature says.
pub(super) fn check_cluster(lowerer: &mut Lowerer<'_>, call: &CallSite<'_>) {
    let Some(&size) = call.arguments.last() else { return };
    let constant = lowerer.body.exprs[size].constant.as_ref();
    let Some(value) = constant.and_then(Const::as_int) else { return };
    if u32::try_from(value).is_ok_and(u32::is_power_of_two) {
        return;
    }
    let range = lowerer.range_of(size);
    let name = extensions::function(call.function).name;
    let message = format!("the size of the clusters of `{name}` must be a power of two, found {value}");
    lowerer.report(&codes::SUBGROUP_CLUSTER_SIZE, range, message);
}
