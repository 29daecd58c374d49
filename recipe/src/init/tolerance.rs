//! How far a product of matrices may be from the exact one, by its types and its depth.

use crate::component::Component;
use crate::model::{ElementType, Tolerance};

/// Types that a product goes through.
pub struct Types {
    /// A and B in memory.
    pub memory: [Option<ElementType>; 2],
    /// A and B as they are multiplied.
    pub input: Option<Component>,
    /// The sums.
    pub sum: Option<Component>,
    /// The result in memory.
    pub result: Option<Component>,
}

/// The unit roundoff of a floating-point type: half of the distance from 1 to the next number, as a power of two.
fn roundoff(component: Component) -> Option<i32> {
    Some(match component {
        Component::F64 => -53,
        Component::F32 => -24,
        Component::F16 => -11,
        Component::Bf16 => -8,
        Component::E4m3 => -4,
        Component::E5m2 => -3,
        _ => return None,
    })
}

/// For elements from -1 to 1, evenly distributed; with the formula in words. Integers are exact. docs/recipes.md has the derivation.
pub fn of(types: &Types, depth: i64) -> (Tolerance, Option<String>) {
    let Some(sum) = types.sum.and_then(roundoff) else { return (Tolerance::default(), None) };
    let depth = (depth.max(1)) as f64;
    let mut absolute = libm::scalbn(depth * libm::sqrt(depth), sum);
    let mut words = format!("K^1.5 * 2^{sum}");
    let narrowed = |memory: Option<ElementType>| match (memory?, types.input.and_then(roundoff)?) {
        (ElementType::Component(component), input) => {
            roundoff(component).filter(|memory| *memory < input).map(|_| input)
        }
        // A scale and a step are multiplied, and perhaps a minimum added, in the type of the matrix.
        (ElementType::Block(_), input) => Some(input),
    };
    if let Some(input) = types.memory.iter().find_map(|memory| narrowed(*memory)) {
        absolute += 4.0 * libm::scalbn(libm::sqrt(depth), input);
        words.push_str(&format!(" + 4 * K^0.5 * 2^{input}"));
    }
    let result = types.result.and_then(roundoff);
    let relative =
        result.filter(|result| *result > sum || *result > -20).map(|result| libm::scalbn(1.0, result));
    if let Some(result) = result.filter(|_| relative.is_some()) {
        words.push_str(&format!(", and 2^{result} of what is expected"));
    }
    (Tolerance { absolute: Some(rounded(absolute)), relative: relative.map(rounded), ulp: None }, Some(words))
}

/// To two digits, upwards.
fn rounded(value: f64) -> f64 {
    let exponent = libm::floor(libm::log10(value)) as i32 - 1;
    let digits = libm::ceil(value / libm::pow(10.0, f64::from(exponent)));
    format!("{digits}e{exponent}").parse().unwrap_or(value)
}
