//! What is told of what an analysis has found, and how loudly: comments in the source allow some of it, and the configuration has levels. Where
//! another compiler's refusals are asked for, they are told with the rest.
//!
//! Whoever shows diagnostics asks here, so that the command line, the server and the page say the same. What decides about validity
//! - whether a shader is compiled - reads the analysis itself, whose errors are all told.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::allow::Comments;
use crate::analysis::{Analysis, first_line};
use crate::checks::LATE_CODES;
use crate::diagnostics::{Code, Diagnostic, Severity, Unanalysed, codes, find};
use crate::extensions;
use crate::levels::Level;
use crate::repeated;
use crate::text::{FileId, FileRange, TextRange};

/// Reports of how fast a shader is: a crate above finds them, if they are asked for.
pub const PERFORMANCE_CODES: [&Code; 2] = [&codes::BANK_CONFLICTS, &codes::MATRIX_REGISTERS];

/// What is told about an analysis.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Sorted by place, the file that was asked for first.
    pub diagnostics: Vec<Diagnostic>,
    /// Regions that the preprocessor left out, for editors.
    pub inactive: Vec<Diagnostic>,
    /// What was not looked at, each once, in the order of the diagnostics that say so. Levels and comments change nothing about it.
    pub unanalysed: Vec<NotLookedAt>,
}

/// Something that was not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLookedAt {
    /// What accepts it: the name of an extension, or the id of a diagnostic.
    pub name: String,
    /// Whether the configuration accepts it.
    pub allowed: bool,
}

/// What a diagnostic says was not looked at, and whether the configuration accepts that. An error says more than this.
pub fn not_looked_at(analysis: &Analysis, diagnostic: &Diagnostic) -> Option<NotLookedAt> {
    if diagnostic.severity == Severity::Error && diagnostic.code.severity == Severity::Warning {
        return None;
    }
    let name = match diagnostic.code.unanalysed? {
        Unanalysed::Text | Unanalysed::Check => diagnostic.code.id,
        Unanalysed::Extension => {
            let FileRange { file, range } = diagnostic.location;
            let named = analysis.files()[file].text.get(std::ops::Range::<usize>::from(range));
            // Where `#extension all : warn` enables it, the place is a use of it, and the message begins with the name.
            let said = diagnostic.message.split_whitespace().next();
            [named, said].into_iter().flatten().find(|name| extensions::is_extension_name(name))?
        }
    };
    let allowed = analysis.config.allow_unanalysed.iter().any(|one| one == name);
    Some(NotLookedAt { name: name.to_owned(), allowed })
}

/// What takes longer to find than the rest: what is told of shared memory, and what of the shader is not compiled.
#[derive(Clone, Debug)]
pub enum Later {
    /// What of the same text is not compiled, as a crate above found it. What is told of shared memory is looked for now.
    Known(Vec<Diagnostic>),
    /// What of both was found of an earlier text, where nobody has looked yet.
    Expected(Vec<Diagnostic>),
}

/// What is told about an analysis by itself, each place of it: whether the shader is compiled is for a crate above to say, by [`told_with`].
pub fn told(analysis: &Analysis) -> Told {
    judged(analysis, analysis.late_diagnostics().to_vec(), Known { memory: true, module: false })
}

/// What is told about an analysis. Nothing takes errors of the language back; of the rest, another compiler's refusals among it, comments come first, then the configuration's
/// levels. A comment holds for the file that it stands in, so that a header's are obeyed by every shader that includes it.
///
/// What of the shader is not compiled is told with the rest.
pub fn told_with(analysis: &Analysis, later: Later) -> Told {
    let mut told = match later {
        Later::Known(mut found) => {
            found.extend_from_slice(analysis.late_diagnostics());
            judged(analysis, found, Known { memory: true, module: true })
        }
        Later::Expected(found) => judged(analysis, found, Known { memory: false, module: false }),
    };
    repeated::once(&mut told.diagnostics);
    told
}

/// What of the things that are found later is known of this text.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    memory: bool,
    module: bool,
}

fn judged(analysis: &Analysis, late: Vec<Diagnostic>, known: Known) -> Told {
    let mut comments = Allowed { known, ..Allowed::of(analysis) };
    let mut judge = |diagnostic: &mut Diagnostic| {
        diagnostic.severity == Severity::Error
            || (!comments.take(diagnostic) && is_told(analysis, diagnostic))
    };
    let mut unanalysed: Vec<NotLookedAt> = Vec::new();
    for found in analysis.diagnostics.iter().filter_map(|diagnostic| not_looked_at(analysis, diagnostic)) {
        if !unanalysed.contains(&found) {
            unanalysed.push(found);
        }
    }
    let mut diagnostics = analysis.diagnostics.clone();
    diagnostics.extend(late);
    diagnostics.retain_mut(&mut judge);
    let mut inactive = analysis.inactive_regions();
    inactive.retain_mut(&mut judge);
    let mut refusals = analysis.refusals.clone();
    refusals.retain_mut(|refusal| !comments.take(refusal) && is_told(analysis, refusal));
    // A refusal stands for the milder words about the same place.
    let stands_for: FxHashSet<(&str, FileRange)> =
        refusals.iter().filter_map(|refusal| Some((refusal.code.instead_of?, refusal.location))).collect();
    diagnostics.retain(|diagnostic| {
        diagnostic.severity == Severity::Error
            || !stands_for.contains(&(diagnostic.code.id, diagnostic.location))
    });
    diagnostics.append(&mut refusals);
    let mut complaints: Vec<Diagnostic> = comments.complaints(analysis);
    complaints.retain_mut(|complaint| !comments.take(complaint) && is_told(analysis, complaint));
    diagnostics.append(&mut complaints);
    if analysis.is_header_alone() && diagnostics.iter().any(|one| one.severity <= Severity::Warning) {
        diagnostics.retain(|one| one.severity > Severity::Warning);
        let note = header_alone(analysis);
        unanalysed.clear();
        unanalysed.extend(not_looked_at(analysis, &note));
        diagnostics.push(note);
    }
    diagnostics.sort_by_key(|diagnostic| (diagnostic.location.file, diagnostic.location.range.start()));
    Told { diagnostics, inactive, unanalysed }
}

/// In place of what is wrong in a header that no shader is known to include: which may bring what it lacks.
fn header_alone(analysis: &Analysis) -> Diagnostic {
    Diagnostic {
        code: &codes::HEADER_ALONE,
        severity: codes::HEADER_ALONE.severity,
        message: "no known shader includes this header in any configuration: it is not checked, as it may need what a shader declares before including it".to_owned(),
        location: first_line(&analysis.preprocessed),
        related: Vec::new(),
    }
}

/// Gives a diagnostic its level; whether it is told at all.
fn is_told(analysis: &Analysis, diagnostic: &mut Diagnostic) -> bool {
    if not_looked_at(analysis, diagnostic).is_some_and(|found| found.allowed) {
        diagnostic.severity = Severity::Information;
        return true;
    }
    let levels = &analysis.config.levels;
    if levels.is_empty() {
        return true;
    }
    match levels.of(diagnostic.code, &analysis.files()[diagnostic.location.file].path) {
        Some(Level::Allow) => return false,
        Some(Level::Tell(severity)) => diagnostic.severity = severity,
        None => {}
    }
    true
}

/// What the comments of all files allow, and what of that was needed.
struct Allowed {
    files: Vec<(FileId, Comments)>,
    /// By file and id; those for the file first, then in the order of the lines that they hold for.
    by_id: FxHashMap<(FileId, &'static str), Vec<Allow>>,
    /// Before something is known, what allows it may be needed.
    known: Known,
}

/// One id of one comment.
struct Allow {
    /// `None`: the whole file.
    line: Option<TextRange>,
    needed: bool,
    /// Where to say that it was not: the id, or the comment where that is all that it allows.
    place: TextRange,
}

impl Allowed {
    fn of(analysis: &Analysis) -> Allowed {
        let files = analysis.files().iter();
        let files: Vec<_> = files.map(|(id, file)| (id, Comments::of(&file.text))).collect();
        let mut by_id: FxHashMap<(FileId, &'static str), Vec<Allow>> = FxHashMap::default();
        for (file, comments) in &files {
            for comment in &comments.list {
                for (place, code) in &comment.ids {
                    let alone = comment.ids.len() == 1;
                    let place = if alone { comment.range } else { *place };
                    let allow = Allow { line: comment.line, needed: false, place };
                    by_id.entry((*file, code.id)).or_default().push(allow);
                }
            }
        }
        Allowed { files, by_id, known: Known::default() }
    }

    /// Whether a comment allows a diagnostic, which is then needed.
    fn take(&mut self, diagnostic: &Diagnostic) -> bool {
        let FileRange { file, range } = diagnostic.location;
        let Some(list) = self.by_id.get_mut(&(file, diagnostic.code.id)) else { return false };
        let before = |allow: &Allow| allow.line.is_none_or(|line| line.end() < range.start());
        let for_line = list.partition_point(before);
        let index = if list.first().is_some_and(|first| first.line.is_none()) { 0 } else { for_line };
        let Some(allow) = list.get_mut(index) else { return false };
        let allows = allow.line.is_none_or(|line| line.contains_inclusive(range.start()));
        allow.needed |= allows;
        allows
    }

    /// What is wrong with comments: mistakes in them, and what nothing needs.
    fn complaints(&self, analysis: &Analysis) -> Vec<Diagnostic> {
        let inactive = &analysis.preprocessed.inactive;
        let is_active = |location: FileRange| {
            !inactive
                .iter()
                .any(|region| region.file == location.file && region.range.contains_range(location.range))
        };
        let mut complaints: Vec<Diagnostic> =
            self.files.iter().flat_map(|(file, comments)| comments.complaints(*file)).collect();
        // An error silences what depends on it, and what is left out says nothing at all.
        if !analysis.diagnostics.iter().any(Diagnostic::prevents_module) {
            complaints.extend(self.not_needed(analysis));
        }
        complaints.retain(|complaint| is_active(complaint.location));
        complaints
    }

    /// What nothing needs, in the file that was asked for: a header serves many shaders.
    fn not_needed(&self, analysis: &Analysis) -> impl Iterator<Item = Diagnostic> {
        let has_device = analysis.config.device_profile().is_some();
        let root = self.by_id.iter().filter(|((file, _), _)| *file == FileId::ROOT);
        let judged = root.filter(move |((_, id), _)| {
            // What only a device says, it may say under another configuration.
            let of_device = id.starts_with("device-") && !has_device;
            let of_module = *id == codes::NOT_COMPILED.id && !self.known.module;
            // Reports of performance are there only where somebody asks for them.
            let of_performance = PERFORMANCE_CODES.iter().any(|code| code.id == *id);
            let of_memory = LATE_CODES.iter().any(|code| code.id == *id) && !self.known.memory;
            let of_compiler = find(id).and_then(|code| code.like);
            let unasked = of_compiler.is_some() && of_compiler != analysis.config.like;
            let of_comments = *id == codes::UNUSED_ALLOW.id || *id == codes::UNUSABLE_ALLOW.id;
            !of_comments && !of_performance && !of_device && !of_module && !of_memory && !unasked
        });
        judged.flat_map(|((file, id), list)| {
            let idle = list.iter().filter(|allow| !allow.needed);
            idle.map(move |allow| Diagnostic {
                code: &codes::UNUSED_ALLOW,
                severity: codes::UNUSED_ALLOW.severity,
                message: match allow.line {
                    Some(_) => format!("no `{id}` is reported on this line: this comment has no effect"),
                    None => format!("no `{id}` is reported in this file: this comment has no effect"),
                },
                location: FileRange { file: *file, range: allow.place },
                related: Vec::new(),
            })
        })
    }
}
