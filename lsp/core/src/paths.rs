//! URIs to the paths that the analysis knows, and back.
//!
//! A `file:` URI becomes its path with `/`; any other scheme (`untitled:`, a virtual workspace of a web editor) is kept
//! whole, so that a relative include beside it still joins.

use std::str::FromStr as _;

use tower_lsp::ls_types::Uri;

/// The path of a document.
pub fn of_uri(uri: &Uri) -> String {
    if uri.scheme().as_str().eq_ignore_ascii_case("file") {
        let path = uri.path().decode().to_string_lossy();
        let host = uri.authority().map(|authority| authority.host()).unwrap_or_default();
        if !host.is_empty() && host != "localhost" {
            return format!("//{host}{path}");
        }
        return normalize(match path.as_bytes() {
            // `/c:/folder`: a drive, which Windows writes without the first slash.
            [b'/', drive, b':', ..] if drive.is_ascii_alphabetic() => &path[1..],
            _ => &path,
        });
    }
    uri.as_str().to_owned()
}

/// The URI of a path; `None` for what no URI can be made of (a relative path).
pub fn to_uri(path: &str) -> Option<Uri> {
    if let Some((scheme, _)) = path.split_once(':')
        && scheme.len() > 1
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    {
        return Uri::from_str(path).ok();
    }
    let mut text = String::with_capacity(path.len() + 8);
    text.push_str("file://");
    let bytes = path.as_bytes();
    if let Some(rest) = path.strip_prefix("//") {
        encode(&mut text, rest);
    } else if bytes.first() == Some(&b'/') {
        encode(&mut text, path);
    } else if bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && bytes[2] == b'/' {
        text.push('/');
        encode(&mut text, path);
    } else {
        return None;
    }
    Uri::from_str(&text).ok()
}

/// Percent-encodes what RFC 3986 does not leave alone in a path; the drive's colon too, as editors do.
pub fn encode(out: &mut String, path: &str) {
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for half in [byte >> 4, byte & 15] {
                out.push(char::from(b"0123456789ABCDEF"[usize::from(half)]));
            }
        }
    }
}

/// Takes `.` and `..` out of a path.
pub fn normalize(path: &str) -> String {
    if !path.split('/').any(|part| matches!(part, "." | "..")) {
        return path.to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts.last().is_some_and(|last| !last.is_empty() && *last != "..") => {
                parts.pop();
            }
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The folder that holds a file, without a slash at its end; empty at the root.
pub fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}

/// Whether a file lies in a folder or in one below it.
pub fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths() {
        for (uri, path) in [
            ("file:///a/b%20c/%C3%A9.comp", "/a/b c/é.comp"),
            ("file:///c%3A/shaders/x.comp", "c:/shaders/x.comp"),
            ("file://server/share/x.comp", "//server/share/x.comp"),
            ("untitled:Untitled-1", "untitled:Untitled-1"),
            ("vscode-vfs://github/owner/repo/x.comp", "vscode-vfs://github/owner/repo/x.comp"),
        ] {
            let parsed = Uri::from_str(uri).unwrap();
            assert_eq!(of_uri(&parsed), path);
            assert_eq!(to_uri(path).unwrap().as_str(), uri);
        }
        assert_eq!(of_uri(&Uri::from_str("file:///c:/x.comp").unwrap()), "c:/x.comp");
        assert!(to_uri("relative.comp").is_none());
    }

    #[test]
    fn dots_are_taken_out() {
        assert_eq!(normalize("/a/./b/../c.glsl"), "/a/c.glsl");
        assert_eq!(normalize("/../x"), "/x");
        assert_eq!(normalize("../x"), "../x");
    }
}
