//! Statements: control flow, and where it ends.

use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::diagnostics::{Severity, codes};
use crate::extensions::ids;
use crate::hir::{Attribute, Condition, Const, ExprId, Place, Stmt, StmtId, StmtKind};
use crate::text::{TextRange, TextSize};
use crate::types::{Scalar, Ty};

use super::jumps::{Jumps, ends};
use super::qualifiers::Qualifiers;
use super::{Lowerer, MAX_NESTING};

impl<'a> Lowerer<'a> {
    /// Lowers what stands between braces, in the scope that is open.
    pub(super) fn statements(&mut self, block: Node<'a>, out: &mut Vec<StmtId>) -> u8 {
        let mut flow = ends::FALLS;
        let mut jumps = 0;
        let mut dead: Option<TextRange> = None;
        let mut cursor = self.cursor(block);
        if cursor.goto_first_child() {
            loop {
                let node = cursor.node();
                let id = node.kind_id();
                if node.is_named() && id != kind::COMMENT {
                    if id == kind::CASE_LABEL {
                        self.report_dead(dead.take());
                        flow = ends::FALLS;
                    } else if flow & ends::FALLS == 0 && id != kind::EMPTY_STATEMENT {
                        let range = self.range(node);
                        dead = Some(dead.map_or(range, |dead| dead.cover(range)));
                    }
                    let end = self.statement(node, out);
                    jumps |= end & !ends::FALLS;
                    if end & ends::FALLS == 0 {
                        flow = 0;
                    }
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        self.report_dead(dead);
        flow | jumps
    }

    fn report_dead(&mut self, range: Option<TextRange>) {
        if let Some(range) = range {
            self.report(&codes::UNREACHABLE_CODE, range, "this is never reached".to_owned());
        }
    }

    pub(super) fn alloc_statement(&mut self, kind: StmtKind, range: TextRange) -> StmtId {
        self.body.stmts.alloc(Stmt { kind, range })
    }

    /// Lowers one statement; a declaration gives one for each of its variables. Gives how it can end.
    fn statement(&mut self, node: Node<'a>, out: &mut Vec<StmtId>) -> u8 {
        let range = self.range(node);
        if self.nesting >= MAX_NESTING {
            self.too_deep_once(range);
            let statement = self.alloc_statement(StmtKind::Error, range);
            out.push(statement);
            return ends::FALLS;
        }
        self.nesting += 1;
        self.environment.advance(TextSize::new(node.start_byte() as u32));
        let flow = self.statement_inside(node, range, out);
        self.nesting -= 1;
        flow
    }

    fn too_deep_once(&mut self, range: TextRange) {
        if !self.body.diagnostics.iter().any(|diagnostic| diagnostic.code == &codes::NESTING_TOO_DEEP) {
            self.too_deep(range);
        }
    }

    fn statement_inside(&mut self, node: Node<'a>, range: TextRange, out: &mut Vec<StmtId>) -> u8 {
        let (kind, flow) = match node.kind_id() {
            kind::DECLARATION => return self.local_declaration(node, out),
            kind::EXPRESSION_STATEMENT => match first_expression(node) {
                Some(_) if self.reads_as_comparisons(node) => (StmtKind::Empty, ends::FALLS),
                Some(_) if self.lone_type_statement(node) => (StmtKind::Declaration, ends::FALLS),
                Some(_) if self.names_behind_comma(node, out) => return ends::FALLS,
                Some(expression) => {
                    let expression = self.expression(expression);
                    if self.type_of(expression) == Ty::FUNCTION_NAME {
                        let range = self.range_of(expression);
                        let message = "this only names a function: write its arguments to call it";
                        self.report(&codes::UNDECLARED_NAME, range, message.to_owned());
                    }
                    let aborts = self.body.aborts(expression).is_some();
                    (StmtKind::Expr(expression), if aborts { 0 } else { ends::FALLS })
                }
                None => (StmtKind::Empty, ends::FALLS),
            },
            kind::COMPOUND_STATEMENT => {
                let mut inner = Vec::new();
                self.scopes.enter();
                let labels = std::mem::take(&mut self.jumps.labels);
                let flow = self.statements(node, &mut inner);
                self.jumps.labels = labels;
                self.scopes.leave();
                (StmtKind::Block(inner), flow)
            }
            kind::IF_STATEMENT => return self.if_statement(node, out),
            kind::FOR_STATEMENT => self.for_statement(node),
            kind::WHILE_STATEMENT => self.while_statement(node),
            kind::DO_STATEMENT => self.do_statement(node),
            kind::SWITCH_STATEMENT => self.switch_statement(node),
            kind::CASE_LABEL => (self.case_label(node, range), ends::FALLS),
            kind::RETURN_STATEMENT => (self.return_statement(node, range), 0),
            kind::BREAK_STATEMENT => {
                if self.jumps.in_loop || self.jumps.in_switch {
                    (StmtKind::Break, ends::BREAKS)
                } else {
                    self.misplaced(range, "`break` outside of a loop or `switch`");
                    (StmtKind::Error, ends::FALLS)
                }
            }
            kind::CONTINUE_STATEMENT => {
                if self.jumps.in_loop {
                    (StmtKind::Continue, ends::CONTINUES)
                } else {
                    self.misplaced(range, "`continue` outside of a loop");
                    (StmtKind::Error, ends::FALLS)
                }
            }
            kind::DISCARD_STATEMENT => {
                if self.environment.stage.is_some_and(|stage| stage != crate::config::Stage::Fragment) {
                    self.misplaced(range, "`discard` is only available in fragment shaders");
                }
                (StmtKind::Discard, 0)
            }
            kind::TERMINATE_STATEMENT => {
                let word = node.child(0).map_or("", |word| self.node_text(word));
                // A demoted invocation goes on as a helper.
                let flow = if word == "demote" { ends::FALLS } else { 0 };
                (StmtKind::Other(word.into()), flow)
            }
            kind::EMPTY_STATEMENT => (StmtKind::Empty, ends::FALLS),
            kind::PRECISION_DECLARATION => (StmtKind::Declaration, ends::FALLS),
            kind::QUALIFIER_DECLARATION => {
                self.local_qualifier_declaration(node);
                (StmtKind::Declaration, ends::FALLS)
            }
            kind::INTERFACE_BLOCK => {
                self.misplaced(range, "a block must be declared outside of functions");
                (StmtKind::Error, ends::FALLS)
            }
            kind::FUNCTION_DEFINITION => {
                self.function_definition(node);
                (StmtKind::Error, ends::FALLS)
            }
            kind::FUNCTION_DECLARATION => {
                self.misplaced(range, "a function must be declared outside of functions");
                (StmtKind::Error, ends::FALLS)
            }
            kind::INCOMPLETE_STATEMENT => {
                self.incomplete_statement(node);
                (StmtKind::Error, ends::FALLS)
            }
            _ => {
                self.mistake(node);
                (StmtKind::Error, ends::FALLS)
            }
        };
        let statement = self.alloc_statement(kind, range);
        out.push(statement);
        flow
    }

    /// What a keyword began and nothing ends: what is there declares and uses names like the whole would.
    fn incomplete_statement(&mut self, node: Node<'a>) {
        self.mistake(node);
        // The block of an unfinished loop stands by itself, behind it.
        self.jumps = Jumps { in_loop: true, in_switch: true, labels: true };
        let mut inner = Vec::new();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::INIT) => {
                        self.statement(child, &mut inner);
                    }
                    Some(field::CONDITION) if child.kind_id() == kind::CONDITION_DECLARATION => {
                        self.loop_condition(child);
                    }
                    Some(field::CONDITION | field::UPDATE | field::VALUE) => {
                        self.expression(child);
                    }
                    Some(field::BODY | field::CONSEQUENCE) => {
                        self.scoped_statement(Some(child));
                    }
                    _ => {}
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
    }

    fn misplaced(&mut self, range: TextRange, message: &str) {
        self.report(&codes::MISPLACED_STATEMENT, range, message.to_owned());
    }

    /// A statement that is the whole body of something: one id, in the scope that is open.
    fn body_statement(&mut self, node: Option<Node<'a>>) -> (StmtId, u8) {
        let Some(node) = node else {
            return (self.alloc_statement(StmtKind::Error, TextRange::default()), ends::FALLS);
        };
        let range = self.range(node);
        let mut inner = Vec::new();
        let labels = std::mem::take(&mut self.jumps.labels);
        let flow = if node.kind_id() == kind::COMPOUND_STATEMENT {
            if self.nesting >= MAX_NESTING {
                self.too_deep_once(range);
                ends::FALLS
            } else {
                self.nesting += 1;
                let flow = self.statements(node, &mut inner);
                self.nesting -= 1;
                flow
            }
        } else {
            self.statement(node, &mut inner)
        };
        self.jumps.labels = labels;
        let statement = match inner.as_slice() {
            [only] if node.kind_id() != kind::COMPOUND_STATEMENT => *only,
            _ => self.alloc_statement(StmtKind::Block(inner), range),
        };
        (statement, flow)
    }

    fn scoped_statement(&mut self, node: Option<Node<'a>>) -> (StmtId, u8) {
        self.scopes.enter();
        let result = self.body_statement(node);
        self.scopes.leave();
        result
    }

    /// The value of a condition, where it is known without specialization.
    fn known_condition(&self, condition: ExprId) -> Option<bool> {
        match self.constant_value(condition) {
            Some(&Const::Bool(value)) => Some(value),
            _ => None,
        }
    }

    /// A chain of `else if` is as long as its author likes: it is followed, not recursed into.
    fn if_statement(&mut self, node: Node<'a>, out: &mut Vec<StmtId>) -> u8 {
        let mut chain: Vec<(ExprId, StmtId, TextRange, Vec<Attribute>)> = Vec::new();
        let mut flow = 0;
        // Whether control reaches the next `else`.
        let mut open = true;
        let mut next = Some(node);
        let mut last: Option<StmtId> = None;
        while let Some(node) = next.take() {
            if node.kind_id() != kind::IF_STATEMENT {
                let (statement, end) = self.scoped_statement(Some(node));
                flow |= if open { end } else { end & !ends::FALLS };
                open = false;
                last = Some(statement);
                break;
            }
            let range = self.range(node);
            let attributes = self.attributes(node);
            let condition = match node.child_by_field_id(field::CONDITION) {
                Some(condition) => self.condition(condition),
                None => self.error_expr(range),
            };
            let known = self.known_condition(condition);
            let (then, end) = self.scoped_statement(node.child_by_field_id(field::CONSEQUENCE));
            flow |= if open && known != Some(false) { end } else { end & !ends::FALLS };
            open &= known != Some(true);
            chain.push((condition, then, range, attributes));
            next = node.child_by_field_id(field::ALTERNATIVE);
        }
        if open {
            flow |= ends::FALLS;
        }
        for (condition, then, range, attributes) in chain.into_iter().rev() {
            let kind = StmtKind::If { condition, then, otherwise: last, attributes };
            last = Some(self.alloc_statement(kind, range));
        }
        out.extend(last);
        flow
    }

    fn enter_loop(&mut self) -> Jumps {
        let outer = self.jumps;
        self.jumps = Jumps { in_loop: true, in_switch: false, labels: false };
        self.scopes.enter();
        outer
    }

    fn leave_loop(&mut self, outer: Jumps) {
        self.scopes.leave();
        self.jumps = outer;
    }

    /// A loop ends by its condition, or by a `break`.
    fn loop_end(condition: Option<bool>, flow: u8) -> u8 {
        if condition == Some(true) && flow & ends::BREAKS == 0 { 0 } else { ends::FALLS }
    }

    fn for_statement(&mut self, node: Node<'a>) -> (StmtKind, u8) {
        let attributes = self.attributes(node);
        let outer = self.enter_loop();
        let init = node.child_by_field_id(field::INIT).and_then(|init| self.for_init(init));
        let (condition, known) = match node.child_by_field_id(field::CONDITION) {
            Some(condition) => {
                let (condition, known) = self.loop_condition(condition);
                (Some(condition), known)
            }
            None => (None, Some(true)),
        };
        let step = node.child_by_field_id(field::UPDATE).map(|update| self.expression(update));
        let (body, flow) = self.body_statement(node.child_by_field_id(field::BODY));
        self.leave_loop(outer);
        (StmtKind::For { init, condition, step, body, attributes }, Self::loop_end(known, flow))
    }

    fn for_init(&mut self, node: Node<'a>) -> Option<StmtId> {
        let range = self.range(node);
        let mut inner = Vec::new();
        self.statement(node, &mut inner);
        match inner.as_slice() {
            [] => None,
            [only] if self.body.stmts[*only].kind == StmtKind::Empty => None,
            [only] => Some(*only),
            _ => Some(self.alloc_statement(StmtKind::Block(inner), range)),
        }
    }

    fn loop_condition(&mut self, node: Node<'a>) -> (Condition, Option<bool>) {
        if node.kind_id() != kind::CONDITION_DECLARATION {
            let condition = self.condition(node);
            return (Condition::Expr(condition), self.known_condition(condition));
        }
        let mut qualifiers = Qualifiers::default();
        let mut base = Ty::ERROR;
        let mut name = None;
        let mut value = None;
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                match cursor.field_id().map(|id| id.get()) {
                    Some(field::TYPE) => base = self.type_specifier(child),
                    Some(field::NAME) => name = Some(child),
                    Some(field::VALUE) => value = Some(child),
                    _ => {
                        self.qualifier(child, &mut qualifiers);
                    }
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        let range = self.range(node);
        let initializer = match value {
            Some(value) => self.initializer(value, base),
            None => self.error_expr(range),
        };
        let name_range = name.map_or(range, |name| self.range(name));
        let local =
            self.new_local(name.map_or("", |name| self.node_text(name)), name_range, base, &qualifiers);
        self.body.locals[local].read = true;
        if base != Ty::BOOL && !self.types.is_error(base) {
            let found = self.display(base);
            self.report(
                &codes::CONDITION_TYPE,
                name_range,
                format!("the condition of a loop must be a `bool`, found `{found}`"),
            );
        }
        (Condition::Declare { local, initializer }, None)
    }

    fn while_statement(&mut self, node: Node<'a>) -> (StmtKind, u8) {
        let attributes = self.attributes(node);
        let outer = self.enter_loop();
        let (condition, known) = match node.child_by_field_id(field::CONDITION) {
            Some(condition) => self.loop_condition(condition),
            None => {
                let range = self.range(node);
                (Condition::Expr(self.error_expr(range)), None)
            }
        };
        let (body, flow) = self.body_statement(node.child_by_field_id(field::BODY));
        self.leave_loop(outer);
        (StmtKind::While { condition, body, attributes }, Self::loop_end(known, flow))
    }

    fn do_statement(&mut self, node: Node<'a>) -> (StmtKind, u8) {
        let attributes = self.attributes(node);
        let outer = self.enter_loop();
        let (body, flow) = self.body_statement(node.child_by_field_id(field::BODY));
        self.leave_loop(outer);
        let condition = match node.child_by_field_id(field::CONDITION) {
            Some(condition) => self.condition(condition),
            None => {
                let range = self.range(node);
                self.error_expr(range)
            }
        };
        let known = self.known_condition(condition);
        let reaches_condition = flow & (ends::FALLS | ends::CONTINUES) != 0;
        let falls = flow & ends::BREAKS != 0 || reaches_condition && known != Some(true);
        (StmtKind::DoWhile { body, condition, attributes }, if falls { ends::FALLS } else { 0 })
    }

    fn switch_statement(&mut self, node: Node<'a>) -> (StmtKind, u8) {
        let range = self.range(node);
        let attributes = self.attributes(node);
        let selector = match node.child_by_field_id(field::CONDITION) {
            Some(condition) => self.expression(condition),
            None => self.error_expr(range),
        };
        let ty = self.type_of(selector);
        let selector_range = self.range_of(selector);
        self.storage_only_operation(ty, "a `switch` over a", selector_range);
        if !self.is_integer_scalar(ty) && !self.types.is_error(ty) {
            let range = self.range_of(selector);
            let found = self.display(ty);
            self.report(
                &codes::SWITCH_CASE,
                range,
                format!("`switch` needs a scalar integer, found `{found}`"),
            );
        } else if matches!(self.types.as_scalar(ty), Some(Scalar::Int64 | Scalar::Uint64)) {
            // The extensions that bring other widths leave section 6.2 as it is: `int` or `uint`.
            let range = self.range_of(selector);
            let found = self.display(ty);
            self.report(
                &codes::SWITCH_CASE,
                range,
                format!("`switch` takes integers of up to 32 bits, but this is `{found}`: convert it to `int` or `uint`"),
            );
        }
        let outer = self.jumps;
        self.jumps.in_switch = true;
        self.jumps.labels = true;
        self.scopes.enter();
        let outer_cases = std::mem::take(&mut self.cases);
        let mut body = Vec::new();
        let mut flow = ends::FALLS;
        if let Some(block) = node.child_by_field_id(field::BODY) {
            flow = self.statements(block, &mut body);
            if let Some(&first) = body.first()
                && !matches!(
                    self.body.stmts[first].kind,
                    StmtKind::Case(_) | StmtKind::Default | StmtKind::Error
                )
            {
                let range = self.body.stmts[first].range;
                self.report(
                    &codes::SWITCH_CASE,
                    range,
                    "a `switch` must start with a `case` or `default` label".to_owned(),
                );
            }
        }
        if let Some(&last) = body.last()
            && matches!(self.body.stmts[last].kind, StmtKind::Case(_) | StmtKind::Default)
        {
            // ESSL 3.00 and 3.20, section 6.2; the other specifications dropped the rule, and compilers warn.
            let strict = self.environment.is_es() && !(301..320).contains(&self.module.version);
            let severity = if strict { codes::SWITCH_CASE.severity } else { Severity::Warning };
            let range = self.body.stmts[last].range;
            let message = "no statement follows the last label of this `switch`: write `break;`".to_owned();
            self.report_as(&codes::SWITCH_CASE, severity, range, message, Vec::new());
        }
        let cases = std::mem::replace(&mut self.cases, outer_cases);
        self.scopes.leave();
        self.jumps = outer;
        let mut end = flow & (ends::FALLS | ends::CONTINUES);
        if flow & ends::BREAKS != 0 || cases.default.is_none() {
            end |= ends::FALLS;
        }
        (StmtKind::Switch { selector, body, attributes }, end)
    }

    fn case_label(&mut self, node: Node<'a>, range: TextRange) -> StmtKind {
        if !self.jumps.labels {
            self.report(
                &codes::SWITCH_CASE,
                range,
                "a `case` or `default` label must be directly inside the braces of its `switch`".to_owned(),
            );
        }
        let Some(value_node) = node.child_by_field_id(field::VALUE) else {
            if let Some(first) = self.cases.default.replace(range) {
                self.report_with(
                    &codes::SWITCH_CASE,
                    range,
                    "a `switch` can have only one `default` label".to_owned(),
                    vec![(Place::Here(first), "the first one".to_owned())],
                );
            }
            return StmtKind::Default;
        };
        let value = self.expression(value_node);
        let ty = self.type_of(value);
        if self.types.is_error(ty) {
            return StmtKind::Case(value);
        }
        let value_range = self.range_of(value);
        if !self.is_integer_scalar(ty) {
            let found = self.display(ty);
            self.report(
                &codes::SWITCH_CASE,
                value_range,
                format!("a `case` label must be a scalar integer, found `{found}`"),
            );
            return StmtKind::Case(value);
        }
        match self.constant_value(value) {
            Some(&Const::Int(number)) => {
                if let Some(&first) = self.cases.values.get(&number) {
                    self.report_with(
                        &codes::SWITCH_CASE,
                        value_range,
                        format!("there is already a label `case {number}`"),
                        vec![(Place::Here(first), "the first one".to_owned())],
                    );
                } else {
                    self.cases.values.insert(number, value_range);
                }
            }
            // Compilers take specialization constants here, whose values nobody can compare.
            Some(_) => {}
            None => self.report(
                &codes::SWITCH_CASE,
                value_range,
                "a `case` label must be a constant expression".to_owned(),
            ),
        }
        StmtKind::Case(value)
    }

    fn return_statement(&mut self, node: Node<'a>, range: TextRange) -> StmtKind {
        let Some(function) = self.function else { return StmtKind::Error };
        let result = self.module.functions[function].return_type;
        let name = self.module.functions[function].name.clone();
        let Some(value_node) = node.child_by_field_id(field::VALUE) else {
            if result != Ty::VOID && !self.types.is_error(result) {
                let expected = self.display(result);
                self.report(
                    &codes::RETURN_VALUE,
                    range,
                    format!("`{name}` must return `{expected}`: `return` needs a value"),
                );
            }
            return StmtKind::Return(None);
        };
        self.returns_value = true;
        let value = self.expression(value_node);
        if result == Ty::VOID {
            if !self.types.is_error(self.type_of(value)) {
                let range = self.range(value_node);
                self.report(
                    &codes::RETURN_VALUE,
                    range,
                    format!("`{name}` is declared `void`: it cannot return a value"),
                );
            }
            return StmtKind::Return(Some(value));
        }
        let what = format!("the result of `{name}`");
        StmtKind::Return(Some(self.convert(value, result, &what)))
    }

    /// What stands before the keyword of a statement.
    fn attributes(&mut self, node: Node<'a>) -> Vec<Attribute> {
        if let Some(word) = node.child(0).filter(|word| word.kind_id() == kind::MACRO_ATTRIBUTE) {
            self.mistake(word);
        }
        let Some(list) = node.child(0).filter(|list| list.kind_id() == kind::ATTRIBUTES) else {
            return Vec::new();
        };
        let attributes = self.attribute_list(list);
        // GL_EXT_control_flow_attributes: what is not recognised has no effect.
        let known = |name: &str| is_control_flow_attribute(name) || self.environment.has_attribute(name);
        if let Some(unknown) =
            attributes.iter().find(|attribute| !known(&attribute.name) && !self.is_keyword(&attribute.name))
            && !self.environment.has_unknown_extension()
        {
            let range = self.range(list);
            let message =
                format!("unknown attribute `{}` of a loop or branch: it has no effect", unknown.name);
            self.report_as(&codes::UNKNOWN_QUALIFIER, Severity::Warning, range, message, Vec::new());
        }
        attributes
    }

    pub(super) fn attribute_list(&mut self, list: Node<'a>) -> Vec<Attribute> {
        let mut attributes = Vec::new();
        let mut cursor = self.cursor(list);
        if cursor.goto_first_child() {
            loop {
                let child = cursor.node();
                if child.kind_id() == kind::ATTRIBUTE
                    && let Some(name) = child.child_by_field_id(field::NAME)
                {
                    let word = self.node_text(name);
                    // The grammar of GL_EXT_control_flow_attributes has an IDENTIFIER here.
                    if self.is_keyword(word) {
                        let range = self.range(name);
                        let message =
                            format!("expected the name of an attribute, found the keyword `{word}`");
                        self.report(&codes::SYNTAX_ERROR, range, message);
                    }
                    let argument = child.child_by_field_id(field::VALUE).map(|value| self.expression(value));
                    let value = argument.and_then(|argument| self.constant_value(argument)?.as_int());
                    // GL_EXT_control_flow_attributes: "must be a positive [...] constant integral expression, or a compile-time error results".
                    if let (true, Some(argument), Some(..=0)) = (is_positive_attribute(word), argument, value)
                    {
                        let range = self.range_of(argument);
                        let message = format!("the argument of `{word}` must be positive");
                        self.report(&codes::CONSTANT_REQUIRED, range, message);
                    }
                    attributes.push(Attribute {
                        name: word.into(),
                        value: value.and_then(|value| i64::try_from(value).ok()),
                    });
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        if attributes.iter().any(|attribute| is_control_flow_attribute(&attribute.name))
            && let Some(extension) = self.missing_extension_of(&[
                ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES,
                ids::GL_EXT_CONTROL_FLOW_ATTRIBUTES2,
            ])
            && !self.reported.contains(&extension)
        {
            self.reported.push(extension);
            let range = self.range(list);
            self.report(
                &codes::MISSING_EXTENSION,
                range,
                format!("attributes are provided by {extension}: add `#extension {extension} : require`"),
            );
        }
        attributes
    }
}

/// Attributes whose argument is a number of rounds or queues, and at least one.
fn is_positive_attribute(name: &str) -> bool {
    matches!(name, "dependency_length" | "iteration_multiple" | "multiple_wait_queuesQCOM")
}

/// GL_EXT_control_flow_attributes and GL_EXT_control_flow_attributes2. What other extensions bring, the tables say.
fn is_control_flow_attribute(name: &str) -> bool {
    matches!(
        name,
        "unroll"
            | "dont_unroll"
            | "loop"
            | "dependency_infinite"
            | "dependency_length"
            | "min_iterations"
            | "max_iterations"
            | "iteration_multiple"
            | "peel_count"
            | "partial_count"
            | "flatten"
            | "branch"
            | "dont_flatten"
    )
}

/// The expression of an expression statement.
fn first_expression(node: Node<'_>) -> Option<Node<'_>> {
    node.child(0).filter(|child| child.is_named())
}
