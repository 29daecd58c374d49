//! The shape of expressions: what lies below one, and how tightly it binds.

use super::{ExprId, ExprKind};

impl ExprKind {
    /// Whether an expression can stand as an operand without parentheses.
    pub fn is_primary(&self) -> bool {
        match self {
            ExprKind::Literal
            | ExprKind::String(_)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::BlockMember(..)
            | ExprKind::BuiltinVariable(_)
            | ExprKind::BuiltinConstant(_)
            | ExprKind::FunctionName { .. }
            | ExprKind::Call { .. }
            | ExprKind::Construct { .. }
            | ExprKind::Member { .. }
            | ExprKind::Swizzle { .. }
            | ExprKind::Index { .. }
            | ExprKind::Length { .. } => true,
            ExprKind::Error
            | ExprKind::Unary { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Conditional { .. }
            | ExprKind::Comma { .. }
            | ExprKind::InitializerList { .. }
            | ExprKind::Convert { .. } => false,
        }
    }

    /// Adds the expressions directly below this one.
    pub fn operands(&self, out: &mut Vec<ExprId>) {
        match self {
            ExprKind::Error
            | ExprKind::Literal
            | ExprKind::String(_)
            | ExprKind::Local(_)
            | ExprKind::Global(_)
            | ExprKind::BlockMember(..)
            | ExprKind::BuiltinVariable(_)
            | ExprKind::BuiltinConstant(_)
            | ExprKind::FunctionName { .. } => {}
            ExprKind::Unary { operand, .. }
            | ExprKind::IncDec { operand, .. }
            | ExprKind::Convert { operand } => out.push(*operand),
            ExprKind::Binary { left, right, .. } | ExprKind::Comma { left, right } => {
                out.extend([*left, *right]);
            }
            ExprKind::Assign { target, value, .. } => out.extend([*target, *value]),
            ExprKind::Conditional { condition, then, otherwise } => {
                out.extend([*condition, *then, *otherwise]);
            }
            ExprKind::Call { arguments, .. } | ExprKind::Construct { arguments } => out.extend(arguments),
            ExprKind::InitializerList { elements } => out.extend(elements),
            ExprKind::Member { base, .. } | ExprKind::Swizzle { base, .. } | ExprKind::Length { base } => {
                out.push(*base);
            }
            ExprKind::Index { base, index } => out.extend([*base, *index]),
        }
    }
}
