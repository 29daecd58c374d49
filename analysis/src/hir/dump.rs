//! The typed program as text: what tests compare, and what one reads to see how a shader was understood.
//!
//! An expression is written with everything that the text leaves out: `float(i)` of an implicit conversion is `i as float`, a constant has its
//! value behind `=`. One line for each statement.

use std::fmt::Write as _;

use super::{
    Body, Callee, Condition, Const, Expr, ExprId, ExprKind, IncDec, Module, StmtId, StmtKind, UnaryOp,
};
use crate::display::display_type;
use crate::extensions;
use crate::types::Ty;

/// Expressions that nest deeper are cut short.
const MAX_DEPTH: u32 = 300;

/// The bodies of all functions.
pub fn dump(module: &Module) -> String {
    let mut out = String::new();
    for (_, function) in module.functions.iter() {
        let Some(body) = &function.body else { continue };
        let printer = Printer { module, body };
        let _ = writeln!(out, "{} {}", printer.ty(function.return_type), function.name);
        if let Some(root) = body.root {
            printer.statement(root, 1, &mut out);
        }
    }
    out
}

/// One expression of a body.
pub fn dump_expression(module: &Module, body: &Body, expr: ExprId) -> String {
    let mut out = String::new();
    Printer { module, body }.expression(expr, 0, &mut out);
    out
}

/// A constant's value.
pub fn dump_constant(module: &Module, constant: &Const) -> String {
    match constant {
        Const::Bool(value) => value.to_string(),
        Const::Int(value) => value.to_string(),
        Const::Float(value) => format!("{value:?}"),
        Const::Composite(parts) if parts.len() > 16 => format!("{{{} parts}}", parts.len()),
        Const::Composite(parts) => {
            let parts: Vec<String> = parts.iter().map(|part| dump_constant(module, part)).collect();
            format!("{{{}}}", parts.join(", "))
        }
        Const::Symbolic(sym) => module.types.symbols.display(*sym),
        Const::Opaque { specialization: true } => "specialized".to_owned(),
        Const::Opaque { specialization: false } => "constant".to_owned(),
    }
}

struct Printer<'m> {
    module: &'m Module,
    body: &'m Body,
}

impl Printer<'_> {
    fn ty(&self, ty: Ty) -> String {
        display_type(&self.module.types, &self.module.structs, ty)
    }

    fn text(&self, expr: ExprId) -> String {
        let mut out = String::new();
        self.expression(expr, 0, &mut out);
        out
    }

    fn statement(&self, id: StmtId, indent: usize, out: &mut String) {
        let blank = "    ".repeat(indent.min(40));
        match &self.body.stmts[id].kind {
            StmtKind::Block(statements) => {
                for &statement in statements {
                    self.statement(statement, indent, out);
                }
            }
            StmtKind::Expr(expr) => {
                let _ = writeln!(out, "{blank}{}", self.typed(*expr));
            }
            StmtKind::Declare { local, initializer } => {
                let local = &self.body.locals[*local];
                let _ = write!(out, "{blank}{} {}", self.ty(local.ty), local.name);
                if let Some(initializer) = initializer {
                    let _ = write!(out, " := {}", self.text(*initializer));
                }
                if let Some(constant) = &local.constant {
                    let _ = write!(out, " = {}", dump_constant(self.module, constant));
                }
                out.push('\n');
            }
            StmtKind::If { condition, then, otherwise, .. } => {
                let _ = writeln!(out, "{blank}if {}", self.text(*condition));
                self.statement(*then, indent + 1, out);
                if let Some(otherwise) = otherwise {
                    let _ = writeln!(out, "{blank}else");
                    self.statement(*otherwise, indent + 1, out);
                }
            }
            StmtKind::Switch { selector, body, .. } => {
                let _ = writeln!(out, "{blank}switch {}", self.text(*selector));
                for &statement in body {
                    self.statement(statement, indent + 1, out);
                }
            }
            StmtKind::Case(value) => {
                let _ = writeln!(out, "{blank}case {}", self.text(*value));
            }
            StmtKind::For { init, condition, step, body, .. } => {
                if let Some(init) = init {
                    self.statement(*init, indent, out);
                }
                let condition = condition.as_ref().map(|condition| self.condition(condition));
                let step = step.map(|step| self.text(step));
                let _ = writeln!(
                    out,
                    "{blank}for {}; {}",
                    condition.unwrap_or_default(),
                    step.unwrap_or_default()
                );
                self.statement(*body, indent + 1, out);
            }
            StmtKind::While { condition, body, .. } => {
                let _ = writeln!(out, "{blank}while {}", self.condition(condition));
                self.statement(*body, indent + 1, out);
            }
            StmtKind::DoWhile { body, condition, .. } => {
                let _ = writeln!(out, "{blank}do");
                self.statement(*body, indent + 1, out);
                let _ = writeln!(out, "{blank}while {}", self.text(*condition));
            }
            StmtKind::Return(Some(value)) => {
                let _ = writeln!(out, "{blank}return {}", self.text(*value));
            }
            other => {
                let name = match other {
                    StmtKind::Error => "error",
                    StmtKind::Empty => "empty",
                    StmtKind::Declaration => "declaration",
                    StmtKind::Default => "default",
                    StmtKind::Break => "break",
                    StmtKind::Continue => "continue",
                    StmtKind::Discard => "discard",
                    StmtKind::Other(word) => word.as_str(),
                    _ => "return",
                };
                let _ = writeln!(out, "{blank}{name}");
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Expr(expr) => self.text(*expr),
            Condition::Declare { local, initializer } => {
                format!("{} := {}", self.body.locals[*local].name, self.text(*initializer))
            }
        }
    }

    /// An expression with its type, and its value where it has one.
    fn typed(&self, id: ExprId) -> String {
        let expr = &self.body.exprs[id];
        let mut out = format!("{}: {}", self.text(id), self.ty(expr.ty));
        if let Some(constant) = &expr.constant
            && !matches!(expr.kind, ExprKind::Literal)
        {
            let _ = write!(out, " = {}", dump_constant(self.module, constant));
        }
        out
    }

    fn list(&self, parts: &[ExprId], depth: u32, out: &mut String) {
        for (index, &part) in parts.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            self.expression(part, depth, out);
        }
    }

    fn expression(&self, id: ExprId, depth: u32, out: &mut String) {
        if depth > MAX_DEPTH {
            out.push('…');
            return;
        }
        let depth = depth + 1;
        let Expr { kind, ty, constant, .. } = &self.body.exprs[id];
        match kind {
            ExprKind::Error => out.push_str("error"),
            ExprKind::Literal => match constant {
                Some(constant) => out.push_str(&dump_constant(self.module, constant)),
                None => out.push('?'),
            },
            ExprKind::String(text) => {
                let _ = write!(out, "{:?}", text.as_str());
            }
            ExprKind::Local(local) => out.push_str(&self.body.locals[*local].name),
            ExprKind::Global(global) => out.push_str(&self.module.globals[*global].name),
            ExprKind::BlockMember(global, member) => {
                let structure = match self.module.types.kind(self.module.globals[*global].ty) {
                    crate::types::TypeKind::Struct(id) => Some(&self.module.structs[*id]),
                    _ => None,
                };
                match structure.and_then(|structure| structure.members.get(*member as usize)) {
                    Some(member) => out.push_str(&member.name),
                    None => out.push('?'),
                }
            }
            ExprKind::BuiltinVariable(id) => out.push_str(extensions::variable_by_id(*id).name),
            ExprKind::BuiltinConstant(id) => out.push_str(extensions::constant_by_id(*id).name),
            ExprKind::FunctionName { name, .. } => {
                let _ = write!(out, "&{name}");
            }
            ExprKind::Unary { op, operand } => {
                out.push_str(match op {
                    UnaryOp::Plus => "+",
                    UnaryOp::Negate => "-",
                    UnaryOp::Not => "!",
                    UnaryOp::BitNot => "~",
                });
                self.expression(*operand, depth, out);
            }
            ExprKind::IncDec { op, operand } => {
                let (before, after) = match op {
                    IncDec::PreIncrement => ("++", ""),
                    IncDec::PreDecrement => ("--", ""),
                    IncDec::PostIncrement => ("", "++"),
                    IncDec::PostDecrement => ("", "--"),
                };
                out.push_str(before);
                self.expression(*operand, depth, out);
                out.push_str(after);
            }
            ExprKind::Binary { op, left, right } => {
                out.push('(');
                self.expression(*left, depth, out);
                let _ = write!(out, " {} ", op.symbol());
                self.expression(*right, depth, out);
                out.push(')');
            }
            ExprKind::Assign { op, target, value } => {
                self.expression(*target, depth, out);
                let _ = write!(out, " {}= ", op.map_or("", super::BinaryOp::symbol));
                self.expression(*value, depth, out);
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                out.push('(');
                self.expression(*condition, depth, out);
                out.push_str(" ? ");
                self.expression(*then, depth, out);
                out.push_str(" : ");
                self.expression(*otherwise, depth, out);
                out.push(')');
            }
            ExprKind::Comma { left, right } => self.list(&[*left, *right], depth, out),
            ExprKind::Call { callee, arguments } => {
                match callee {
                    Callee::Function(function) => out.push_str(&self.module.functions[*function].name),
                    Callee::Builtin(id) => out.push_str(extensions::function(*id).name),
                }
                out.push('(');
                self.list(arguments, depth, out);
                out.push(')');
            }
            ExprKind::Construct { arguments } => {
                out.push_str(&self.ty(*ty));
                out.push('(');
                self.list(arguments, depth, out);
                out.push(')');
            }
            ExprKind::InitializerList { elements } => {
                out.push('{');
                self.list(elements, depth, out);
                out.push('}');
            }
            ExprKind::Convert { operand } => {
                self.expression(*operand, depth, out);
                let _ = write!(out, " as {}", self.ty(*ty));
            }
            ExprKind::Member { base, structure, member } => {
                self.expression(*base, depth, out);
                let name = self.module.structs[*structure].members.get(*member as usize);
                let _ = write!(out, ".{}", name.map(|member| member.name.as_str()).unwrap_or("?"));
            }
            ExprKind::Swizzle { base, components } => {
                self.expression(*base, depth, out);
                out.push('.');
                for &component in components.as_slice() {
                    out.push(['x', 'y', 'z', 'w'].get(usize::from(component)).copied().unwrap_or('?'));
                }
            }
            ExprKind::Index { base, index } => {
                self.expression(*base, depth, out);
                out.push('[');
                self.expression(*index, depth, out);
                out.push(']');
            }
            ExprKind::Length { base } => {
                self.expression(*base, depth, out);
                out.push_str(".length()");
            }
        }
    }
}
