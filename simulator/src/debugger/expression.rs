//! Expressions that a person watches: `acc`, `tile[3]`, `b.data[i + 1].x`, `acc[2, 3]`, `k < 16 && lane == 0`.
//!
//! They are read as GLSL has them, and calculated for every lane.

/// How deep expressions nest.
const DEPTH: u32 = 64;
/// Operators and parts of an expression: `a + b + c` is as deep as it has of them.
const MOST: u32 = 256;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Integer(i64),
    Float(f64),
    Bool(bool),
    Name(String),
    Member(Box<Expression>, String),
    Index(Box<Expression>, Box<Expression>),
    /// `m[2, 3]`: an element of a cooperative matrix, by row and column.
    Cell(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `a[8 ..]`: from an element on.
    From(Box<Expression>, u64),
    Negative(Box<Expression>),
    Not(Box<Expression>),
    Binary(Operator, Box<Expression>, Box<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Equal,
    Unequal,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    BitOr,
    BitXor,
    BitAnd,
    Left,
    Right,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

/// Longer ones first where one begins another; the number says how strongly it binds.
const OPERATORS: [(&str, Operator, u8); 18] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("==", Operator::Equal, 6),
    ("!=", Operator::Unequal, 6),
    ("<<", Operator::Left, 8),
    (">>", Operator::Right, 8),
    ("<=", Operator::LessEqual, 7),
    (">=", Operator::GreaterEqual, 7),
    ("<", Operator::Less, 7),
    (">", Operator::Greater, 7),
    ("|", Operator::BitOr, 3),
    ("^", Operator::BitXor, 4),
    ("&", Operator::BitAnd, 5),
    ("+", Operator::Add, 9),
    ("-", Operator::Subtract, 9),
    ("*", Operator::Multiply, 10),
    ("/", Operator::Divide, 10),
    ("%", Operator::Remainder, 10),
];

/// Reads an expression; the error says what was expected where.
pub(super) fn parse(text: &str) -> Result<Expression, String> {
    let mut parser = Parser { rest: text, depth: DEPTH, left: MOST };
    let expression = parser.binary(0)?;
    parser.space();
    match parser.rest {
        "" => Ok(expression),
        rest => Err(format!("unexpected `{rest}`")),
    }
}

struct Parser<'t> {
    rest: &'t str,
    depth: u32,
    /// Operators and parts that may come.
    left: u32,
}

impl<'t> Parser<'t> {
    fn space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn take(&mut self, token: &str) -> bool {
        self.space();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn take_while(&mut self, fits: impl Fn(char) -> bool) -> &'t str {
        let end = self.rest.find(|c| !fits(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn count(&mut self) -> Result<(), String> {
        self.left = self.left.checked_sub(1).ok_or("the expression is too long")?;
        Ok(())
    }

    fn binary(&mut self, least: u8) -> Result<Expression, String> {
        let mut left = self.unary()?;
        loop {
            self.space();
            let found = OPERATORS.iter().find(|(token, _, _)| self.rest.starts_with(token));
            let Some(&(token, operator, strength)) = found.filter(|(_, _, strength)| *strength > least)
            else {
                return Ok(left);
            };
            self.rest = &self.rest[token.len()..];
            self.count()?;
            let right = self.binary(strength)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
    }

    fn unary(&mut self) -> Result<Expression, String> {
        self.depth = self.depth.checked_sub(1).ok_or("the expression is nested too deeply")?;
        let result = if self.take("-") {
            self.unary().map(|inner| Expression::Negative(Box::new(inner)))
        } else if self.take("!") {
            self.unary().map(|inner| Expression::Not(Box::new(inner)))
        } else {
            self.postfix()
        };
        self.depth += 1;
        result
    }

    fn postfix(&mut self) -> Result<Expression, String> {
        let mut expression = self.primary()?;
        loop {
            if self.take("[") {
                self.count()?;
                let index = self.binary(0)?;
                if self.take("..") {
                    let Expression::Integer(first) = index else {
                        return Err("expected a number before `..`".to_owned());
                    };
                    let first = u64::try_from(first).map_err(|_| "elements are counted from zero")?;
                    expression = Expression::From(Box::new(expression), first);
                } else if self.take(",") {
                    self.count()?;
                    let column = self.binary(0)?;
                    expression = Expression::Cell(Box::new(expression), Box::new(index), Box::new(column));
                } else {
                    expression = Expression::Index(Box::new(expression), Box::new(index));
                }
                if !self.take("]") {
                    return Err("expected `]`".to_owned());
                }
            } else if !self.rest.trim_start().starts_with("..") && self.take(".") {
                self.count()?;
                self.space();
                let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
                if name.is_empty() {
                    return Err("expected the name of a member after `.`".to_owned());
                }
                expression = Expression::Member(Box::new(expression), name.to_owned());
            } else {
                return Ok(expression);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, String> {
        self.space();
        if self.take("(") {
            let inner = self.binary(0)?;
            return if self.take(")") { Ok(inner) } else { Err("expected `)`".to_owned()) };
        }
        match self.rest.chars().next() {
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_alphabetic() || matches!(c, '_' | '%') => {
                let first = if self.take("%") { "%" } else { "" };
                let name = self.take_while(|c| c.is_alphanumeric() || c == '_');
                Ok(match name {
                    "true" => Expression::Bool(true),
                    "false" => Expression::Bool(false),
                    name => Expression::Name(format!("{first}{name}")),
                })
            }
            Some(_) => Err(format!("expected a variable or a number, found `{}`", self.rest)),
            None => Err("expected a variable or a number".to_owned()),
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        if let Some(rest) = self.rest.strip_prefix("0x") {
            self.rest = rest;
            let digits = self.take_while(|c| c.is_ascii_hexdigit());
            self.take_while(|c| matches!(c, 'u' | 'U' | 'l' | 'L'));
            return i64::from_str_radix(digits, 16)
                .map(Expression::Integer)
                .map_err(|error| error.to_string());
        }
        let text = self.rest;
        self.take_while(|c| c.is_ascii_digit());
        let is_float = self.rest.starts_with('.') && !self.rest.starts_with("..");
        if is_float {
            self.rest = &self.rest[1..];
            self.take_while(|c| c.is_ascii_digit());
        }
        let digits = &text[..text.len() - self.rest.len()];
        self.take_while(|c| matches!(c, 'u' | 'U' | 'l' | 'L' | 'f' | 'F' | 'h' | 'H' | 's' | 'S'));
        match is_float {
            true => digits.parse().map(Expression::Float).map_err(|_| format!("`{digits}` is not a number")),
            false => digits.parse().map(Expression::Integer).map_err(|_| format!("`{digits}` is too large")),
        }
    }
}

/// A number of one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Integer(i64),
    Float(f64),
    Bool(bool),
}

impl Number {
    pub fn truth(self) -> bool {
        match self {
            Number::Integer(value) => value != 0,
            Number::Float(value) => value != 0.0,
            Number::Bool(value) => value,
        }
    }

    pub fn integer(self) -> i64 {
        match self {
            Number::Integer(value) => value,
            Number::Float(value) => value as i64,
            Number::Bool(value) => i64::from(value),
        }
    }

    fn float(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Float(value) => value,
            Number::Bool(value) => f64::from(u8::from(value)),
        }
    }

    pub fn negative(self) -> Number {
        match self {
            Number::Float(value) => Number::Float(-value),
            other => Number::Integer(other.integer().wrapping_neg()),
        }
    }
}

/// The result of an operator; nothing where numbers are divided by zero.
pub(super) fn apply(operator: Operator, a: Number, b: Number) -> Option<Number> {
    let is_float = matches!((a, b), (Number::Float(_), _) | (_, Number::Float(_)));
    let compare = |test: fn(std::cmp::Ordering) -> bool| {
        let order =
            if is_float { a.float().partial_cmp(&b.float()) } else { Some(a.integer().cmp(&b.integer())) };
        Some(Number::Bool(order.is_some_and(test)))
    };
    let number = |float: fn(f64, f64) -> f64, integer: fn(i64, i64) -> Option<i64>| match is_float {
        true => Some(Number::Float(float(a.float(), b.float()))),
        false => integer(a.integer(), b.integer()).map(Number::Integer),
    };
    let bits = |f: fn(i64, i64) -> i64| Some(Number::Integer(f(a.integer(), b.integer())));
    match operator {
        Operator::Or => Some(Number::Bool(a.truth() || b.truth())),
        Operator::And => Some(Number::Bool(a.truth() && b.truth())),
        Operator::Equal => compare(|order| order.is_eq()),
        Operator::Unequal => apply(Operator::Equal, a, b).map(|equal| Number::Bool(!equal.truth())),
        Operator::Less => compare(|order| order.is_lt()),
        Operator::Greater => compare(|order| order.is_gt()),
        Operator::LessEqual => compare(|order| order.is_le()),
        Operator::GreaterEqual => compare(|order| order.is_ge()),
        Operator::BitOr => bits(|a, b| a | b),
        Operator::BitXor => bits(|a, b| a ^ b),
        Operator::BitAnd => bits(|a, b| a & b),
        Operator::Left => bits(|a, b| a.wrapping_shl(b as u32)),
        Operator::Right => bits(|a, b| a.wrapping_shr(b as u32)),
        Operator::Add => number(|a, b| a + b, |a, b| Some(a.wrapping_add(b))),
        Operator::Subtract => number(|a, b| a - b, |a, b| Some(a.wrapping_sub(b))),
        Operator::Multiply => number(|a, b| a * b, |a, b| Some(a.wrapping_mul(b))),
        Operator::Divide => number(|a, b| a / b, i64::checked_div),
        Operator::Remainder => number(|a, b| a % b, i64::checked_rem),
    }
}
