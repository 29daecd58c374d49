//! The text of a log: UTF-8, or UTF-16 with its mark, which PowerShell writes where a command's output is sent to a file.

/// The text in a file of a build.
pub fn text(bytes: Vec<u8>) -> String {
    let units = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let (pairs, _) = rest.as_chunks::<2>();
        let units = pairs.iter().map(|pair| unit(*pair));
        char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => units(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => units(rest, u16::from_be_bytes),
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn utf_16_is_known_by_its_mark() {
        let log = "glslc -DX=\u{fc}\u{1f600} a.comp\r\n";
        let units = || std::iter::once(0xfeff).chain(log.encode_utf16());
        assert_eq!(text(units().flat_map(u16::to_le_bytes).collect()), log);
        assert_eq!(text(units().flat_map(u16::to_be_bytes).collect()), log);
        assert_eq!(text(log.as_bytes().to_vec()), log);
        // What is cut off or damaged is read as far as it goes.
        assert_eq!(text(vec![0xff, 0xfe, 0x41, 0x00, 0x00, 0xd8, 0x42]), "A\u{fffd}");
        assert_eq!(text(vec![0x41, 0xff]), "A\u{fffd}");
    }
}
