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
    // Whether another name is as near that means something else: `UseA` and `UseB` to `Use`.
    let mut is_open = false;
    for candidate in candidates {
        match by_words(name, candidate) {
            Words::Abbreviation => {
                if best.is_none_or(|(known, other)| (0, candidate) < (known, other)) {
                    best = Some((0, candidate));
                    is_open = false;
                }
                continue;
            }
            Words::AnotherMeaning => continue,
            Words::Spelling => {}
        }
        if candidate.len().abs_diff(name.len()) > limit {
            continue;
        }
        let Some(distance) = distance(name.as_bytes(), candidate.as_bytes(), limit) else { continue };
        // What differs in case alone comes with the abbreviations; any other spelling behind them.
        let distance = if name.eq_ignore_ascii_case(candidate) { 0 } else { distance.max(1) };
        if lacks_meaning(name, candidate, distance) {
            continue;
        }
        is_open = match best {
            Some((known, other)) if known == distance => {
                is_open || by_words(other, candidate) == Words::AnotherMeaning
            }
            Some((known, _)) if known < distance => is_open,
            _ => false,
        };
        // Among equals the first by name, so that the answer does not depend on the order of a hash table.
        if best.is_none_or(|(known, other)| (distance, candidate) < (known, other)) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate).filter(|&candidate| candidate != name && !is_open)
}

/// Whether so many changes may have put a word into the candidate that has an opposite, and that the name does not say: `CMajor` is no
/// `RowMajor`.
fn lacks_meaning(name: &str, candidate: &str, changes: usize) -> bool {
    let says = |word: &str| {
        name.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    };
    words(candidate).into_iter().any(|word| {
        let has_opposite =
            OPPOSITES.iter().any(|group| group.iter().any(|known| known.eq_ignore_ascii_case(word)));
        has_opposite && changes >= word.len() && !says(word)
    })
}

/// What two names have to do with each other, word by word.
#[derive(Debug, PartialEq, Eq)]
enum Words {
    /// The same words, some of them shortened in one: `ColMajor` and `ColumnMajor`.
    Abbreviation,
    /// One word says something else, and is spelled right: `RowMajor` and `ColumnMajor`, `UseA` and `UseB`.
    AnotherMeaning,
    /// To be compared letter by letter.
    Spelling,
}

/// Words that are not to be taken for each other, however near their letters are.
const OPPOSITES: &[&[&str]] = &[
    &["row", "column", "col"],
    &["min", "max"],
    &["add", "sub"],
    &["load", "store"],
    &["pack", "unpack"],
    &["acquire", "release"],
    &["inclusive", "exclusive"],
];

fn by_words(name: &str, candidate: &str) -> Words {
    let (ours, theirs) = (words(name), words(candidate));
    if ours.len() != theirs.len() || ours.len() < 2 {
        return Words::Spelling;
    }
    let shortened = |a: &str, b: &str| {
        let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
        short.len() >= 3 && long.get(..short.len()).is_some_and(|start| start.eq_ignore_ascii_case(short))
    };
    let mut abbreviation = false;
    for (ours, theirs) in ours.into_iter().zip(theirs) {
        if ours.eq_ignore_ascii_case(theirs) {
            continue;
        }
        let is = |word: &str, known: &&str| known.eq_ignore_ascii_case(word);
        let opposite = OPPOSITES.iter().any(|group| {
            group.iter().any(|known| is(ours, known)) && group.iter().any(|known| is(theirs, known))
        });
        if shortened(ours, theirs) {
            abbreviation = true;
        } else if opposite || (ours.len() == 1 && theirs.len() == 1) {
            return Words::AnotherMeaning;
        } else {
            return Words::Spelling;
        }
    }
    if abbreviation { Words::Abbreviation } else { Words::Spelling }
}

/// `gl_MatrixUseA` in words: `gl`, `Matrix`, `Use`, `A`.
fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut start = 0;
    let bytes = name.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let underscore = *byte == b'_';
        let begins = byte.is_ascii_uppercase() && index > start && !bytes[index - 1].is_ascii_uppercase();
        if underscore || begins {
            words.extend(name.get(start..index).filter(|word| !word.is_empty()));
            start = if underscore { index + 1 } else { index };
        }
    }
    words.extend(name.get(start..).filter(|word| !word.is_empty()));
    words
}

/// The end of a message that suggests a name.
pub fn suggestion(similar: Option<&str>) -> String {
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

    #[test]
    fn a_name_is_not_taken_for_its_opposite() {
        let layouts = ["gl_CooperativeMatrixLayoutRowMajor", "gl_CooperativeMatrixLayoutColumnMajor"];
        let suggest = |name| closest(name, layouts.into_iter());
        assert_eq!(suggest("gl_CooperativeMatrixLayoutColMajor"), Some(layouts[1]));
        assert_eq!(suggest("gl_CooperativeMatrixLayoutColumMajor"), Some(layouts[1]));
        assert_eq!(suggest("gl_CooperativeMatrixLayoutRowMajr"), Some(layouts[0]));
        assert_eq!(closest("gl_CooperativeMatrixLayoutColMajor", layouts[..1].iter().copied()), None);
        assert_eq!(suggest("gl_CooperativeMatrixLayoutCMajor"), None);
        assert_eq!(suggest("gl_CooperativeMatrixLayoutMajor"), None);
        let uses = ["gl_MatrixUseA", "gl_MatrixUseB", "gl_MatrixUseAccumulator"];
        assert_eq!(closest("gl_MatrixUseC", uses.into_iter()), None);
        assert_eq!(closest("gl_MatrixUse", uses.into_iter()), None);
        assert_eq!(closest("gl_MatrixUseAccum", uses.into_iter()), Some(uses[2]));
        assert_eq!(closest("gl_MatrxUseB", uses.into_iter()), Some(uses[1]));
    }
}
