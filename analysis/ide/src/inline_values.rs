//! Inline values: what a debugger shows at the ends of lines while it stands at one of them. These are the variables, and the elements
//! and members of them, that the lines of the function up to there use and that can be seen there; a debugger evaluates them.

use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::variables;
use coopmat_analysis::hir::{Body, Definition, ExprId, ExprKind, Storage};
use coopmat_analysis::scopes::end_of_scope;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use coopmat_analysis::types::TypeKind;
use rustc_hash::{FxHashMap, FxHashSet};

/// An expression whose value is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InlineValue {
    /// Where it is written, in the file.
    pub range: TextRange,
    /// As it is written.
    pub expression: String,
}

/// The values in a part of a file, in the order of the text. `stopped`: where the debugger stands.
pub fn values(analysis: &Analysis, file: FileId, within: TextRange, stopped: TextSize) -> Vec<InlineValue> {
    let source = &analysis.files()[file];
    let (text, lines) = (&source.text, source.line_index());
    let line_of = |offset: TextSize| lines.line_col(offset).line;
    let stop = line_of(stopped);
    let before = |until: u32| text.split_inclusive('\n').take(until as usize).map(str::len).sum::<usize>();
    let whole_line =
        TextRange::new(TextSize::new(before(stop) as u32), TextSize::new(before(stop + 1) as u32));
    let map = &analysis.preprocessed.map;
    let here = map.to_expanded_ranges(FileRange { file, range: whole_line });
    let is_here = |range: TextRange| here.iter().any(|part| range.contains(part.start()));
    let functions = analysis.module.functions.iter();
    let mut around = functions.filter(|(_, function)| is_here(function.range));
    let Some((_, function)) = around.next() else { return Vec::new() };
    let Some(body) = function.body.as_deref() else { return Vec::new() };
    let base = function.range.start();
    let spelled = |range: TextRange| {
        map.spelled(range + base).filter(|place| place.file == file).map(|place| place.range)
    };
    // The lines in which a local can be seen.
    let is_seen = |declared: TextRange| {
        let Some(name) = spelled(declared) else { return false };
        let last = end_of_scope(text, usize::from(name.end()));
        (line_of(name.start())..=line_of(TextSize::new(last as u32))).contains(&stop)
    };
    // What a debugger knows there by name.
    let is_known = |definition: &Definition| match definition {
        Definition::Local(local) => {
            let local = &body.locals[*local];
            local.parameter || is_seen(local.name_range)
        }
        Definition::Global(global) => {
            let global = &analysis.module.globals[*global];
            global.storage != Storage::Const || global.constant_id.is_some()
        }
        Definition::BuiltinVariable(variable) => *variable != variables::GL_WORK_GROUP_SIZE,
        Definition::BlockMember(..) | Definition::Member(..) | Definition::Swizzle => true,
        _ => false,
    };
    let unknown = body.names.iter().filter(|used| !is_known(&used.definition));
    let unknown: Vec<TextRange> = unknown.map(|used| used.range).collect();
    let paths = paths(body);
    let declared = body.locals.iter().map(|(id, local)| (local.name_range, Definition::Local(id)));
    let used = body.names.iter().map(|used| (used.range, used.definition.clone()));
    let mut seen = FxHashSet::default();
    let mut found = Vec::new();
    for (name, definition) in declared.chain(used) {
        let begins_path = !matches!(definition, Definition::Member(..) | Definition::Swizzle);
        if !begins_path || !is_known(&definition) {
            continue;
        }
        let path = paths.get(&name.start()).copied().unwrap_or(name);
        // A matrix is too large for a line; its elements are not.
        if path == name
            && let Definition::Local(local) = definition
            && matches!(analysis.module.types.kind(body.locals[local].ty), TypeKind::Coopmat(_))
        {
            continue;
        }
        let Some(range) = spelled(path) else { continue };
        let written = text.get(std::ops::Range::from(range));
        // A macro's name is no variable.
        let expanded = analysis.preprocessed.text.as_str().get(std::ops::Range::from(path + base));
        let Some(written) = written.filter(|written| Some(*written) == expanded) else { continue };
        if !within.contains_range(range)
            || line_of(range.end()) > stop
            || unknown.iter().any(|name| path.contains_range(*name))
        {
            continue;
        }
        if is_understood(written) && seen.insert((line_of(range.start()), written)) {
            found.push(InlineValue { range, expression: written.to_owned() });
        }
    }
    found.sort_by_key(|value| value.range.start());
    found
}

/// For the place of each name: the longest chain of members and elements that begins with it.
fn paths(body: &Body) -> FxHashMap<TextSize, TextRange> {
    let mut paths: FxHashMap<TextSize, TextRange> = FxHashMap::default();
    for (id, expr) in body.exprs.iter() {
        if !is_chain(body, id) {
            continue;
        }
        let longest = paths.entry(expr.range.start()).or_insert(expr.range);
        if expr.range.end() > longest.end() {
            *longest = expr.range;
        }
    }
    paths
}

/// Whether an expression is a name, or a member or an element of one.
fn is_chain(body: &Body, mut id: ExprId) -> bool {
    loop {
        id = match &body.exprs[id].kind {
            ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::BlockMember(..)
            | ExprKind::BuiltinVariable(_) => return true,
            ExprKind::Member { base, .. } | ExprKind::Index { base, .. } => *base,
            ExprKind::Swizzle { base, components } if components.length == 1 => *base,
            _ => return false,
        };
    }
}

/// Whether the debugger's expressions have all that is written: no calls, no constructors, nothing that changes a value.
fn is_understood(written: &str) -> bool {
    let is_simple = |c: char| c.is_alphanumeric() || "_.[] +-*/%&|^<>".contains(c);
    written.chars().all(is_simple) && !written.contains("++") && !written.contains("--")
}

#[cfg(test)]
mod tests {
    use coopmat_analysis::analyze;
    use coopmat_analysis::fixture::Fixture;
    use expect_test::{Expect, expect};

    use super::*;

    /// What is shown at the ends of lines where the debugger stands at `// here`.
    fn check(text: &str, expected: Expect) {
        let fixture = Fixture::parse(text);
        let root = fixture.root();
        let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
        let stopped = TextSize::new(root.text.find("// here").unwrap() as u32);
        let whole = TextRange::up_to(TextSize::of(&*root.text));
        let all = values(&analysis, FileId::ROOT, whole, stopped);
        let mut shown = String::new();
        for (number, line) in root.text.lines().enumerate() {
            let lines = analysis.files()[FileId::ROOT].line_index();
            let on_it = all.iter().filter(|value| lines.line_col(value.range.start()).line == number as u32);
            let on_it: Vec<&str> = on_it.map(|value| value.expression.as_str()).collect();
            if !on_it.is_empty() {
                shown.push_str(&format!("{}: {}\n", line.trim(), on_it.join(", ")));
            }
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn what_lines_up_to_the_stop_use_is_shown() {
        check(
            "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#define TWICE(x) ((x) * 2)
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint K = 64;
layout(binding = 0) buffer Data { uint values[]; };
layout(binding = 1) buffer Other { vec4 corner; float rest[]; } other;
shared uint tile[64];
uint twice(uint x) { return x * 2; }
void main() {
    uint me = gl_LocalInvocationIndex;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> acc;
    { uint hidden = me; tile[hidden] = 0; }
    for (uint k = 0; k < K; k++) {
        tile[k * 2 + me] = twice(k) + TWICE(me);
        values[tile[me]] += uint(other.corner.x + other.rest[int(me)] + acc[1]); // here
        uint later = me;
    }
    me += values[3];
}
",
            expect![[r#"
                uint me = gl_LocalInvocationIndex;: me, gl_LocalInvocationIndex
                { uint hidden = me; tile[hidden] = 0; }: me
                for (uint k = 0; k < K; k++) {: k, K
                tile[k * 2 + me] = twice(k) + TWICE(me);: tile[k * 2 + me], k, me
                values[tile[me]] += uint(other.corner.x + other.rest[int(me)] + acc[1]); // here: values[tile[me]], tile[me], me, other.corner.x, acc[1]
            "#]],
        );
    }

    #[test]
    fn outside_of_functions_nothing_is_shown() {
        check("#version 460\nint a = 1; // here\nvoid main() { a++; }\n", expect![""]);
    }
}
