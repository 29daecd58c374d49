//! Attributes, which stand in `[[...]]`: the extension that brings each, and what it means.

use crate::site::Site;
use coopmat_analysis::extensions::{ExtensionId, ids};

/// Attributes, with the extension that brings them and what they mean.
pub const ATTRIBUTES: &[(&str, ExtensionId, &str)] = &[
    ("unroll", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The loop should be unrolled."),
    ("dont_unroll", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The loop should not be unrolled."),
    ("loop", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The loop should not be unrolled."),
    ("flatten", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "Both branches should be executed, without a jump."),
    ("branch", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The condition should become a jump."),
    ("dont_flatten", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The condition should become a jump."),
    ("dependency_infinite", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "No iteration depends on an earlier one."),
    (
        "dependency_length",
        ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES,
        "No iteration depends on one that is fewer than this many before it.",
    ),
    ("min_iterations", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The loop runs at least this many times."),
    ("max_iterations", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The loop runs at most this many times."),
    (
        "iteration_multiple",
        ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES,
        "The number of iterations is a multiple of this.",
    ),
    (
        "peel_count",
        ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES,
        "This many iterations should be peeled off before the loop.",
    ),
    ("partial_count", ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES, "The loop should be unrolled by this factor."),
    (
        "subgroup_uniform_control_flow",
        ids::GL_EXT_SUBGROUP_UNIFORM_CONTROL_FLOW,
        "Subgroups reconverge where their workgroup does not diverge.",
    ),
    (
        "maximally_reconverges",
        ids::GL_EXT_MAXIMAL_RECONVERGENCE,
        "Invocations reconverge as the source suggests.",
    ),
];

/// What an attribute means, with the extension that brings it; `None` outside of `[[...]]`.
pub fn attribute_about(site: &Site<'_>, word: &str) -> Option<(&'static str, ExtensionId)> {
    let known = || ATTRIBUTES.iter().find(|(name, ..)| *name == word);
    in_attribute(site).then(known)?.map(|&(_, extension, about)| (about, extension))
}

/// Whether the cursor stands in `[[...]]`.
pub fn in_attribute(site: &Site<'_>) -> bool {
    site.frames.len() >= 2
        && site.frames[0].bracket == '['
        && site.frames[1].bracket == '['
        && site.frames[0].index == site.frames[1].index + 1
}
