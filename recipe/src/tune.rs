//! The choices that `[tune]` leaves open: every combination of its values that its conditions allow.

use std::collections::BTreeMap;

use crate::model::{Number, Recipe};
use crate::read::{Fault, Place, RecipeError};
use crate::sizes::Sizes;

/// Combinations that are looked at; conditions may leave fewer.
const MOST: usize = 1 << 20;

/// Values by name, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice(pub Vec<(String, i64)>);

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&values.join(" "))
    }
}

/// All choices of a recipe, and how many combinations its conditions leave out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// In the order of the values, the last name's changing first.
    pub allowed: Vec<Choice>,
    /// Combinations for which a condition does not hold.
    pub excluded: usize,
}

/// What `[tune]` of a recipe leaves open; `text` is the recipe's, for places of errors.
///
/// # Errors
/// That there is no `[tune]`, or what is wrong in it.
pub fn choices(recipe: &Recipe, text: &str) -> Result<Choices, RecipeError> {
    found(recipe).map_err(|fault| fault.locate(text))
}

fn found(recipe: &Recipe) -> Result<Choices, Fault> {
    let place = Place::top("tune");
    let Some(tune) = recipe.tune.as_ref().filter(|tune| !tune.values.is_empty()) else {
        return Err(place.fail(
            "the recipe does not say what may be chosen: add `[tune]` with `values = { NAME = [16, 32], ... }`, where each name is a size or a specialization constant",
        ));
    };
    let mut count = 1usize;
    for (name, values) in &tune.values {
        let place = place.then("values").then(name.as_str());
        if values.is_empty() {
            return Err(place.fail(format!("`{name}` has no values: write at least one")));
        }
        count = count.saturating_mul(values.len());
        if count > MOST {
            return Err(place.fail(format!("there are more than {MOST} combinations: leave values out")));
        }
    }
    let mut choices = Choices::default();
    for number in 0..count {
        let choice = Choice::of_number(&tune.values, number);
        match allows(recipe, &choice)? {
            true => choices.allowed.push(choice),
            false => choices.excluded += 1,
        }
    }
    Ok(choices)
}

impl Choice {
    fn of_number(values: &BTreeMap<String, Vec<i64>>, mut number: usize) -> Choice {
        let mut chosen = Vec::new();
        for (name, values) in values.iter().rev() {
            chosen.extend(values.get(number % values.len()).map(|value| (name.clone(), *value)));
            number /= values.len();
        }
        chosen.reverse();
        Choice(chosen)
    }
}

/// Whether all conditions hold: the sizes of the recipe, with the choice in the place of those of its names.
fn allows(recipe: &Recipe, choice: &Choice) -> Result<bool, Fault> {
    let mut written = recipe.sizes.clone();
    written.extend(choice.0.iter().map(|(name, value)| (name.clone(), Number::Integer(*value))));
    let sizes = Sizes::new(&written)?;
    let place = Place::top("tune").then("where");
    for (index, condition) in recipe.tune.iter().flat_map(|tune| &tune.conditions).enumerate() {
        let value = sizes.number(&Number::Formula(condition.clone()), &place.then(index))?;
        // NaN comes of a division by zero, which no condition means to allow.
        if value == 0.0 || value.is_nan() {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(tune: &str) -> Result<Choices, RecipeError> {
        let text =
            format!("dispatch = [1]\nsizes = {{ M = 64, WARPS = \"BM / WM\", BM = 32, WM = 16 }}\n{tune}");
        choices(&crate::parse(&text)?, &text)
    }

    #[test]
    fn conditions_use_sizes_that_follow_from_the_choice() {
        let found =
            of("[tune]\nvalues = { BM = [32, 64], WM = [16, 32] }\nwhere = [\"WARPS > 1\"]\n").unwrap();
        let told: Vec<String> = found.allowed.iter().map(Choice::to_string).collect();
        assert_eq!(told, ["BM=32 WM=16", "BM=64 WM=16", "BM=64 WM=32"]);
        assert_eq!(found.excluded, 1);
    }

    #[test]
    fn mistakes_are_told() {
        let message = |tune| of(tune).expect_err("a mistake").message;
        assert!(message("").starts_with("the recipe does not say what may be chosen: add `[tune]`"));
        assert_eq!(message("[tune]\nvalues = { BM = [] }\n"), "`BM` has no values: write at least one");
        assert_eq!(
            message("[tune]\nvalues = { BM = [1] }\nwhere = [\"BN == 1\"]\n"),
            "`BN == 1`: there is no size `BN`: expected one of BM, M, WARPS, WM"
        );
        let many = (0..200).map(|value| value.to_string()).collect::<Vec<_>>().join(", ");
        let values = format!("[tune]\nvalues = {{ A = [{many}], B = [{many}], C = [{many}] }}\n");
        assert_eq!(message(&values), "there are more than 1048576 combinations: leave values out");
    }

    #[test]
    fn a_division_by_zero_excludes() {
        let found = of("[tune]\nvalues = { WM = [0, 16] }\nwhere = [\"BM % WM == 0\"]\n").unwrap();
        assert_eq!(found.allowed.len(), 1);
    }
}
