//! Operators, and the components that a swizzle takes.

/// Operators in front of a value (GLSL 4.60, 5.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `+a`
    Plus,
    /// `-a`
    Negate,
    /// `!a`, of a scalar `bool`.
    Not,
    /// `~a`, of integers.
    BitNot,
}

/// Steps by one (GLSL 4.60, 5.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IncDec {
    /// `++a`
    PreIncrement,
    /// `--a`
    PreDecrement,
    /// `a++`
    PostIncrement,
    /// `a--`
    PostDecrement,
}

/// Operators between two values (GLSL 4.60, 5.9); those of assignments, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`: componentwise, but for the linear algebra of matrices and vectors.
    Mul,
    /// `/`
    Div,
    /// `%`, of integers.
    Rem,
    /// `<<`
    Shl,
    /// `>>`: arithmetic for signed left operands, logical for unsigned ones.
    Shr,
    /// `&`
    BitAnd,
    /// `|`
    BitOr,
    /// `^`
    BitXor,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`, one `bool` for whole vectors, matrices, structures and arrays.
    Equal,
    /// `!=`, likewise.
    NotEqual,
    /// `&&`; the right operand is evaluated only when the left one is true.
    LogicalAnd,
    /// `||`; the right operand is evaluated only when the left one is false.
    LogicalOr,
    /// `^^`
    LogicalXor,
}

impl BinaryOp {
    /// As it is written: `+`. With `=` behind it, the operator of an assignment.
    pub fn symbol(self) -> &'static str {
        match self {
            BinaryOp::Add => "+",
            BinaryOp::Sub => "-",
            BinaryOp::Mul => "*",
            BinaryOp::Div => "/",
            BinaryOp::Rem => "%",
            BinaryOp::Shl => "<<",
            BinaryOp::Shr => ">>",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitOr => "|",
            BinaryOp::BitXor => "^",
            BinaryOp::Less => "<",
            BinaryOp::LessEqual => "<=",
            BinaryOp::Greater => ">",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
            BinaryOp::LogicalXor => "^^",
        }
    }
}

/// The components that a swizzle takes, whatever letters it is written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swizzle {
    /// 0 to 3 each, for `x` to `w`; what lies past `length` means nothing.
    pub components: [u8; 4],
    /// How many components it takes, 1 to 4.
    pub length: u8,
}

impl Swizzle {
    /// The components that it takes, 1 to 4 of them, each 0 to 3.
    pub fn as_slice(&self) -> &[u8] {
        &self.components[..usize::from(self.length.min(4))]
    }
}
