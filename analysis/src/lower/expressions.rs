//! Expressions: every node of the CST that has a value becomes an `Expr` with its type, range and constant.

use smol_str::SmolStr;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind, token};

use super::expression_state::Access;
use super::suggest::{closest, suggestion};
use super::{Lowerer, MAX_NESTING};
use crate::diagnostics::codes;
use crate::extensions::{self, BuiltinTypeKind, BuiltinVariableId, ids, variables};
use crate::hir::{BinaryOp, Callee, Const, Definition, Expr, ExprId, ExprKind, IncDec, UnaryOp, UnknownName};
use crate::symbolic::{SpecAtom, Sym};
use crate::text::TextRange;
use crate::types::{Scalar, ScalarClass, Ty, TypeKind};

/// How many unknown names of one shader get a suggestion.
const MAX_SUGGESTIONS: u32 = 64;

/// How many operands of a constant expression are looked at for what makes it none.
const MOST_OPERANDS: u32 = 1000;

impl<'a> Lowerer<'a> {
    /// Lowers any expression.
    pub fn expression(&mut self, node: Node<'a>) -> ExprId {
        let access = std::mem::take(&mut self.expressions.access);
        match node.kind_id() {
            kind::IDENTIFIER => self.name(node, access),
            kind::INT_LITERAL => self.int_literal(node),
            kind::FLOAT_LITERAL => self.float_literal(node),
            kind::BOOL_LITERAL => self.bool_literal(node),
            kind::STRING_LITERAL => self.string_literal(node),
            _ => {
                if self.nesting >= MAX_NESTING {
                    let range = self.range(node);
                    self.too_deep(range);
                    return self.error_expr(range);
                }
                self.nesting += 1;
                let expr = self.compound(node, access);
                self.nesting -= 1;
                expr
            }
        }
    }

    /// An expression that has parts.
    fn compound(&mut self, node: Node<'a>, access: Access) -> ExprId {
        match node.kind_id() {
            kind::BINARY_EXPRESSION => self.binary_chain(node),
            kind::CALL_EXPRESSION => self.call(node),
            kind::SUBSCRIPT_EXPRESSION => self.subscript(node, access),
            kind::FIELD_EXPRESSION => self.member(node, access),
            kind::PARENTHESIZED_EXPRESSION => match self.inner(node) {
                Some(inner) => {
                    self.expressions.access = access;
                    self.expression(inner)
                }
                None => self.missing(node),
            },
            kind::ASSIGNMENT_EXPRESSION => self.assignment_node(node),
            kind::UNARY_EXPRESSION => self.unary_node(node),
            kind::POSTFIX_EXPRESSION => self.postfix_node(node),
            kind::CONDITIONAL_EXPRESSION => self.conditional_node(node),
            kind::COMMA_EXPRESSION => self.comma_chain(node),
            kind::PRIMITIVE_TYPE | kind::GENERIC_TYPE => {
                let range = self.range(node);
                let ty = self.type_specifier(node);
                if self.types.is_error(ty) {
                    return self.error_expr(range);
                }
                self.type_as_value(range, ty)
            }
            kind::INITIALIZER_LIST => {
                let range = self.range(node);
                self.report(
                    &codes::INITIALIZER_LIST,
                    range,
                    "a list in braces can only initialize a variable: use a constructor here".to_owned(),
                );
                self.error_expr(range)
            }
            kind::CAST_EXPRESSION => self.cast(node),
            // A syntax error, which is reported from the tree.
            _ => self.missing(node),
        }
    }

    /// `(type) value` of GL_NV_explicit_typecast, 5.11: "a typecast operates identically to an equivalent constructor", and is "not supported for array
    /// or struct types".
    fn cast(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        if let Some(extension) = self.missing_extension_of(&[ids::GL_NV_EXPLICIT_TYPECAST])
            && !self.environment.has_unknown_extension()
        {
            self.report(
                &codes::MISSING_EXTENSION,
                range,
                format!("`(type) value` is provided by {extension}: write `type(value)`, or add `#extension {extension} : require`"),
            );
            return self.error_expr(range);
        }
        let (Some(specifier), Some(operand)) =
            (self.child(node, field::TYPE), self.child(node, field::OPERAND))
        else {
            return self.error_expr(range);
        };
        let value = self.expression(operand);
        if !self.environment.enabled(ids::GL_NV_EXPLICIT_TYPECAST) {
            return self.error_expr(range);
        }
        let ty = self.type_specifier(specifier);
        self.cast_to(ty, value, range)
    }

    pub(super) fn cast_to(&mut self, ty: Ty, value: ExprId, range: TextRange) -> ExprId {
        if self.types.is_number(ty) {
            return self.construct(ty, vec![value], range);
        }
        if !matches!(self.types.kind(ty), TypeKind::Error | TypeKind::NotAnalysed(_)) {
            let name = self.display(ty);
            let message = format!(
                "values cannot be cast to `{name}`: only to scalars, vectors, matrices and buffer references"
            );
            self.report(&codes::CONSTRUCTOR_ARGUMENTS, range, message);
        }
        self.error_expr(range)
    }

    /// The type in `(NAME)(value)`, whose parentheses look like those of a callee.
    pub(super) fn cast_type(&self, callee: Node<'a>) -> Option<Node<'a>> {
        if callee.kind_id() != kind::PARENTHESIZED_EXPRESSION
            || !self.environment.enabled(ids::GL_NV_EXPLICIT_TYPECAST)
        {
            return None;
        }
        let name = self.inner(callee).filter(|inner| inner.kind_id() == kind::IDENTIFIER)?;
        self.is_type_name(self.node_text(name)).then_some(name)
    }

    fn missing(&mut self, node: Node<'a>) -> ExprId {
        self.mistake(node);
        let range = self.range(node);
        self.error_expr(range)
    }

    pub(super) fn type_as_value(&mut self, range: TextRange, ty: Ty) -> ExprId {
        let name = self.display(ty);
        self.report(
            &codes::TYPE_AS_VALUE,
            range,
            format!("`{name}` is a type: a value is needed here, such as `{name}(...)`"),
        );
        self.error_expr(range)
    }

    /// The expression in parentheses.
    fn inner(&self, node: Node<'a>) -> Option<Node<'a>> {
        // `(` is the first child, and extras may follow it.
        let mut cursor = node.walk();
        node.named_children(&mut cursor).find(|child| !child.is_extra())
    }

    /// A child that the grammar requires; its absence is a syntax error.
    pub(super) fn child(&self, node: Node<'a>, field: u16) -> Option<Node<'a>> {
        node.child_by_field_id(field).filter(|child| !child.is_missing())
    }

    fn child_expression(&mut self, node: Node<'a>, field: u16) -> ExprId {
        match self.child(node, field) {
            Some(child) => self.expression(child),
            None => self.missing(node),
        }
    }

    /// `a + b + c` is one level of nesting, however long: the left operands of one kind are walked in a loop. The first of
    /// them, and the operations around it from the outermost to the innermost.
    fn leftmost_operand(&mut self, node: Node<'a>, kind: u16) -> (ExprId, Vec<Node<'a>>) {
        let mut chain = vec![node];
        let mut leftmost = self.child(node, field::LEFT);
        while let Some(left) = leftmost
            && left.kind_id() == kind
        {
            chain.push(left);
            leftmost = self.child(left, field::LEFT);
        }
        let left = match leftmost {
            Some(node) => self.expression(node),
            None => self.missing(node),
        };
        (left, chain)
    }

    fn binary_chain(&mut self, node: Node<'a>) -> ExprId {
        let (mut left, mut chain) = self.leftmost_operand(node, kind::BINARY_EXPRESSION);
        while let Some(node) = chain.pop() {
            let right = self.child_expression(node, field::RIGHT);
            let range = self.range(node);
            let operator = node.child_by_field_id(field::OPERATOR);
            left = match operator.and_then(|operator| binary_operator(operator.kind_id())) {
                Some(op) => {
                    let op_range = operator.map_or(range, |operator| self.range(operator));
                    self.binary(op, op_range, left, right, range)
                }
                None => self.error_expr(range),
            };
        }
        left
    }

    fn comma_chain(&mut self, node: Node<'a>) -> ExprId {
        let (mut left, mut chain) = self.leftmost_operand(node, kind::COMMA_EXPRESSION);
        while let Some(node) = chain.pop() {
            let right = self.child_expression(node, field::RIGHT);
            let range = self.range(node);
            let ty = self.type_of(right);
            let kind = ExprKind::Comma { left, right };
            // GLSL 4.60, section 4.3.3: the sequence operator is "not included in the operators that can create a constant expression".
            left = self.body.exprs.alloc(Expr { kind, ty, range, constant: None });
        }
        left
    }

    fn assignment_node(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        let operator = node.child_by_field_id(field::OPERATOR);
        let op = match operator.map(|operator| operator.kind_id()) {
            Some(token::EQ) => None,
            Some(id) => match assignment_operator(id) {
                Some(op) => Some(op),
                None => return self.error_expr(range),
            },
            None => return self.error_expr(range),
        };
        self.expressions.access = if op.is_some() { Access::ReadWrite } else { Access::Write };
        let target = self.child_expression(node, field::LEFT);
        self.expressions.access = Access::Read;
        let value = self.child_expression(node, field::RIGHT);
        let op_range = operator.map_or(range, |operator| self.range(operator));
        self.assignment(op, op_range, target, value, range)
    }

    fn unary_node(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        let Some(operator) = node.child_by_field_id(field::OPERATOR) else {
            return self.error_expr(range);
        };
        let step = match operator.kind_id() {
            token::PLUS_PLUS => Some(IncDec::PreIncrement),
            token::DASH_DASH => Some(IncDec::PreDecrement),
            _ => None,
        };
        if let Some(op) = step {
            self.expressions.access = Access::ReadWrite;
            let operand = self.child_expression(node, field::OPERAND);
            self.expressions.access = Access::Read;
            return self.increment(op, operand, range);
        }
        let operand = self.child_expression(node, field::OPERAND);
        let op = match operator.kind_id() {
            token::PLUS => UnaryOp::Plus,
            token::DASH => UnaryOp::Negate,
            token::BANG => UnaryOp::Not,
            token::TILDE => UnaryOp::BitNot,
            _ => return self.error_expr(range),
        };
        self.unary(op, operand, range)
    }

    fn postfix_node(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        self.expressions.access = Access::ReadWrite;
        let operand = self.child_expression(node, field::OPERAND);
        self.expressions.access = Access::Read;
        let Some(operator) = node.child_by_field_id(field::OPERATOR) else {
            return self.error_expr(range);
        };
        let op = match operator.kind_id() {
            token::PLUS_PLUS => IncDec::PostIncrement,
            token::DASH_DASH => IncDec::PostDecrement,
            _ => return self.error_expr(range),
        };
        self.increment(op, operand, range)
    }

    fn conditional_node(&mut self, node: Node<'a>) -> ExprId {
        let range = self.range(node);
        let condition = match self.child(node, field::CONDITION) {
            Some(condition) => self.condition(condition),
            None => self.missing(node),
        };
        let then = self.child_expression(node, field::CONSEQUENCE);
        let otherwise = self.child_expression(node, field::ALTERNATIVE);
        self.conditional(condition, then, otherwise, range)
    }

    /// Lowers a condition, which must be a scalar `bool`.
    pub fn condition(&mut self, node: Node<'a>) -> ExprId {
        let condition = self.expression(node);
        let ty = self.type_of(condition);
        if ty != Ty::BOOL && !self.types.is_error(ty) {
            let range = self.range_of(condition);
            let have = self.display(ty);
            let hint = match self.types.shape(ty) {
                Some((Scalar::Bool, _)) => ": reduce it with `any` or `all`",
                Some((_, super::shapes::Shape::Scalar)) => ": compare it, as in `x != 0`",
                _ => "",
            };
            self.report(
                &codes::CONDITION_TYPE,
                range,
                format!("a condition must be `bool`, but is `{have}`{hint}"),
            );
            return self.error_expr(range);
        }
        condition
    }

    /// A name that stands for a value.
    fn name(&mut self, node: Node<'a>, access: Access) -> ExprId {
        let name = self.node_text(node);
        let range = self.range(node);
        let Some(definition) = self.lookup(name) else {
            if node.is_missing() {
                return self.error_expr(range);
            }
            // Where the grammar tries two readings at once, the lexer takes these words for names.
            if matches!(name, "true" | "false") {
                return self.bool_literal(node);
            }
            return self.undeclared(name, range);
        };
        let (kind, ty, constant) = match &definition {
            &Definition::Local(id) => {
                let local = &mut self.body.locals[id];
                if access != Access::Write {
                    local.read = true;
                }
                (ExprKind::Local(id), local.ty, local.constant.clone())
            }
            &Definition::Global(id) => {
                let global = &self.module.globals[id];
                (ExprKind::Global(id), global.ty, global.constant.clone())
            }
            &Definition::BlockMember(id, member) => {
                let ty = self.block_member_type(id, member);
                (ExprKind::BlockMember(id, member), ty, None)
            }
            &Definition::BuiltinVariable(id) => {
                let variable = extensions::variable_by_id(id);
                self.provider_check(variable.name, variable, range);
                let ty = self.pattern_type(&variable.pattern).unwrap_or(Ty::ERROR);
                let constant = self.workgroup_size(id);
                (ExprKind::BuiltinVariable(id), ty, constant)
            }
            &Definition::BuiltinConstant(id) => {
                let constant = extensions::constant_by_id(id);
                self.provider_check(constant.name, constant, range);
                let (ty, value) = self.builtin_constant(constant);
                (ExprKind::BuiltinConstant(id), ty, Some(value))
            }
            Definition::Function(_) => {
                (ExprKind::FunctionName { name: name.into(), function: None }, Ty::FUNCTION_NAME, None)
            }
            &Definition::Struct(id) => {
                self.record_name(range, definition);
                let ty = self.struct_type(id);
                return self.type_as_value(range, ty);
            }
            &Definition::Type(ty) => {
                self.record_name(range, definition);
                if self.types.is_error(ty) {
                    return self.error_expr(range);
                }
                return self.type_as_value(range, ty);
            }
            Definition::BuiltinFunction(_)
            | Definition::Member(..)
            | Definition::Swizzle
            | Definition::Method(_) => (ExprKind::Error, Ty::ERROR, None),
        };
        self.record_name(range, definition);
        self.body.exprs.alloc(Expr { kind, ty, range, constant })
    }

    fn undeclared(&mut self, name: &'a str, range: TextRange) -> ExprId {
        if extensions::functions(name).len() > 0 {
            self.report(
                &codes::UNDECLARED_NAME,
                range,
                format!("`{name}` is a built-in function: it can only be called"),
            );
        } else if self.environment.has_unknown_extension() {
            return self.error_expr(range);
        } else if let Some(id) = extensions::type_(name) {
            let message = match extensions::type_by_id(id).kind {
                // `coopmat<T, S, BK / 2, ...>` reads as comparisons.
                BuiltinTypeKind::Coopmat
                | BuiltinTypeKind::FCoopmatNv
                | BuiltinTypeKind::ICoopmatNv
                | BuiltinTypeKind::UCoopmatNv
                | BuiltinTypeKind::LongVector
                | BuiltinTypeKind::CoopVec
                | BuiltinTypeKind::TensorLayout
                | BuiltinTypeKind::TensorView => format!(
                    "`{name}` is a type: its arguments go between `<` and `>`, with parentheses around those that have an operator"
                ),
                _ => format!("`{name}` is a type: a value is needed here, such as `{name}(...)`"),
            };
            self.report(&codes::TYPE_AS_VALUE, range, message);
        } else {
            let close = if self.may_suggest() {
                let builtins = extensions::all_variables()
                    .map(|(_, variable)| variable.name)
                    .chain(extensions::all_constants().map(|(_, constant)| constant.name));
                closest(name, self.scopes.names().chain(builtins)).map(SmolStr::new)
            } else {
                None
            };
            let hint = suggestion(close.as_deref());
            self.report(&codes::UNDECLARED_NAME, range, format!("`{name}` is not declared{hint}"));
            self.body.unknown_names.push(UnknownName { range, close, call: None, only_macro: false });
        }
        self.error_expr(range)
    }

    /// Whether one more name may be compared with all others: where nothing is declared, that would take long.
    pub(super) fn may_suggest(&mut self) -> bool {
        self.expressions.suggestions += 1;
        self.expressions.suggestions <= MAX_SUGGESTIONS
    }

    /// Type and value of a constant of the tables.
    pub(super) fn builtin_constant(&mut self, constant: &extensions::BuiltinConstant) -> (Ty, Const) {
        let value = |value: i64| match constant.scalar {
            Scalar::Bool => Const::Bool(value != 0),
            scalar if scalar.is_float() => Const::Float(value as f64),
            scalar => Const::Int(super::folding::wrap_integer(i128::from(value), scalar)),
        };
        if constant.components.is_empty() {
            (self.types.scalar(constant.scalar), value(constant.value))
        } else {
            let parts = constant.components.iter().map(|&part| value(part)).collect();
            let ty = self.types.vector(constant.scalar, constant.components.len() as u32);
            (ty, Const::Composite(parts))
        }
    }

    fn block_member_type(&self, id: crate::hir::GlobalId, member: u32) -> Ty {
        match self.types.kind(self.module.globals[id].ty) {
            TypeKind::Struct(structure) => self.module.structs[*structure]
                .members
                .get(member as usize)
                .map_or(Ty::ERROR, |member| member.ty),
            _ => Ty::ERROR,
        }
    }

    /// `gl_WorkGroupSize` is a constant where the text declares the size, and a specialization constant where it gives ids.
    fn workgroup_size(&mut self, variable: BuiltinVariableId) -> Option<Const> {
        if variable != variables::GL_WORK_GROUP_SIZE {
            return None;
        }
        let dims = self.module.local_size.dims.clone();
        self.module.local_size.range?;
        let mut parts = Vec::with_capacity(3);
        for (dim, letter) in dims.into_iter().zip(["x", "y", "z"]) {
            let value = match dim.value {
                Some(value) => value,
                None => self.types.symbols.int(1),
            };
            parts.push(match dim.constant_id {
                Some(id) => {
                    let default = self.types.symbols.default_value(value);
                    let name = format!("{}.{letter}", variable.name()).into();
                    let atom = SpecAtom { name, id: Some(id), signed: false, default };
                    Const::Symbolic(self.types.symbols.spec(atom))
                }
                None => self.const_of_sym(value, Scalar::Uint32),
            });
        }
        Some(Const::Composite(parts.into()))
    }

    /// The value of an integral constant or specialization-constant expression; reports where it is none.
    pub fn constant_size(&mut self, expr: ExprId) -> Option<Sym> {
        let ty = self.type_of(expr);
        if self.types.is_error(ty) {
            return None;
        }
        let range = self.range_of(expr);
        if !self.types.as_scalar(ty).is_some_and(Scalar::is_integer) {
            let have = self.display(ty);
            self.report(
                &codes::CONSTANT_REQUIRED,
                range,
                format!("a constant integer is needed here, but this is `{have}`"),
            );
            return None;
        }
        if let Some(message) = self.beyond_specialization(expr) {
            self.report(&codes::CONSTANT_REQUIRED, range, message);
            return None;
        }
        match self.body.exprs[expr].constant.clone() {
            Some(constant @ (Const::Int(_) | Const::Symbolic(_))) => match self.sym_of_const(&constant) {
                Some(sym) => Some(sym),
                None => Some(self.types.symbols.unknown()),
            },
            Some(_) => Some(self.types.symbols.unknown()),
            None => {
                let what = self.not_constant_because(expr);
                self.report(
                    &codes::CONSTANT_REQUIRED,
                    range,
                    format!("a constant integer is needed here{what}"),
                );
                None
            }
        }
    }

    /// Why an expression with specialization constants is none itself. GLSL 4.60, section 5.12, lists what gives one: integers and booleans, the operators
    /// on them and the conversions between them. Section 4.3.3: "When a function is called with an argument that is a specialization constant,
    /// the result is not a constant expression."
    fn beyond_specialization(&self, root: ExprId) -> Option<String> {
        let mut stack = vec![root];
        let mut looked_at = 0;
        while let Some(expr) = stack.pop() {
            looked_at += 1;
            let expr = &self.body.exprs[expr];
            let specialized = expr.constant.as_ref().is_some_and(Const::is_specialization);
            if looked_at > MOST_OPERANDS {
                return None;
            }
            if !specialized {
                continue;
            }
            if let Some(scalar) = self.types.as_scalar(expr.ty)
                && matches!(scalar.class(), ScalarClass::Float | ScalarClass::SmallFloat)
            {
                return Some(format!(
                    "a constant integer is needed here, but this depends on a specialization constant that is a `{}`: use an integer",
                    self.display(expr.ty)
                ));
            }
            match &expr.kind {
                ExprKind::Call { callee: Callee::Builtin(function), .. } => {
                    let name = crate::extensions::function(*function).name;
                    return Some(format!(
                        "a constant integer is needed here, but `{name}(...)` of a specialization constant is computed at run time: write it with operators, as in `a > b ? a : b`"
                    ));
                }
                ExprKind::Length { .. } => {}
                // The initializers of top-level constants are in another body than that of a function.
                ExprKind::Global(global) if self.function.is_none() => {
                    stack.extend(self.module.globals[*global].initializer);
                }
                kind => kind.operands(&mut stack),
            }
        }
        None
    }

    /// What in an expression is not constant, for a message.
    pub(super) fn not_constant_because(&self, expr: ExprId) -> String {
        match &self.body.exprs[expr].kind {
            ExprKind::Local(id) => {
                format!(", but `{}` is a variable: declare it `const`", self.body.locals[*id].name)
            }
            ExprKind::Global(id) => {
                format!(", but `{}` is a variable: declare it `const`", self.module.globals[*id].name)
            }
            ExprKind::Convert { operand } => self.not_constant_because(*operand),
            ExprKind::Comma { .. } => ", and `,` does not give one".to_owned(),
            _ => ", but this depends on variables".to_owned(),
        }
    }

    pub fn constant_value(&self, expr: ExprId) -> Option<&Const> {
        self.body.exprs[expr].constant.as_ref()
    }

    pub fn type_of(&self, expr: ExprId) -> Ty {
        self.body.exprs[expr].ty
    }

    pub fn range_of(&self, expr: ExprId) -> TextRange {
        self.body.exprs[expr].range
    }

    pub fn error_expr(&mut self, range: TextRange) -> ExprId {
        self.body.exprs.alloc(Expr { kind: ExprKind::Error, ty: Ty::ERROR, range, constant: None })
    }

    /// Forgets what was remembered under other `#extension` lines.
    pub(super) fn refresh_caches(&mut self) {
        let epoch = self.environment.applied().len();
        if self.expressions.epoch != epoch {
            self.expressions.epoch = epoch;
            self.expressions.explicit_types = None;
            self.expressions.typings.clear();
            self.expressions.overloads.clear();
        }
    }

    /// Whether an extension of the explicit arithmetic types is enabled: they bring more implicit conversions.
    pub(super) fn explicit_types(&self) -> bool {
        [
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT8,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT16,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT32,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_INT64,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_FLOAT16,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_FLOAT32,
            ids::GL_EXT_SHADER_EXPLICIT_ARITHMETIC_TYPES_FLOAT64,
        ]
        .into_iter()
        .any(|extension| self.environment.enabled(extension))
    }
}

fn binary_operator(id: u16) -> Option<BinaryOp> {
    Some(match id {
        token::PLUS => BinaryOp::Add,
        token::DASH => BinaryOp::Sub,
        token::STAR => BinaryOp::Mul,
        token::SLASH => BinaryOp::Div,
        token::PERCENT => BinaryOp::Rem,
        token::LT_LT => BinaryOp::Shl,
        token::GT_GT => BinaryOp::Shr,
        token::AMP => BinaryOp::BitAnd,
        token::PIPE => BinaryOp::BitOr,
        token::CARET => BinaryOp::BitXor,
        token::LT => BinaryOp::Less,
        token::LT_EQ => BinaryOp::LessEqual,
        token::GT => BinaryOp::Greater,
        token::GT_EQ => BinaryOp::GreaterEqual,
        token::EQ_EQ => BinaryOp::Equal,
        token::BANG_EQ => BinaryOp::NotEqual,
        token::AMP_AMP => BinaryOp::LogicalAnd,
        token::PIPE_PIPE => BinaryOp::LogicalOr,
        token::CARET_CARET => BinaryOp::LogicalXor,
        _ => return None,
    })
}

fn assignment_operator(id: u16) -> Option<BinaryOp> {
    Some(match id {
        token::PLUS_EQ => BinaryOp::Add,
        token::DASH_EQ => BinaryOp::Sub,
        token::STAR_EQ => BinaryOp::Mul,
        token::SLASH_EQ => BinaryOp::Div,
        token::PERCENT_EQ => BinaryOp::Rem,
        token::LT_LT_EQ => BinaryOp::Shl,
        token::GT_GT_EQ => BinaryOp::Shr,
        token::AMP_EQ => BinaryOp::BitAnd,
        token::PIPE_EQ => BinaryOp::BitOr,
        token::CARET_EQ => BinaryOp::BitXor,
        _ => return None,
    })
}
