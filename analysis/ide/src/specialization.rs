//! Specialization constants of a shader: their defaults, and what the configuration gives them.

use coopmat_analysis::Analysis;
use coopmat_analysis::config::{ConstantKey, SpecializationValue};
use coopmat_analysis::hir::{Const, Global};
use coopmat_analysis::types::{Scalar, ScalarClass};

/// Values that are told in words; what is more is counted.
const SHOWN: usize = 4;

/// A specialization constant as a shader declares it.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant<'a> {
    /// `layout(constant_id = N)`.
    pub id: u32,
    /// In the source.
    pub name: &'a str,
    /// `uint`, `float`.
    pub scalar: Scalar,
    /// What it is where nothing gives it a value; `None` where that is computed.
    pub default: Option<SpecializationValue>,
    /// What the configuration gives it.
    pub given: Option<SpecializationValue>,
}

/// The specialization constants that a shader declares, in the order of their ids.
pub fn constants(analysis: &Analysis) -> Vec<Constant<'_>> {
    let constant = |global: &'_ Global| {
        let id = global.constant_id?;
        let default = global.default.as_ref().and_then(|value| match value {
            Const::Bool(value) => Some(SpecializationValue::Bool(*value)),
            Const::Int(value) => i64::try_from(*value).ok().map(SpecializationValue::Int),
            Const::Float(value) => Some(SpecializationValue::Float(value.to_bits())),
            _ => None,
        });
        let scalar = analysis.module.types.as_scalar(global.ty)?;
        Some((id, scalar, default, analysis.config.given(Some(id), &global.name)))
    };
    let globals = analysis.module.globals.iter();
    let mut found: Vec<Constant<'_>> = globals
        .filter_map(|(_, global)| {
            let (id, scalar, default, given) = constant(global)?;
            Some(Constant { id, name: &global.name, scalar, default, given })
        })
        .collect();
    found.sort_by_key(|constant| constant.id);
    found
}

/// What the configuration gives the shader's constants, in a few words: `TM = 64, TN = 32`.
pub fn given_in_words(analysis: &Analysis) -> Option<String> {
    let constants = constants(analysis);
    let given = constants.iter().filter_map(|one| Some(format!("{} = {}", one.name, one.given?)));
    in_words(given)
}

/// A few of some values, and how many more there are.
fn in_words(values: impl Iterator<Item = String>) -> Option<String> {
    let values: Vec<String> = values.collect();
    let more = values.len().saturating_sub(SHOWN);
    let shown = values.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match (values.is_empty(), more) {
        (true, _) => None,
        (false, 0) => Some(shown),
        (false, more) => Some(format!("{shown} and {more} more")),
    }
}

/// Why values cannot be given to a shader's constants: it has none of the name, or of another type.
pub fn mistake(analysis: &Analysis, values: &[(ConstantKey, SpecializationValue)]) -> Option<String> {
    let constants = constants(analysis);
    values.iter().find_map(|(key, value)| {
        let is_meant = |one: &&Constant<'_>| match key {
            ConstantKey::Id(id) => one.id == *id,
            ConstantKey::Name(name) => one.name == name,
        };
        let Some(constant) = constants.iter().find(is_meant) else {
            // `local_size_x_id` needs no constant of the shader: it names one of its own.
            let of_workgroup = |id: u32| {
                analysis.module.local_size.dims.iter().any(|dim| dim.constant_id == Some(id))
            };
            if matches!((key, value), (ConstantKey::Id(id), SpecializationValue::Int(1..=0xffff_ffff)) if of_workgroup(*id)) {
                return None;
            }
            let known = constants.iter().map(|one| format!("{} ({})", one.name, one.id));
            let known = known.collect::<Vec<_>>().join(", ");
            return Some(match constants.is_empty() {
                true => "the shader has no specialization constants".to_owned(),
                false => format!("there is no specialization constant `{key}`; expected one of {known}"),
            });
        };
        let fits = match (constant.scalar.class(), value) {
            (_, SpecializationValue::Bool(_)) => constant.scalar == Scalar::Bool,
            (ScalarClass::Float | ScalarClass::SmallFloat, _) => true,
            (_, SpecializationValue::Float(_)) => false,
            (_, SpecializationValue::Int(value)) => range(constant.scalar)
                .is_none_or(|(least, most)| (least..=most).contains(&i128::from(*value))),
        };
        let scalar = constant.scalar.name();
        (!fits).then(|| format!("{} is of type {scalar}, and {value} is not a value of that type", constant.name))
    })
}

/// The least and the greatest value of an integer type, or of `bool`.
fn range(scalar: Scalar) -> Option<(i128, i128)> {
    match scalar.class() {
        ScalarClass::Bool => Some((0, 1)),
        ScalarClass::Signed => Some((-1 << (scalar.bits() - 1), (1 << (scalar.bits() - 1)) - 1)),
        ScalarClass::Unsigned => Some((0, (1 << scalar.bits()) - 1)),
        ScalarClass::Float | ScalarClass::SmallFloat => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coopmat_analysis::config::Configuration;
    use coopmat_analysis::sources::NoFiles;

    fn analysis(specialization: &[(&str, &str)]) -> Analysis {
        let text = "#version 460
layout(constant_id = 3) const uint TM = 4;
layout(constant_id = 1) const bool CHECKS = false;
layout(constant_id = 2) const float SCALE = 0.5;
void main() {}
";
        let mut config = Configuration::default();
        for (key, value) in specialization {
            config.specialize(&[(key.parse().unwrap(), value.parse().unwrap())]);
        }
        coopmat_analysis::analyze("x.comp", text.into(), &config, &NoFiles, None)
    }

    #[test]
    fn constants_have_their_values_by_id_or_by_name() {
        assert_eq!(given_in_words(&analysis(&[])), None);
        let given = analysis(&[("TM", "64"), ("1", "true"), ("OTHER", "1"), ("9", "1")]);
        assert_eq!(given_in_words(&given).as_deref(), Some("CHECKS = true, TM = 64"));
        let later = analysis(&[("3", "32"), ("TM", "64")]);
        assert_eq!(given_in_words(&later).as_deref(), Some("TM = 64"));
        let later = analysis(&[("TM", "64"), ("3", "32")]);
        assert_eq!(given_in_words(&later).as_deref(), Some("TM = 32"));
    }

    #[test]
    fn values_that_a_shader_cannot_have_are_told() {
        let shader = analysis(&[]);
        let mistake = |key: &str, value: &str| {
            mistake(&shader, &[(key.parse().unwrap(), value.parse().unwrap())]).unwrap_or_default()
        };
        assert_eq!(mistake("TM", "64"), "");
        assert_eq!(mistake("SCALE", "2"), "");
        assert_eq!(mistake("CHECKS", "1"), "");
        assert_eq!(
            mistake("TX", "64"),
            "there is no specialization constant `TX`; expected one of CHECKS (1), SCALE (2), TM (3)"
        );
        assert_eq!(mistake("3", "-1"), "TM is of type uint, and -1 is not a value of that type");
        assert_eq!(mistake("3", "1.5"), "TM is of type uint, and 1.5 is not a value of that type");
        assert_eq!(mistake("TM", "true"), "TM is of type uint, and true is not a value of that type");
        assert_eq!(mistake("CHECKS", "2"), "CHECKS is of type bool, and 2 is not a value of that type");
    }
}
