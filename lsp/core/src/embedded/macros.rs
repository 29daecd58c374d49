//! Rust's macros that take GLSL: `glsl! { ... }`, whose tokens are the shader or a literal of it, and `shader! { ty: "compute", src: "..." }` as vulkano has it,
//! with several under `shaders: { NAME: { ... } }`.

use std::ops::Range;

use super::Language;
use super::find::{Cursor, Found, Unknown};
use super::marks::stage_of;
use super::options::Options;
use super::tokens::{Kind, Literal};
use coopmat_analysis::config::Stage;

/// The shaders of the macro whose name stands at `at`, and the token behind it.
pub fn shaders(cursor: &Cursor<'_>, at: usize, found: &mut Vec<Found>) -> Option<usize> {
    if cursor.language != Language::Rust || !cursor.is(at + 1, b'!') {
        return None;
    }
    let open = at + 2;
    if !matches!(cursor.kind(open)?, Kind::Mark(b'(' | b'[' | b'{')) {
        return None;
    }
    match cursor.word(at)? {
        "glsl" => {
            let behind = cursor.behind_brackets(open);
            found.extend(of_glsl(cursor, open, behind, name_before(cursor, at)));
            Some(behind)
        }
        word if word == "shader" || word.ends_with("_shader") => {
            let behind = cursor.behind_brackets(open);
            let name = name_before(cursor, at);
            let fields = Fields { name, changed: None, options: Options::default() };
            of_shader(cursor, open + 1..behind.saturating_sub(1), fields, 0, found);
            Some(behind)
        }
        _ => None,
    }
}

fn of_glsl(cursor: &Cursor<'_>, open: usize, behind: usize, name: Option<String>) -> Option<Found> {
    let close = behind.checked_sub(1)?;
    let first = cursor.skip(open + 1);
    if let Some((group, _)) = cursor.group(first).filter(|_| first < close) {
        let found = group.found?;
        return Some(Found { name: name.or(found.name), ..found });
    }
    let (start, end) = (cursor.tokens.get(open)?, cursor.tokens.get(close)?);
    // An open bracket has no text of its own yet.
    if !matches!(end.kind, Kind::Mark(b')' | b']' | b'}')) || close <= open {
        return None;
    }
    let whole = Literal {
        content: start.range.end..end.range.start,
        raw: Some(end.text(cursor.text).to_owned()),
        ended: true,
    };
    Some(Found { literals: vec![whole], stage: None, name, unknown: None, options: Options::default() })
}

#[derive(Clone)]
struct Fields {
    name: Option<String>,
    /// A key that puts something else in, which is not written down here.
    changed: Option<Range<usize>>,
    options: Options,
}

/// So deep are `shaders` and the shaders in it.
const DEEPEST: usize = 4;

fn of_shader(
    cursor: &Cursor<'_>,
    tokens: Range<usize>,
    mut fields: Fields,
    depth: usize,
    found: &mut Vec<Found>,
) {
    let (mut source, mut stage) = (None, Some(Stage::Vertex));
    let mut inner = Vec::new();
    let mut at = tokens.start;
    while at < tokens.end {
        at = cursor.skip(at);
        let key = cursor.word(at).filter(|_| cursor.is(at + 1, b':'));
        let value = cursor.skip(at + 2);
        match key {
            Some("ty") => {
                stage = cursor.literal(value).and_then(|ty| stage_of(cursor.text.get(ty.content.clone())?))
            }
            Some("src") => source = cursor.group(value).and_then(|(group, _)| group.found),
            Some(key @ ("define" | "include")) => {
                let known = match key {
                    "define" => defines(cursor, value).map(|list| fields.options.defines.extend(list)),
                    _ => folders(cursor, value).map(|list| fields.options.include.extend(list)),
                };
                if known.is_none() {
                    fields.changed = cursor.tokens.get(at).map(|key| key.range.clone());
                }
            }
            Some(name) if cursor.is(value, b'{') => {
                let inside = value + 1..cursor.behind_brackets(value).saturating_sub(1);
                inner.push((name.to_owned(), inside));
            }
            _ => {}
        }
        // To the next key.
        while at < tokens.end && !cursor.is(at, b',') {
            at = match cursor.kind(at) {
                Some(Kind::Mark(b'(' | b'[' | b'{')) => cursor.behind_brackets(at),
                _ => at + 1,
            };
        }
        at += 1;
    }
    if let Some(source) = source {
        let changed = fields.changed.clone().map(|range| Unknown { range, before: false });
        let name = fields.name.clone();
        let options = fields.options.clone();
        found.push(Found { name, stage, unknown: source.unknown.or(changed), options, ..source });
    }
    for (name, inside) in inner.into_iter().filter(|_| depth < DEEPEST) {
        of_shader(cursor, inside, Fields { name: Some(name), ..fields.clone() }, depth + 1, found);
    }
}

/// `[("NAME", "VALUE"), ...]`. `None`: a part of it is not written down.
fn defines(cursor: &Cursor<'_>, at: usize) -> Option<Vec<(String, String)>> {
    list(cursor, at, |at| {
        let open = cursor.is(at, b'(').then(|| cursor.skip(at + 1))?;
        let comma = cursor.skip(open + 1);
        let value = cursor.is(comma, b',').then(|| cursor.skip(comma + 1))?;
        let mut close = cursor.skip(value + 1);
        if cursor.is(close, b',') {
            close = cursor.skip(close + 1);
        }
        let pair = (word(cursor, open)?, word(cursor, value)?);
        cursor.is(close, b')').then_some((pair, close + 1))
    })
}

/// `["FOLDER", ...]`.
fn folders(cursor: &Cursor<'_>, at: usize) -> Option<Vec<String>> {
    list(cursor, at, |at| Some((word(cursor, at)?, at + 1)))
}

/// What stands between `[` and `]`; `element` gives one, and the token behind it.
fn list<T>(cursor: &Cursor<'_>, at: usize, element: impl Fn(usize) -> Option<(T, usize)>) -> Option<Vec<T>> {
    let mut at = cursor.is(at, b'[').then(|| cursor.skip(at + 1))?;
    let mut found = Vec::new();
    while !cursor.is(at, b']') {
        let (one, behind) = element(at)?;
        found.push(one);
        at = cursor.skip(behind);
        match cursor.is(at, b',') {
            true => at = cursor.skip(at + 1),
            false => break,
        }
    }
    cursor.is(at, b']').then_some(found)
}

/// A string of one line that stands for itself.
fn word(cursor: &Cursor<'_>, at: usize) -> Option<String> {
    let literal = cursor.literal(at).filter(|literal| literal.ended)?;
    let text = cursor.text.get(literal.content.clone())?;
    let plain = literal.raw.is_some() || !text.contains('\\');
    (plain && !text.contains(['\n', '\r'])).then(|| text.to_owned())
}

/// `mod NAME { vulkano_shaders::shader! {`, or what the macro's value is given to.
fn name_before(cursor: &Cursor<'_>, at: usize) -> Option<String> {
    let mut first = at;
    while first >= 3
        && cursor.is(first - 1, b':')
        && cursor.is(first - 2, b':')
        && cursor.word(first - 3).is_some()
    {
        first -= 3;
    }
    let before = cursor.before(first)?;
    let name = cursor.word(before.checked_sub(1)?);
    let is_module = cursor.is(before, b'{') && before >= 2 && cursor.word(before - 2) == Some("mod");
    let is_value = cursor.is(before, b'=');
    match (is_module, is_value) {
        (true, _) => name.filter(|name| name.is_ascii()).map(str::to_owned),
        (_, true) => cursor.assigned(before),
        _ => None,
    }
}
