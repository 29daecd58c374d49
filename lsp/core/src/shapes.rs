//! The multiply-adds of a device profile, as checked mode wants them.

use std::sync::Arc;

use coopmat_analysis::devices::{DeviceProfile, List, MatrixTypes, Scope};
use coopmat_analysis::types::Scalar;
use coopmat_simulator::AdvertisedShape;
use coopmat_simulator::matrix;

/// None where the profile may lack some: a shape that it does not list would be no mistake.
pub fn advertised(profile: &DeviceProfile) -> Option<Arc<[AdvertisedShape]>> {
    let lists = [List::CooperativeMatrixProperties, List::CooperativeMatrixFlexibleDimensionsProperties];
    if !lists.into_iter().all(|list| profile.knows(list)) {
        return None;
    }
    let exact = &profile.cooperative_matrix_properties;
    let exact = exact.iter().filter_map(|row| shape([row.m, row.n, row.k], &row.types, None));
    let flexible = &profile.cooperative_matrix_flexible_dimensions_properties;
    let flexible = flexible
        .iter()
        .filter_map(|row| shape([row.m, row.n, row.k], &row.types, Some(row.workgroup_invocations)));
    Some(exact.chain(flexible).collect())
}

fn shape([m, n, k]: [u32; 3], types: &MatrixTypes, flexible: Option<u32>) -> Option<AdvertisedShape> {
    let scope = match types.scope {
        Scope::Subgroup => matrix::Scope::Subgroup,
        Scope::Workgroup => matrix::Scope::Workgroup,
        Scope::Device | Scope::QueueFamily => return None,
    };
    let components =
        [component(types.a)?, component(types.b)?, component(types.c)?, component(types.result)?];
    Some(AdvertisedShape { m, n, k, components, saturating: types.saturating, scope, flexible })
}

/// A component type as the simulator has it.
pub fn component(scalar: Scalar) -> Option<matrix::Component> {
    // GLSL's short names are the only ones without a width.
    let name = match scalar {
        Scalar::Float32 => "float32_t",
        Scalar::Float64 => "float64_t",
        Scalar::Int32 => "int32_t",
        Scalar::Uint32 => "uint32_t",
        other => other.name(),
    };
    matrix::Component::from_name(name)
}
