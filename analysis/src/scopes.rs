//! How far a declaration can be seen: to the end of the block around it, or of the statement that it heads.

/// The offset at which the scope of what is declared before `from` ends.
pub fn end_of_scope(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut braces, mut parentheses) = (from, 0u32, 0u32);
    // The declaration stands between a statement's parentheses: `for (int i = 0; ...)`.
    let mut heads = false;
    while let Some(&byte) = bytes.get(at) {
        if let Some(after) = comment(text, at) {
            at = after;
            continue;
        }
        match byte {
            b'(' => parentheses += 1,
            b')' if parentheses == 0 => heads = true,
            b')' => parentheses -= 1,
            b'{' => braces += 1,
            b'}' if braces == 0 => return at,
            b'}' => {
                braces -= 1;
                if heads && braces == 0 {
                    return at;
                }
            }
            b';' if heads && braces == 0 && parentheses == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    text.len()
}

/// Where a comment that begins here ends.
fn comment(text: &str, at: usize) -> Option<usize> {
    let rest = text.as_bytes().get(at..)?;
    let end = |marker: &[u8]| rest.windows(marker.len()).position(|window| window == marker);
    match rest {
        [b'/', b'/', ..] => Some(end(b"\n").map_or(text.len(), |length| at + length)),
        [b'/', b'*', ..] => Some(end(b"*/").map_or(text.len(), |length| at + length + 2)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::end_of_scope;

    /// What can see the declaration at `$0`.
    fn seen(fixture: &str) -> String {
        let at = fixture.find("$0").unwrap_or_default();
        let text = fixture.replace("$0", "");
        text[at..end_of_scope(&text, at)].to_owned()
    }

    #[test]
    fn blocks_end_with_their_brace() {
        assert_eq!(seen("{ int a$0 = f(1); { b } c } d"), " = f(1); { b } c ");
        assert_eq!(seen("{ int a$0; // }\n /* } */ c } d"), "; // }\n /* } */ c ");
    }

    #[test]
    fn loops_end_with_their_statement() {
        assert_eq!(seen("{ for (int i$0 = 0; i < 4; i++) { f(i); } c }"), " = 0; i < 4; i++) { f(i); ");
        assert_eq!(seen("{ for (int i$0 = 0; i < 4; i++) f(i); c }"), " = 0; i < 4; i++) f(i)");
    }
}
