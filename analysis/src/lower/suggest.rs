//! "Did you mean": the known name that is nearest to an unknown one.

/// The candidate with the smallest edit distance, when it is small for the length of the name.
pub fn closest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.len() {
        0..=2 => return None,
        3..=5 => 1,
        6..=20 => 2,
        21..=64 => 3,
        _ => return None,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let Some(distance) = distance(name.as_bytes(), candidate.as_bytes(), limit) else { continue };
        // Among equals the first by name, so that the answer does not depend on the order of a hash table.
        if best.is_none_or(|(known, other)| (distance, candidate) < (known, other)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate).filter(|&candidate| candidate != name)
}

/// The end of a message that suggests a name.
pub(super) fn suggestion(similar: Option<&str>) -> String {
    match similar {
        Some(similar) => format!(": did you mean `{similar}`?"),
        None => String::new(),
    }
}

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other; `None` past `limit`. Letters that differ
/// in case alone count as equal but for a tie.
fn distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    let mut before: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for (row, &from) in a.iter().enumerate() {
        let mut current = Vec::with_capacity(b.len() + 1);
        current.push(row + 1);
        let mut smallest = row + 1;
        for (column, &to) in b.iter().enumerate() {
            let same = from.eq_ignore_ascii_case(&to);
            let mut cost = (previous[column] + usize::from(!same))
                .min(previous[column + 1] + 1)
                .min(current[column] + 1);
            if row > 0 && column > 0 && from == b[column - 1] && a[row - 1] == to {
                cost = cost.min(before[column - 1] + 1);
            }
            smallest = smallest.min(cost);
            current.push(cost);
        }
        if smallest > limit {
            return None;
        }
        before = std::mem::replace(&mut previous, current);
    }
    previous.last().copied().filter(|&distance| distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn near_names_are_suggested() {
        let names = ["coopMatMulAdd", "coopMatLoad", "vec4", "float16_t"];
        let suggest = |name| closest(name, names.into_iter());
        assert_eq!(suggest("coopMatMullAdd"), Some("coopMatMulAdd"));
        assert_eq!(suggest("coopmatload"), Some("coopMatLoad"));
        assert_eq!(suggest("vce4"), Some("vec4"));
        assert_eq!(suggest("float61_t"), Some("float16_t"));
        assert_eq!(suggest("matrix"), None);
        assert_eq!(suggest("x"), None);
    }
}
