//! Names that differ in their ends alone: `ne10` and `ne11`, `data_a` and `data_b`, `subgroupMin` and `subgroupMax`. People go through them in the order in which
//! they are declared.

use rustc_hash::FxHashMap;

use super::super::item::Item;
use super::document::Uses;

/// Where an item stands among its like.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sibling {
    /// How many of them are declared before it.
    pub order: u32,
    /// How many tokens before the cursor any of them was used.
    pub last: Option<u32>,
    /// It is declared just after the one that was used last.
    pub follows: bool,
}

/// Of the items of a place, in their order, with the uses of each.
pub fn siblings(items: &[Item], uses: &[Uses]) -> Vec<Sibling> {
    let mut families: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (index, item) in items.iter().enumerate() {
        families.entry(stem(&item.label)).or_default().push(index);
    }
    let mut found = vec![Sibling::default(); items.len()];
    for family in families.values().filter(|family| family.len() > 1) {
        let used = |index: &&usize| uses.get(**index).is_some_and(|uses| uses.before > 0);
        let latest = family.iter().filter(used).min_by_key(|&&index| uses[index].last).copied();
        for (order, &index) in family.iter().enumerate() {
            let predecessor = order.checked_sub(1).map(|before| family[before]);
            found[index] = Sibling {
                order: order as u32,
                last: latest.map(|index| uses[index].last),
                follows: latest.is_some() && predecessor == latest,
            };
        }
    }
    found
}

/// A name without what tells it from its like: the digits at its end, else its last word. The letters of a vendor are none of that.
pub fn stem(name: &str) -> &str {
    let capital = |byte: &u8| byte.is_ascii_uppercase();
    let bytes = name.as_bytes();
    let run = bytes.iter().rev().take_while(|byte| capital(byte)).count();
    let own = if run > 1 && run < bytes.len() { bytes.len() - run } else { bytes.len() };
    let digits = bytes[..own].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 {
        return name.get(..own - digits).unwrap_or(name);
    }
    let word = bytes[..own].iter().rposition(|byte| byte.is_ascii_uppercase() || *byte == b'_');
    word.and_then(|at| name.get(..at + usize::from(bytes[at] == b'_'))).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn stems_leave_out_what_tells_names_apart() {
        for (name, wanted) in [
            ("ne10", "ne"),
            ("data_a", "data_"),
            ("subgroupInclusiveMul", "subgroupInclusive"),
            ("subgroupPartitionedAndNV", "subgroupPartitioned"),
            ("gl_WorkGroupID", "gl_Work"),
            ("row", "row"),
            ("BK", "B"),
        ] {
            assert_eq!(stem(name), wanted, "{name}");
        }
    }
}
