//! Diagnostics: the catalogue's entries, and what is reported about a file.
//!
//! An entry is one Markdown page, `analysis/diagnostics/ID.md`: front matter with severity, summary, source and perhaps a quick fix, then the
//! explanation, then a wrong and a right example, which are tests. The build script turns the pages into `codes`.

use std::fmt;

use crate::like::Like;
use crate::similar::closest;
use crate::text::FileRange;

pub mod codes {
    //! One constant for each page of the catalogue: `coopmat-operand-use` is `COOPMAT_OPERAND_USE`.
    use super::{Code, Severity};
    use crate::like::Like;
    include!(concat!(env!("OUT_DIR"), "/diagnostic_codes.rs"));
}

/// How much is wrong, the worst first. CONTRIBUTING.md says which rule has which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The shader is not valid, whatever the device.
    Error,
    /// Undefined behaviour that is visible, or a rule of the Vulkan environment that no device waives.
    Warning,
    /// What depends on the device.
    Information,
    /// What is superfluous or not analysed, and what is wrong only under the defaults of specialization constants.
    Hint,
}

impl Severity {
    /// In small letters, as `check` prints it and front matter writes it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information => "information",
            Severity::Hint => "hint",
        }
    }
}

/// One entry of the catalogue.
#[derive(Debug)]
pub struct Code {
    /// The kebab-case id that users see, silence and look up.
    pub id: &'static str,
    /// As the page's front matter says.
    pub severity: Severity,
    /// One sentence in Markdown, for lists.
    pub summary: &'static str,
    /// Specification and section the rule comes from.
    pub source: &'static str,
    /// How editors mark such code; `None`: as any other.
    pub tag: Option<Tag>,
    /// The title of the quick fix that makes the page's right example of its wrong one, with the names of the example. A diagnostic elsewhere
    /// may have none, or several.
    pub fix: Option<&'static str>,
    /// The compiler that refuses this, where the specifications allow it: told where the configuration asks for its refusals.
    pub like: Option<Like>,
    /// The id of what is told of the same place where nobody asks for that compiler's refusals.
    pub instead_of: Option<&'static str>,
    /// What was not looked at, where that is what it says.
    pub unanalysed: Option<Unanalysed>,
    /// The page's text after its front matter, in Markdown.
    pub page: &'static str,
}

impl Code {
    /// Its page as one Markdown document.
    pub fn document(&self) -> String {
        let fix =
            self.fix.map_or(String::new(), |title| format!("Quick fix (of the wrong example): {title}\n\n"));
        let allowing = match (self.severity, self.unanalysed) {
            (Severity::Error, _) if self.like.is_none() => "This is an error of the language and cannot be allowed.".to_owned(),
            (_, Some(Unanalysed::Extension)) => {
                "Something was not analysed; to accept that, pass the name of the extension to `--allow-unanalysed`."
                    .to_owned()
            }
            (_, Some(_)) => {
                format!("Something was not analysed; to accept that, use `--allow-unanalysed {}`.", self.id)
            }
            (_, None) => {
                format!("To allow it for a line or a file, write `// coopmat-analyzer: allow({})`.", self.id)
            }
        };
        let like = self.like.map_or(String::new(), |like| {
            format!("Valid by the specifications; reported with `check --like {like}` or `like = \"{like}\"` in the project file.\n\n")
        });
        format!(
            "# {}\n\n**{}**: {}\n\nSource: {}\n\n{fix}{like}{allowing}\n\n{}",
            self.id,
            self.severity.name(),
            self.summary,
            self.source,
            self.page
        )
    }

    /// Whether users may do without it, or have it told less loudly: whatever is no error of the language, and does not say that something was not looked at.
    pub fn can_be_allowed(&self) -> bool {
        self.why_never_allowed().is_none()
    }

    /// Why it cannot be allowed, as the end of a sentence that begins with its id.
    pub fn why_never_allowed(&self) -> Option<&'static str> {
        match (self.severity, self.unanalysed) {
            (Severity::Error, _) if self.like.is_none() => {
                Some("is an error of the language and cannot be allowed")
            }
            (_, Some(Unanalysed::Extension)) => Some(
                "means that something was not analysed: accept it by the name of the extension, with `--allow-unanalysed` or `allow-unanalysed`",
            ),
            (_, Some(_)) => Some(
                "means that something was not analysed: accept it with `--allow-unanalysed` or `allow-unanalysed`",
            ),
            (_, None) => None,
        }
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// The entry called `id`.
pub fn find(id: &str) -> Option<&'static Code> {
    codes::ALL.binary_search_by(|code| code.id.cmp(id)).ok().map(|index| codes::ALL[index])
}

/// The entry called `id`, else that there is none and which was probably meant.
pub fn named(id: &str) -> Result<&'static Code, String> {
    find(id).ok_or_else(|| match closest(id, codes::ALL.iter().map(|code| code.id)) {
        Some(close) => format!("there is no diagnostic `{id}`: did you mean `{close}`?"),
        None => format!("there is no diagnostic `{id}`"),
    })
}

/// What was not looked at, so that nothing wrong was found there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unanalysed {
    /// What an extension adds. Who accepts it names the extension, which is the text at the diagnostic's place.
    Extension,
    /// A part of the text: the program in hand is not the one that is written, so that it is not compiled either.
    Text,
    /// A check that gave up.
    Check,
}

/// A marking of code beside the underline (LSP 3.17, DiagnosticTag).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// Shown dimmed: inactive regions, unused and unreachable code.
    Unnecessary,
    /// Shown struck through: what newer versions lack.
    Deprecated,
}

/// Something to tell about a place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that it breaks.
    pub code: &'static Code,
    /// The entry's severity, unless the configuration or the context lowers it (a hint where only default values are wrong).
    pub severity: Severity,
    /// One sentence: what was expected, what is there, and what to do where that is not obvious.
    pub message: String,
    /// Where the mistake is.
    pub location: FileRange,
    /// Declarations and other sides, in the order in which they explain it.
    pub related: Vec<Related>,
}

impl Diagnostic {
    /// Whether there is no module of a shader for which this is told: it has an error, or what is in hand is not the program that is written.
    pub fn prevents_module(&self) -> bool {
        self.severity == Severity::Error || self.code.unanalysed == Some(Unanalysed::Text)
    }
}

/// Another place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where that is.
    pub location: FileRange,
    /// What is there.
    pub message: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_sorted_and_found() {
        assert!(codes::ALL.is_sorted_by(|a, b| a.id < b.id));
        for code in codes::ALL {
            assert_eq!(find(code.id).map(|found| found.id), Some(code.id));
        }
        assert!(find("no-such-diagnostic").is_none());
    }
}
