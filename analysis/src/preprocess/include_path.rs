//! Paths of includes: joined and normalised as text, with `/` on every system.

/// `folder/path` normalised, or `path` itself when it is absolute.
pub fn join(folder: &str, path: &str) -> String {
    if is_absolute(path) || folder.is_empty() {
        normalize(path)
    } else {
        let joined = normalize(&format!("{folder}/{path}"));
        // A share of another machine stays one; a path that names one by itself does not become one.
        if folder.starts_with("//") { format!("/{joined}") } else { joined }
    }
}

/// The folder of a path, without the last `/`; empty when there is none.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => "",
    }
}

/// Takes `.`, `..` and doubled `/` out of a path. A scheme (`file:///`, `untitled:`) and a drive stay as they are.
pub fn normalize(path: &str) -> String {
    let path = if path.contains('\\') { path.replace('\\', "/") } else { path.to_owned() };
    let (prefix, rest) = match path.find("://") {
        Some(at) if path[..at].bytes().all(|byte| byte.is_ascii_alphanumeric()) => path.split_at(at + 3),
        _ => ("", path.as_str()),
    };
    let absolute = rest.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&"..") | None if !absolute => parts.push(".."),
                _ => {
                    parts.pop();
                }
            },
            part => parts.push(part),
        }
    }
    format!("{prefix}{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with(['/', '\\'])
        || path.contains("://")
        || (bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'/' | b'\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_normalised() {
        assert_eq!(normalize("a/./b//../c.glsl"), "a/c.glsl");
        assert_eq!(normalize("../a/../../c"), "../../c");
        assert_eq!(normalize("/../a"), "/a");
        assert_eq!(normalize("a\\b\\..\\c"), "a/c");
        assert_eq!(normalize("file:///w/x/../y"), "file:///w/y");
    }

    #[test]
    fn an_absolute_path_ignores_the_folder() {
        assert_eq!(join("shaders/sub", "../types.glsl"), "shaders/types.glsl");
        assert_eq!(join("shaders", "/lib/x.glsl"), "/lib/x.glsl");
        assert_eq!(join("shaders", "C:/lib/x.glsl"), "C:/lib/x.glsl");
        assert_eq!(join("", "x.glsl"), "x.glsl");
        assert_eq!(join("//server/share/p", "../x.glsl"), "//server/share/x.glsl");
        assert_eq!(join("/p", "\\\\server\\share\\x.glsl"), "/server/share/x.glsl");
        assert_eq!(parent("a/b/c"), "a/b");
        assert_eq!(parent("c"), "");
    }
}
