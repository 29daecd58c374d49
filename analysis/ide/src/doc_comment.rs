//! The comment above a declaration.

use coopmat_analysis::Analysis;
use coopmat_analysis::text::FileRange;

/// A comment longer than this is cut.
const LONGEST: usize = 4000;

/// The text of the comment that ends on the line before a declaration, or on its own line in front of it, without its marks.
pub fn above(analysis: &Analysis, declaration: FileRange) -> Option<String> {
    let text = &analysis.files()[declaration.file].text;
    let before = text.get(..usize::from(declaration.range.start()))?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let mut lines: Vec<&str> = Vec::new();
    let mut rest = before.get(..line_start)?.trim_end_matches(['\n', '\r']);
    // An empty line parts a comment from the declaration.
    if before.get(..line_start)?.len() - rest.len() > 2 {
        return None;
    }
    if rest.trim_end().ends_with("*/") {
        let open = rest.rfind("/*")?;
        let inside = rest.get(open + 2..)?.trim_end().strip_suffix("*/")?;
        lines = inside.lines().map(|line| line.trim().trim_start_matches(['*', '!']).trim()).collect();
    } else {
        loop {
            let start = rest.rfind('\n').map_or(0, |at| at + 1);
            let line = rest.get(start..)?.trim();
            let Some(comment) = line.strip_prefix("//") else { break };
            lines.push(comment.trim_start_matches(['/', '!']).trim());
            if start == 0 {
                break;
            }
            rest = rest.get(..start)?.trim_end_matches('\n').trim_end_matches('\r');
        }
        lines.reverse();
    }
    let mut comment = lines.join("\n").trim().to_owned();
    if let Some((cut, _)) = comment.char_indices().nth(LONGEST) {
        comment.truncate(cut);
    }
    (!comment.is_empty()).then_some(comment)
}
