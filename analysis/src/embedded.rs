//! How shaders in strings of other languages are named: `FILE#NAME.STAGE`, where `FILE#NAME` is what people write.

/// A language that has GLSL in its strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// With C, Objective-C and CUDA.
    Cpp,
    /// Rust.
    Rust,
}

const EXTENSIONS: &[(&str, Language)] = &[
    ("c", Language::Cpp),
    ("cc", Language::Cpp),
    ("cpp", Language::Cpp),
    ("cxx", Language::Cpp),
    ("c++", Language::Cpp),
    ("cppm", Language::Cpp),
    ("cu", Language::Cpp),
    ("cuh", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("hxx", Language::Cpp),
    ("ipp", Language::Cpp),
    ("ixx", Language::Cpp),
    ("m", Language::Cpp),
    ("mm", Language::Cpp),
    ("rs", Language::Rust),
];

/// Shaders have headers of this name, too.
const EITHER: &str = "h";

fn extension(path: &str) -> Option<&str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(name.rsplit_once('.')?.1)
}

impl Language {
    /// By the name of a file. `.h` is none: shaders have headers of that name, too.
    pub fn of_path(path: &str) -> Option<Language> {
        let extension = extension(path)?;
        let found = EXTENSIONS.iter().find(|(known, _)| extension.eq_ignore_ascii_case(known));
        found.map(|(_, language)| *language)
    }

    /// By the name of a file that has strings.
    pub fn of_path_with_strings(path: &str) -> Option<Language> {
        Language::of_path(path).or_else(|| (extension(path)? == EITHER).then_some(Language::Cpp))
    }

    /// By what an editor calls it.
    pub fn of_id(id: &str) -> Option<Language> {
        match id {
            "c" | "cpp" | "cuda" | "cuda-cpp" | "objc" | "objcpp" | "objective-c" | "objective-cpp" => {
                Some(Language::Cpp)
            }
            "rust" => Some(Language::Rust),
            _ => None,
        }
    }
}

/// The file and the name of a path that stands for a shader in a string.
pub fn split(path: &str) -> Option<(&str, &str)> {
    let (file, name) = path.rsplit_once('#')?;
    Language::of_path_with_strings(file)?;
    if name.contains('/') || name.is_empty() {
        return None;
    }
    // A name has no dot.
    Some((file, name.split_once('.').map_or(name, |(name, _)| name)))
}

/// The paths that globs may mean by a path: of a shader in a string `FILE#NAME` and `FILE`, else itself.
pub(crate) fn names(path: &str) -> impl Iterator<Item = &str> {
    let (first, second) = match split(path) {
        Some((file, name)) => (path.get(..file.len() + 1 + name.len()).unwrap_or(path), Some(file)),
        None => (path, None),
    };
    std::iter::once(first).chain(second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_in_strings_have_names() {
        assert_eq!(split("a/x.cpp#add.comp"), Some(("a/x.cpp", "add")));
        assert_eq!(split("a/x.cpp#add"), Some(("a/x.cpp", "add")));
        assert_eq!(split("a/x.h#add.glsl"), Some(("a/x.h", "add")));
        assert_eq!(split("a/x.cpp"), None);
        assert_eq!(split("a/x.cpp#"), None);
        assert_eq!(split("a#b/x.comp"), None);
        assert_eq!(split("a/x#add.comp"), None);
        assert_eq!(names("a/x.cpp#add.comp").collect::<Vec<_>>(), ["a/x.cpp#add", "a/x.cpp"]);
        assert_eq!(names("a/x#y.comp").collect::<Vec<_>>(), ["a/x#y.comp"]);
    }
}
