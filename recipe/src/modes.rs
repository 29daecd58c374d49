//! The choices that a shader may not depend on, by the names that recipes and command lines have for them.

use std::sync::Arc;

use coopmat_simulator::numerics::{Denormals, Mode, Numerics, Rounding};
use coopmat_simulator::ownership::Ownership;

use crate::model::{Decode, Recipe};
use crate::report::Modes;

/// How matrices are multiplied; the first is the default.
pub fn numerics_names() -> Vec<&'static str> {
    let others = Mode::ALL.into_iter().filter(|mode| *mode != Mode::default());
    std::iter::once(Mode::default()).chain(others).map(Mode::name).collect()
}

/// Who owns which element; the first is the default.
pub fn ownership_names() -> Vec<&'static str> {
    Ownership::NAMES.to_vec()
}

/// Which decode function tensor loads call; the first is the default.
pub const DECODE_NAMES: [&str; 3] = ["vector", "scalar", "mixed"];

/// What may follow a mode's name: how scalars and elements are rounded, and whether subnormal numbers stay, where a module does not say.
const CONTROLS: [&str; 6] = ["rte", "rtz", "rtp", "rtn", "preserve", "flush"];

/// `sequential`, or with what modules may leave open: `sequential:rtz:flush`.
pub fn numerics(name: &str) -> Result<Numerics, String> {
    let mut parts = name.split(':');
    let mode = parts.next().unwrap_or_default();
    let found = Mode::from_name(mode).map(Numerics::with_mode);
    let mut numerics = found.ok_or_else(|| unknown("numerics mode", mode, &numerics_names()))?;
    for part in parts {
        match part {
            "rte" => numerics.rounding = Rounding::NearestEven,
            "rtz" => numerics.rounding = Rounding::TowardZero,
            "rtp" => numerics.rounding = Rounding::TowardPositive,
            "rtn" => numerics.rounding = Rounding::TowardNegative,
            "preserve" => numerics.denormals = Denormals::Preserve,
            "flush" => numerics.denormals = Denormals::Flush,
            _ => return Err(unknown("way of rounding", part, &CONTROLS)),
        }
    }
    Ok(numerics)
}

/// One of [`ownership_names`], or `shuffled:` and a seed. The error names all that there are.
pub fn ownership(name: &str) -> Result<Arc<Ownership>, String> {
    let found = Ownership::by_name(name);
    found.map(Arc::new).ok_or_else(|| {
        format!(
            "{}, and tables from `coopmat-analyzer ownership capture` (FILE.json)",
            unknown("ownership", name, &ownership_names())
        )
    })
}

/// One of [`DECODE_NAMES`]. The error names all that there are.
pub fn decode(name: &str) -> Result<Decode, String> {
    match name {
        "scalar" => Ok(Decode::Scalar),
        "vector" => Ok(Decode::Vector),
        "mixed" => Ok(Decode::Mixed),
        _ => Err(unknown("choice of decode functions", name, &DECODE_NAMES)),
    }
}

fn decode_name(decode: Decode) -> &'static str {
    match decode {
        Decode::Scalar => "scalar",
        Decode::Vector => "vector",
        Decode::Mixed => "mixed",
    }
}

fn unknown(what: &str, name: &str, names: &[&str]) -> String {
    let article = if what.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("`{name}` is not {article} {what}; expected one of {}", names.join(", "))
}

/// The modes of one run: of each list the first, or the default.
pub fn first(recipe: &Recipe, subgroup_size: u32) -> Modes {
    let pick = |list: &[String], default: Vec<&str>| {
        list.first().cloned().unwrap_or_else(|| default.first().copied().unwrap_or_default().to_owned())
    };
    Modes {
        subgroup_size,
        numerics: pick(&recipe.numerics, numerics_names()),
        ownership: pick(&recipe.ownership, ownership_names()),
        decode: recipe.decode.first().map_or(DECODE_NAMES[0], |decode| decode_name(*decode)).to_owned(),
        checked: !recipe.findings.is_empty(),
        strict: recipe.strict,
        headroom: false,
    }
}

/// All modes under which the expectations are claimed to hold: each list is gone through with the first of the others. A list
/// that is left out claims everything: shaders do not depend on these choices unless they say so.
pub fn claimed(recipe: &Recipe, subgroup_size: u32) -> Vec<Modes> {
    let base = first(recipe, subgroup_size);
    let all = |list: &[String], names: Vec<&str>| -> Vec<String> {
        if list.is_empty() { names.into_iter().map(str::to_owned).collect() } else { list.to_vec() }
    };
    let mut modes = vec![base.clone()];
    let mut add = |one: Modes| {
        if !modes.contains(&one) {
            modes.push(one);
        }
    };
    for numerics in all(&recipe.numerics, numerics_names()) {
        add(Modes { numerics, ..base.clone() });
    }
    for ownership in all(&recipe.ownership, ownership_names()) {
        add(Modes { ownership, ..base.clone() });
    }
    for decode in &recipe.decode {
        add(Modes { decode: decode_name(*decode).to_owned(), ..base.clone() });
    }
    if recipe.checked {
        add(Modes { checked: true, ..base.clone() });
    }
    modes
}
