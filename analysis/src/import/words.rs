//! The words of a command line: as a POSIX shell cuts it, or as Windows programs do where paths tell that it is from there.

/// The words, or `None` where a quotation does not end.
pub fn split(line: &str) -> Option<Vec<String>> {
    if is_windows(line) { Some(split_windows(line)) } else { shlex::split(line) }
}

/// Whether a path with a drive and backslashes stands outside of quotes, where a shell would take the backslashes away.
fn is_windows(line: &str) -> bool {
    let bytes = line.as_bytes();
    memchr::memmem::find_iter(bytes, ":\\").any(|colon| {
        let drive = colon.checked_sub(1).and_then(|at| bytes.get(at));
        let before = colon.checked_sub(2).and_then(|at| bytes.get(at));
        drive.is_some_and(u8::is_ascii_alphabetic) && before.is_none_or(|byte| !byte.is_ascii_alphanumeric())
    })
}

/// As `CommandLineToArgvW` reads: only a backslash before a quotation mark is special.
fn split_windows(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' => {
                let mut count = 1;
                while chars.next_if_eq(&'\\').is_some() {
                    count += 1;
                }
                let word = word.get_or_insert_default();
                if chars.peek() == Some(&'"') {
                    word.extend(std::iter::repeat_n('\\', count / 2));
                    if count % 2 == 1 {
                        word.extend(chars.next());
                    }
                } else {
                    word.extend(std::iter::repeat_n('\\', count));
                }
            }
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' | '\t' if !quoted => words.extend(word.take()),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_escapes_are_those_of_a_shell() {
        let words = split(r#"glslc '-DA=b c' "-DB=\"x\"" -DC=d\ e "" a.comp"#).unwrap();
        assert_eq!(words, ["glslc", "-DA=b c", "-DB=\"x\"", "-DC=d e", "", "a.comp"]);
        assert_eq!(split("glslc 'a.comp"), None);
    }

    #[test]
    fn windows_paths_keep_their_backslashes() {
        let words = split(r#"C:\sdk\glslc.exe "C:\my shaders\a.comp" -o b\a.spv "-DX=\"q\"""#).unwrap();
        assert_eq!(words, [r"C:\sdk\glslc.exe", r"C:\my shaders\a.comp", "-o", r"b\a.spv", "-DX=\"q\""]);
    }
}
