//! What a place in the expanded text means: the body around it, the name under it, the expressions that hold it.

use coopmat_analysis::Analysis;
use coopmat_analysis::hir::{Body, Callee, Definition, Expr, ExprId, ExprKind, FunctionId};
use coopmat_analysis::text::{FilePosition, FileRange, TextRange, TextSize};

/// One place of the expanded text that a place in a file became.
pub struct Cursor<'a> {
    pub analysis: &'a Analysis,
    /// In the expanded text.
    pub offset: TextSize,
    /// The function whose definition holds the place; `None` at top level.
    pub function: Option<FunctionId>,
    pub body: &'a Body,
    /// Where the body's ranges count from.
    pub base: TextSize,
}

/// A place in a macro's body may have become tens of thousands of places: what is asked about it looks at the first of them.
pub const MOST_MEANINGS: usize = 32;

impl<'a> Cursor<'a> {
    /// The meanings of a place in a file: none when the preprocessor left it out, several when a header is read twice.
    pub fn at(analysis: &'a Analysis, position: FilePosition) -> impl Iterator<Item = Cursor<'a>> {
        analysis
            .preprocessed
            .map
            .to_expanded(position)
            .into_iter()
            .take(MOST_MEANINGS)
            .map(|offset| Cursor::new(analysis, offset))
    }

    pub fn new(analysis: &'a Analysis, offset: TextSize) -> Cursor<'a> {
        let inside = analysis.module.functions.iter().find_map(|(id, function)| {
            let body = function.body.as_deref()?;
            function.range.contains_inclusive(offset).then_some((id, body, function.range.start()))
        });
        match inside {
            Some((function, body, base)) => Cursor { analysis, offset, function: Some(function), body, base },
            None => Cursor {
                analysis,
                offset,
                function: None,
                body: &analysis.module.global_body,
                base: TextSize::new(0),
            },
        }
    }

    /// The offset as the body counts.
    fn local(&self) -> TextSize {
        self.offset.checked_sub(self.base).unwrap_or_default()
    }

    /// The name under the cursor and what it stands for: a use, or the place of its declaration. The range is in the expanded text.
    pub fn name(&self) -> Option<(TextRange, Definition)> {
        let uses = [(self.body, self.base), (&self.analysis.module.global_body, TextSize::new(0))];
        uses.into_iter().find_map(|(body, base)| self.name_use(body, base)).or_else(|| self.declaration())
    }

    fn name_use(&self, body: &Body, base: TextSize) -> Option<(TextRange, Definition)> {
        let local = self.offset.checked_sub(base)?;
        let holding = body.names.iter().filter(|name| name.range.contains_inclusive(local));
        // At the seam of two names the one that starts here wins; of nested ones the shorter.
        let best = holding.min_by_key(|name| (name.range.end() == local, name.range.len()))?;
        Some((best.range + base, best.definition.clone()))
    }

    fn declaration(&self) -> Option<(TextRange, Definition)> {
        let module = &self.analysis.module;
        let locals =
            self.body.locals.iter().map(|(id, local)| (local.name_range + self.base, Definition::Local(id)));
        let globals = module.globals.iter().map(|(id, global)| (global.name_range, Definition::Global(id)));
        let functions =
            module.functions.iter().map(|(id, function)| (function.name_range, Definition::Function(id)));
        let structs = module.structs.iter().flat_map(|(id, structure)| {
            let base =
                structure.owner.map_or(TextSize::new(0), |owner| module.functions[owner].range.start());
            let members = structure.members.iter().enumerate();
            members
                .map(move |(index, member)| (member.name_range + base, Definition::Member(id, index as u32)))
                .chain(std::iter::once((structure.name_range + base, Definition::Struct(id))))
        });
        locals
            .chain(globals)
            .chain(functions)
            .chain(structs)
            .find(|(range, _)| !range.is_empty() && range.contains_inclusive(self.offset))
    }

    /// The expressions that hold the cursor, the innermost first.
    pub fn expressions(&self) -> Vec<(ExprId, &'a Expr)> {
        let local = self.local();
        let mut holding: Vec<_> =
            self.body.exprs.iter().filter(|(_, expr)| expr.range.contains_inclusive(local)).collect();
        holding.sort_by_key(|(_, expr)| expr.range.len());
        holding
    }

    /// The calls that hold the cursor in one of their arguments, the innermost first; and which of them it is.
    pub fn arguments(&self) -> impl Iterator<Item = (&'a Callee, &'a [ExprId], usize)> {
        let (body, local) = (self.body, self.local());
        self.expressions().into_iter().filter_map(move |(_, expr)| {
            let ExprKind::Call { callee, arguments } = &expr.kind else { return None };
            let holds = |argument: &ExprId| body.exprs[*argument].range.contains_inclusive(local);
            Some((callee, arguments.as_slice(), arguments.iter().position(holds)?))
        })
    }
}

/// Where the argument of a call stands that holds a place; nothing outside of arguments.
pub fn argument_at(analysis: &Analysis, position: FilePosition) -> Option<FileRange> {
    Cursor::at(analysis, position).find_map(|cursor| {
        let (_, arguments, index) = cursor.arguments().next()?;
        Some(analysis.file_range(cursor.body.exprs[*arguments.get(index)?].range + cursor.base))
    })
}
