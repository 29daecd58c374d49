//! Words of ours that users write into settings, comments and options: which of them was probably meant.

/// The key that was probably meant: the same letters apart from case and separators, or nearly the same.
pub fn closest<'k>(unknown: &str, keys: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let plain = |text: &str| -> Vec<u8> {
        text.bytes()
            .filter(|byte| byte.is_ascii_alphanumeric())
            .map(|byte| byte.to_ascii_lowercase())
            .collect()
    };
    let unknown = plain(unknown);
    keys.map(|key| (key, distance(&unknown, &plain(key))))
        .filter(|(_, far)| *far <= 3)
        .min_by_key(|(_, far)| *far)
        .map(|(key, _)| key)
}

fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().take(64).enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
