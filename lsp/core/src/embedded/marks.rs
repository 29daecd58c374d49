//! What says that a literal is GLSL: a comment before it (`/* glsl */`, with a stage: `/* glsl comp */`), or the delimiter of a raw string of C++ (`R"glsl(...)glsl"`).

use coopmat_analysis::config::Stage;

/// The stage that a mark names, in any of the words that are in use for it.
pub fn stage_of(word: &str) -> Option<Stage> {
    let word = word.to_ascii_lowercase();
    let by_name = Stage::ALL.into_iter().find(|stage| stage.extension() == word || stage.name() == word);
    by_name.or_else(|| {
        Some(match word.as_str() {
            "tess_ctrl" | "tesscontrol" => Stage::TessControl,
            "tess_eval" | "tesseval" => Stage::TessEvaluation,
            "raygen" => Stage::RayGeneration,
            "intersection" => Stage::Intersection,
            "anyhit" => Stage::AnyHit,
            "closesthit" => Stage::ClosestHit,
            _ => return None,
        })
    })
}

/// What a comment or a delimiter says: `glsl`, perhaps with a stage.
pub fn mark(words: &str) -> Option<Option<Stage>> {
    let mut words =
        words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    if !words.next()?.eq_ignore_ascii_case("glsl") {
        return None;
    }
    match (words.next(), words.next()) {
        (None, _) => Some(None),
        (Some(word), None) => stage_of(word).map(Some),
        _ => None,
    }
}

/// Longer comments are prose.
const LONGEST_MARK: usize = 40;

pub fn comment_mark(comment: &str) -> Option<Option<Stage>> {
    if comment.len() > LONGEST_MARK {
        return None;
    }
    let inside = match comment.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/")?,
        None => comment.strip_prefix("//")?,
    };
    mark(inside.trim())
}
