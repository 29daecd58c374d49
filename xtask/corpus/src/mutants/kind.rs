//! The kind of a disagreement: who refuses, and the words that it is done with, without names and numbers of one shader.

use std::fmt;

use coopmat_analysis::lex::{LexemeKind, TokenKind, lexemes};
use coopmat_ide::rename::check_new_name;

/// What the analysis, our compiler and `spirv-val` make of a shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ours {
    /// The first error of `check`.
    Refused { id: &'static str, message: String },
    /// `check` passes, and there is a module that `spirv-val` accepts.
    Valid,
    /// `check` passes, and the compiler refuses: which `check` has warned of, or not.
    NotCompiled { message: String, told: bool },
    /// `check` passes, and `spirv-val` refuses the module; with the warnings of `check`, which may be about the same.
    Invalid { complaint: String, warnings: Vec<&'static str> },
    /// A panic, with its place in our sources.
    Panic { message: String, place: String },
}

/// What glslang makes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Theirs {
    Accepted,
    /// With everything that it printed.
    Refused(String),
    Crash,
    Hang,
}

/// One kind of disagreement.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Whether it is wrong whatever glslang says: a panic, or `check` passes without a word what becomes no valid module.
    pub fatal: bool,
    /// What it is listed by.
    pub name: String,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The kind of disagreement between all judges about a text; `None` where they agree.
pub fn kind(ours: &Ours, theirs: &Theirs, text: &str) -> Option<Kind> {
    let fatal = |name: String| Some(Kind { fatal: true, name });
    let differs = |name: String| Some(Kind { fatal: false, name });
    match (ours, theirs) {
        (Ours::Panic { message, place }, _) => fatal(format!("panic: {place}: {}", pattern(message))),
        (Ours::NotCompiled { message, told }, _) => {
            let glslang = match theirs {
                Theirs::Refused(log) => format!(" (glslang: {})", pattern_of_error(log, text)),
                _ => String::new(),
            };
            let name = format!("{}: {}{glslang}", if *told { "told" } else { "not told" }, pattern(message));
            Some(Kind { fatal: !told, name: format!("not compiled, {name}") })
        }
        (Ours::Invalid { complaint, warnings }, _) if warnings.is_empty() => {
            fatal(format!("not valid: {}", pattern(first_complaint(complaint))))
        }
        (Ours::Invalid { complaint, warnings }, _) => differs(format!(
            "not valid, with {}: {}",
            warnings.join(" and "),
            pattern(first_complaint(complaint))
        )),
        (Ours::Refused { id, .. }, Theirs::Crash) => differs(format!("glslang crashes: {id}")),
        (Ours::Refused { id, .. }, Theirs::Hang) => differs(format!("glslang does not end: {id}")),
        (Ours::Valid, Theirs::Crash) => differs("glslang crashes: accepted here".to_owned()),
        (Ours::Valid, Theirs::Hang) => differs("glslang does not end: accepted here".to_owned()),
        (Ours::Refused { id, message }, Theirs::Accepted) => {
            differs(format!("glslang accepts: {id}: {}", pattern(message)))
        }
        (Ours::Valid, Theirs::Refused(log)) => {
            differs(format!("glslang rejects: {}", pattern_of_error(log, text)))
        }
        (Ours::Refused { .. }, Theirs::Refused(_)) | (Ours::Valid, Theirs::Accepted) => None,
    }
}

/// What glslang's first error says. Such an error begins with what it is about: words of the language and of glslang itself stay, as `'binding' :`, and the
/// names of one shader go.
fn pattern_of_error(log: &str, text: &str) -> String {
    let error = first_error(log);
    let subject = error.strip_prefix('\'').and_then(|rest| rest.split_once("' :"));
    match subject {
        Some((word, said)) if !said.contains("syntax error") && !is_of_shader(word, text) => {
            format!("'{word}' : {}", pattern(said))
        }
        _ => pattern(error),
    }
}

/// Whether a word is a number, or a name that stands in a text, but not in `layout(…)`.
fn is_of_shader(word: &str, text: &str) -> bool {
    if word.starts_with(|first: char| first.is_ascii_digit()) {
        return true;
    }
    if check_new_name(word, false).is_err() {
        return false;
    }
    let mut layout = false;
    for lexeme in lexemes(text) {
        let written = text.get(lexeme.start..lexeme.end).unwrap_or_default();
        match lexeme.kind {
            LexemeKind::Token(TokenKind::Identifier) if written == "layout" => layout = true,
            LexemeKind::Token(TokenKind::Identifier) if written == word && !layout => return true,
            LexemeKind::Token(_) if written == ")" => layout = false,
            _ => {}
        }
    }
    false
}

/// The first error in what glslang prints, without its place: that a difference is listed does not depend on a line's number.
pub fn first_error(log: &str) -> &str {
    let Some((_, rest)) = log.split_once("ERROR: ") else { return log.trim() };
    let error = rest.split("ERROR: ").next().unwrap_or(rest).trim();
    let mut parts = error.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(_file), Some(line), Some(message)) if is_number(line) => message.trim(),
        _ => error,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The sentence of `spirv-val`, without the place in the module: `error: line 12: Sentence`.
fn first_complaint(complaint: &str) -> &str {
    let line = complaint.lines().find(|line| line.starts_with("error:")).unwrap_or(complaint);
    let line = line.strip_prefix("error:").unwrap_or(line).trim();
    match line.strip_prefix("line ").and_then(|rest| rest.split_once(": ")) {
        Some((number, rest)) if is_number(number) => rest,
        _ => line,
    }
}

/// A message without what one shader puts into it: what is quoted becomes `*`, a number `N`, and one space is as good as two.
/// What a syntax error expects instead is a list of the grammar's tokens, and left out.
fn pattern(message: &str) -> String {
    let message = message.lines().next().unwrap_or_default();
    let message = message.split(", expecting ").next().unwrap_or(message);
    let mut out = String::new();
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let quoted = matches!(first, '\'' | '`' | '"')
            .then(|| rest.get(1..)?.find(first).map(|length| length + 2))
            .flatten();
        let after_letter = out.chars().last().is_some_and(|last| last.is_alphanumeric() || last == '_');
        let length = match quoted {
            // As in `the shader's`.
            Some(length) if !(first == '\'' && after_letter) => {
                out.push_str("'*'");
                length
            }
            _ if first.is_ascii_digit() && !after_letter => {
                out.push('N');
                rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '.').unwrap_or(rest.len())
            }
            _ => {
                if !(first == ' ' && out.ends_with(' ')) {
                    out.push(first);
                }
                first.len_utf8()
            }
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    out.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(message: &str) -> Ours {
        Ours::Refused { id: "undeclared-name", message: message.to_owned() }
    }

    #[test]
    fn what_is_not_compiled_is_told_or_not() {
        let name = |told, theirs: &Theirs| {
            let ours = Ours::NotCompiled { message: "`far` is not compiled".to_owned(), told };
            kind(&ours, theirs, "int far;").map(|kind| kind.name)
        };
        assert_eq!(name(true, &Theirs::Accepted).as_deref(), Some("not compiled, told: '*' is not compiled"));
        assert_eq!(
            name(false, &Theirs::Refused("ERROR: 0:7: 'far' : no".to_owned())).as_deref(),
            Some("not compiled, not told: '*' is not compiled (glslang: '*' : no)")
        );
    }

    #[test]
    fn who_agrees_is_of_no_kind() {
        assert_eq!(kind(&Ours::Valid, &Theirs::Accepted, ""), None);
        assert_eq!(kind(&refused("x"), &Theirs::Refused("ERROR: y".to_owned()), ""), None);
    }

    #[test]
    fn a_kind_has_no_names_and_no_numbers() {
        let name = |ours: &Ours, theirs: &Theirs| kind(ours, theirs, "int far;").map(|kind| kind.to_string());
        assert_eq!(
            name(&refused("`acc` is not declared: did you mean `a`?"), &Theirs::Accepted).as_deref(),
            Some("glslang accepts: undeclared-name: '*' is not declared: did you mean '*'?")
        );
        let log = "a: parse error: Log: WARNING: 0:3: x  ERROR: 0:7: 'int' : syntax error, unexpected INT, expecting COMMA  ERROR: 1 compilation errors.";
        assert_eq!(
            name(&Ours::Valid, &Theirs::Refused(log.to_owned())).as_deref(),
            Some("glslang rejects: '*' : syntax error, unexpected INT")
        );
        let invalid = |warnings| Ours::Invalid {
            complaint: "error: line 12: OpLoad id '12[%x]' is 32 bits wide\n  %12 = OpLoad".to_owned(),
            warnings,
        };
        assert_eq!(
            name(&invalid(vec![]), &Theirs::Accepted).as_deref(),
            Some("not valid: OpLoad id '*' is N bits wide")
        );
        assert_eq!(
            name(&invalid(vec!["array-size"]), &Theirs::Accepted).as_deref(),
            Some("not valid, with array-size: OpLoad id '*' is N bits wide")
        );
    }

    #[test]
    fn what_glslang_s_error_is_about_stays_but_for_names() {
        let text = "layout(binding = 0) buffer Numbers { int far[]; };";
        let name =
            |log: &str| kind(&Ours::Valid, &Theirs::Refused(log.to_owned()), text).map(|kind| kind.name);
        assert_eq!(
            name("ERROR: 0:7: 'binding' : sampler 'far' needs 2").as_deref(),
            Some("glslang rejects: 'binding' : sampler '*' needs N")
        );
        assert_eq!(name("ERROR: 0:7: '[]' : no").as_deref(), Some("glslang rejects: '[]' : no"));
        assert_eq!(name("ERROR: 0:7: 'assign' : no").as_deref(), Some("glslang rejects: 'assign' : no"));
        assert_eq!(name("ERROR: 0:7: 'far' : no").as_deref(), Some("glslang rejects: '*' : no"));
        assert_eq!(name("ERROR: 0:7: '16' : no").as_deref(), Some("glslang rejects: '*' : no"));
    }

    #[test]
    fn what_is_wrong_by_itself_is_fatal() {
        let message = "no".to_owned();
        let fatal = |ours: Ours| kind(&ours, &Theirs::Crash, "").map(|kind| kind.fatal);
        let not_compiled = |told| Ours::NotCompiled { message: message.clone(), told };
        assert_eq!(fatal(not_compiled(false)), Some(true));
        assert_eq!(fatal(not_compiled(true)), Some(false));
        assert_eq!(fatal(Ours::Panic { message, place: "a.rs:1".to_owned() }), Some(true));
        assert_eq!(fatal(Ours::Valid), Some(false));
    }

    #[test]
    fn the_first_error_is_known_by_its_words() {
        let log = "rules: parse error: Log: ERROR: 0:7: 'coopmat' : coopmat invalid basic type  ERROR: 0:7: '' : compilation terminated";
        assert_eq!(first_error(log), "'coopmat' : coopmat invalid basic type");
        assert_eq!(first_error("Log: ERROR: types.glsl:12: 'x' : no"), "'x' : no");
        assert_eq!(first_error("Log: ERROR: Linking: no entry"), "Linking: no entry");
        assert_eq!(first_error(" no log "), "no log");
    }
}
