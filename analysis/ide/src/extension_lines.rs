//! Where an `#extension` line goes (GLSL 4.60, section 3.3: before the first token that is no directive).

use crate::TextEdit;
use coopmat_analysis::Analysis;
use coopmat_analysis::preprocess::{Behavior, ExtensionEvent};
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

/// The edit that enables an extension for what stands in `file`.
pub fn enable(analysis: &Analysis, file: FileId, name: &str) -> TextEdit {
    Place::of(analysis, file).enable(name)
}

/// Where `#extension` lines are added.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    at: FileRange,
    /// Below a line that is there, rather than above all.
    below: bool,
    /// How the lines of the file end.
    line_end: &'static str,
}

impl Place {
    /// Below the `#extension` lines that are there, else below `#version`. A header without such lines of its own relies on the shader
    /// that includes it, so the lines go there.
    pub fn of(analysis: &Analysis, file: FileId) -> Place {
        place(analysis, file)
    }

    /// The edit that writes `#extension name : require` there, on a line of its own.
    pub fn enable(&self, name: &str) -> TextEdit {
        let text = match self.below {
            true => format!("{}#extension {name} : require", self.line_end),
            false => format!("#extension {name} : require{}", self.line_end),
        };
        TextEdit { range: self.at, text }
    }
}

fn place(analysis: &Analysis, file: FileId) -> Place {
    let own = last_unconditional(analysis, file);
    let (file, after) = match own {
        Some(event) => (file, Some(event.range)),
        None => {
            let version = analysis.preprocessed.version.map(|version| version.range);
            let after = last_unconditional(analysis, FileId::ROOT).map(|event| event.range).or(version);
            (FileId::ROOT, after.filter(|range| range.file == FileId::ROOT))
        }
    };
    let text = &analysis.files()[file].text;
    let offset = after.map_or(TextSize::new(0), |after| line_end(text, after.range.end()));
    let at = FileRange { file, range: TextRange::empty(offset) };
    Place { at, below: after.is_some(), line_end: crate::edit::line_end_of(text) }
}

/// The last `#extension` of a file that stands in no conditional.
fn last_unconditional(analysis: &Analysis, file: FileId) -> Option<&ExtensionEvent> {
    let conditionals = analysis.preprocessed.conditionals(file);
    let conditional = |range: TextRange| {
        conditionals
            .iter()
            .any(|conditional| conditional.branches.iter().any(|branch| branch.body.contains_range(range)))
    };
    // A line that switches everything off ends what it makes sense to add to.
    let events = analysis.preprocessed.extensions.iter().filter(|event| event.range.file == file);
    events
        .take_while(|event| event.name != "all" || event.behavior != Behavior::Disable)
        .filter(|event| !conditional(event.range.range))
        .last()
}

/// The end of the line that holds `offset`, without the line break.
fn line_end(text: &str, offset: TextSize) -> TextSize {
    let start = usize::from(offset).min(text.len());
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let length = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    TextSize::new((start + length) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coopmat_analysis::fixture::Fixture;

    fn enabled(source: &str, file: &str) -> String {
        let fixture = Fixture::parse(source);
        let root = fixture.root();
        let analysis =
            coopmat_analysis::analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
        let file = analysis.files().find(file).expect("the file is read");
        let edit = enable(&analysis, file, "GL_KHR_cooperative_matrix");
        let mut text = analysis.files()[edit.range.file].text.to_string();
        text.replace_range(std::ops::Range::<usize>::from(edit.range.range), &edit.text);
        format!("{}\n{text}", analysis.files()[edit.range.file].path)
    }

    #[test]
    fn below_the_extension_lines_outside_of_conditionals() {
        let shader = "#version 450\n#extension GL_EXT_bfloat16 : enable // why\n#ifdef X\n#else\n#extension GL_EXT_float_e4m3 : enable\n#endif\nvoid main() {}\n";
        assert_eq!(
            enabled(shader, "/main.comp"),
            "/main.comp\n#version 450\n#extension GL_EXT_bfloat16 : enable // why\n#extension GL_KHR_cooperative_matrix : require\n#ifdef X\n#else\n#extension GL_EXT_float_e4m3 : enable\n#endif\nvoid main() {}\n"
        );
    }

    #[test]
    fn below_the_version_or_at_the_top() {
        assert_eq!(
            enabled("#version 450\nvoid main() {}\n", "/main.comp"),
            "/main.comp\n#version 450\n#extension GL_KHR_cooperative_matrix : require\nvoid main() {}\n"
        );
        assert_eq!(
            enabled("void main() {}\n", "/main.comp"),
            "/main.comp\n#extension GL_KHR_cooperative_matrix : require\nvoid main() {}\n"
        );
    }

    #[test]
    fn a_header_without_lines_of_its_own_leaves_it_to_the_shader() {
        let source = "//! google-include:\n//- /main.comp\n#version 450\n#include \"a.glsl\"\nvoid main() {}\n//- /a.glsl\nint a;\n";
        assert!(enabled(source, "/a.glsl").starts_with("/main.comp\n#version 450\n#extension"));
        let source = source.replace("int a;", "#extension GL_EXT_bfloat16 : enable\nint a;");
        assert!(
            enabled(&source, "/a.glsl")
                .starts_with("/a.glsl\n#extension GL_EXT_bfloat16 : enable\n#extension")
        );
    }
}
