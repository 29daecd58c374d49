//! The integer expressions of `#if` and `#elif` (GLSL 4.60, section 3.3), in 32 bits as compilers evaluate them.

use crate::lex::TokenKind;

/// Parentheses inside parentheses.
const DEPTH: u32 = 64;

pub(super) struct ExpressionToken<'t> {
    pub kind: TokenKind,
    pub text: &'t str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExpressionProblem {
    ExpectedOperand,
    ExpectedName,
    ExpectedParen,
    ExpectedOperator,
    NotAnInteger,
    TooDeep,
    DivisionByZero,
    /// An identifier that is no macro. Whether that is an error depends on the profile.
    Undefined,
}

/// The value, and what is wrong at which token; an index past the last token means the end of the line.
pub(super) struct Outcome {
    pub value: i32,
    pub problems: Vec<(usize, ExpressionProblem)>,
}

pub(super) fn evaluate(tokens: &[ExpressionToken<'_>], is_defined: &dyn Fn(usize) -> bool) -> Outcome {
    let (mut outcome, end) = evaluate_first(tokens, is_defined);
    if end < tokens.len() && !outcome.failed() {
        outcome.problems.push((end, ExpressionProblem::ExpectedOperator));
        outcome.value = 0;
    }
    outcome
}

/// Evaluates the longest expression that the tokens start with; also gives the number of its tokens.
pub(super) fn evaluate_first(
    tokens: &[ExpressionToken<'_>],
    is_defined: &dyn Fn(usize) -> bool,
) -> (Outcome, usize) {
    let mut parser = Parser { tokens, is_defined, at: 0, depth: 0, problems: Vec::new() };
    let value = parser.binary(0, true).unwrap_or(0);
    let mut outcome = Outcome { value, problems: parser.problems };
    if outcome.failed() {
        outcome.value = 0;
    }
    (outcome, parser.at)
}

impl Outcome {
    fn failed(&self) -> bool {
        self.problems.iter().any(|(_, problem)| *problem != ExpressionProblem::Undefined)
    }
}

struct Parser<'t> {
    tokens: &'t [ExpressionToken<'t>],
    is_defined: &'t dyn Fn(usize) -> bool,
    at: usize,
    depth: u32,
    problems: Vec<(usize, ExpressionProblem)>,
}

impl Parser<'_> {
    fn fail(&mut self, problem: ExpressionProblem) -> Option<i32> {
        self.problems.push((self.at, problem));
        None
    }

    fn text(&self) -> &str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    /// `live` is false where the value does not matter: behind `0 &&` and `1 ||`.
    fn binary(&mut self, least: u8, live: bool) -> Option<i32> {
        let mut left = self.unary(live)?;
        loop {
            let Some((operator, precedence)) = operator(self.text()) else { return Some(left) };
            if precedence < least {
                return Some(left);
            }
            let place = self.at;
            self.at += 1;
            let matters = match operator {
                Operator::And => left != 0,
                Operator::Or => left == 0,
                _ => true,
            };
            let right = self.binary(precedence + 1, live && matters)?;
            left = match apply(operator, left, right) {
                Some(value) => value,
                None => {
                    if live {
                        self.problems.push((place, ExpressionProblem::DivisionByZero));
                    }
                    0
                }
            };
        }
    }

    fn unary(&mut self, live: bool) -> Option<i32> {
        let first = self.at;
        while matches!(self.text(), "+" | "-" | "~" | "!") {
            self.at += 1;
        }
        let after = self.at;
        let mut value = self.primary(live)?;
        for at in (first..after).rev() {
            value = match self.tokens[at].text {
                "-" => value.wrapping_neg(),
                "~" => !value,
                "!" => i32::from(value == 0),
                _ => value,
            };
        }
        Some(value)
    }

    fn primary(&mut self, live: bool) -> Option<i32> {
        let Some(token) = self.tokens.get(self.at) else {
            return self.fail(ExpressionProblem::ExpectedOperand);
        };
        match token.kind {
            TokenKind::Number => match integer(token.text) {
                Some(value) => {
                    self.at += 1;
                    Some(value)
                }
                None => self.fail(ExpressionProblem::NotAnInteger),
            },
            TokenKind::Identifier if token.text == "defined" => self.defined(),
            TokenKind::Identifier => {
                if live {
                    self.problems.push((self.at, ExpressionProblem::Undefined));
                }
                self.at += 1;
                Some(0)
            }
            TokenKind::LeftParen => {
                if self.depth >= DEPTH {
                    return self.fail(ExpressionProblem::TooDeep);
                }
                self.at += 1;
                self.depth += 1;
                let value = self.binary(0, live)?;
                self.depth -= 1;
                self.close(value)
            }
            _ => self.fail(ExpressionProblem::ExpectedOperand),
        }
    }

    fn defined(&mut self) -> Option<i32> {
        self.at += 1;
        let parenthesized = self.text() == "(";
        if parenthesized {
            self.at += 1;
        }
        if self.tokens.get(self.at).is_none_or(|token| token.kind != TokenKind::Identifier) {
            return self.fail(ExpressionProblem::ExpectedName);
        }
        let value = i32::from((self.is_defined)(self.at));
        self.at += 1;
        if parenthesized { self.close(value) } else { Some(value) }
    }

    fn close(&mut self, value: i32) -> Option<i32> {
        if self.text() != ")" {
            return self.fail(ExpressionProblem::ExpectedParen);
        }
        self.at += 1;
        Some(value)
    }
}

#[derive(Clone, Copy)]
enum Operator {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    NotEqual,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

fn operator(text: &str) -> Option<(Operator, u8)> {
    Some(match text {
        "||" => (Operator::Or, 0),
        "&&" => (Operator::And, 1),
        "|" => (Operator::BitOr, 2),
        "^" => (Operator::BitXor, 3),
        "&" => (Operator::BitAnd, 4),
        "==" => (Operator::Equal, 5),
        "!=" => (Operator::NotEqual, 5),
        "<" => (Operator::Less, 6),
        ">" => (Operator::Greater, 6),
        "<=" => (Operator::LessEqual, 6),
        ">=" => (Operator::GreaterEqual, 6),
        "<<" => (Operator::ShiftLeft, 7),
        ">>" => (Operator::ShiftRight, 7),
        "+" => (Operator::Add, 8),
        "-" => (Operator::Subtract, 8),
        "*" => (Operator::Multiply, 9),
        "/" => (Operator::Divide, 9),
        "%" => (Operator::Remainder, 9),
        _ => return None,
    })
}

/// `None` for a division by zero.
fn apply(operator: Operator, left: i32, right: i32) -> Option<i32> {
    let shift = u32::try_from(right).ok().filter(|&shift| shift < 32);
    Some(match operator {
        Operator::Or => i32::from(left != 0 || right != 0),
        Operator::And => i32::from(left != 0 && right != 0),
        Operator::BitOr => left | right,
        Operator::BitXor => left ^ right,
        Operator::BitAnd => left & right,
        Operator::Equal => i32::from(left == right),
        Operator::NotEqual => i32::from(left != right),
        Operator::Less => i32::from(left < right),
        Operator::Greater => i32::from(left > right),
        Operator::LessEqual => i32::from(left <= right),
        Operator::GreaterEqual => i32::from(left >= right),
        Operator::ShiftLeft => shift.map_or(0, |shift| left.wrapping_shl(shift)),
        Operator::ShiftRight => shift.map_or(if left < 0 { -1 } else { 0 }, |shift| left >> shift),
        Operator::Add => left.wrapping_add(right),
        Operator::Subtract => left.wrapping_sub(right),
        Operator::Multiply => left.wrapping_mul(right),
        Operator::Divide if right == 0 => return None,
        // Compilers agree on this value for the one quotient that does not fit.
        Operator::Divide if left == i32::MIN && right == -1 => 0,
        Operator::Divide => left / right,
        Operator::Remainder if right == 0 => return None,
        Operator::Remainder => left.wrapping_rem(right),
    })
}

/// The value of an integer literal, cut to 32 bits.
pub(super) fn integer(text: &str) -> Option<i32> {
    let digits = text.strip_suffix(['u', 'U']).unwrap_or(text);
    let (digits, radix) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&digits[2..], 16),
        [b'0', _, ..] => (&digits[1..], 8),
        _ => (digits, 10),
    };
    u64::from_str_radix(digits, radix).ok().map(|value| value as u32 as i32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::{LexemeKind, lexemes};

    fn tokens(text: &str) -> Vec<ExpressionToken<'_>> {
        lexemes(text)
            .filter_map(|lexeme| match lexeme.kind {
                LexemeKind::Token(kind) => {
                    Some(ExpressionToken { kind, text: &text[lexeme.start..lexeme.end] })
                }
                _ => None,
            })
            .collect()
    }

    fn value(text: &str) -> i32 {
        let outcome = evaluate(&tokens(text), &|_| true);
        assert!(
            outcome.problems.iter().all(|(_, problem)| *problem == ExpressionProblem::Undefined),
            "{text}: {:?}",
            outcome.problems
        );
        outcome.value
    }

    fn problem(text: &str) -> Option<(usize, ExpressionProblem)> {
        evaluate(&tokens(text), &|_| true).problems.first().copied()
    }

    #[test]
    fn operators_have_the_precedence_of_c() {
        assert_eq!(value("1 + 2 * 3 - 4 / 2"), 5);
        assert_eq!(value("10 - 3 - 2"), 5);
        assert_eq!(value("1 << 2 + 1 == 8 && 1 | 0"), 1);
        assert_eq!(value("(1 + 2) * 3 % 5"), 4);
        assert_eq!(value("!0 + ~0 + -+-1"), 1);
        assert_eq!(value("6 & 3 ^ 1 | 8"), 11);
    }

    #[test]
    fn literals_may_be_decimal_octal_or_hexadecimal() {
        assert_eq!(value("0x1F + 010 + 10u + 0"), 31 + 8 + 10);
        assert_eq!(value("0xFFFFFFFFu"), -1);
        assert_eq!(problem("1.5"), Some((0, ExpressionProblem::NotAnInteger)));
        assert_eq!(problem("1 + 12abc"), Some((2, ExpressionProblem::NotAnInteger)));
    }

    #[test]
    fn extremes_do_not_overflow() {
        assert_eq!(value("0x80000000 / -1"), 0);
        assert_eq!(value("0x80000000 % -1"), 0);
        assert_eq!(value("1 << 32"), 0);
        assert_eq!(value("1 << -1"), 0);
        assert_eq!(value("-0x80000000"), i32::MIN);
    }

    #[test]
    fn division_by_zero_is_wrong_only_where_it_is_evaluated() {
        assert_eq!(problem("1 / 0"), Some((1, ExpressionProblem::DivisionByZero)));
        assert_eq!(value("0 && 1 / 0"), 0);
        assert_eq!(value("1 || 1 % 0"), 1);
    }

    #[test]
    fn malformed_expressions_are_located() {
        assert_eq!(problem(""), Some((0, ExpressionProblem::ExpectedOperand)));
        assert_eq!(problem("1 +"), Some((2, ExpressionProblem::ExpectedOperand)));
        assert_eq!(problem("(1"), Some((2, ExpressionProblem::ExpectedParen)));
        assert_eq!(problem("1 2"), Some((1, ExpressionProblem::ExpectedOperator)));
        assert_eq!(problem("defined 1"), Some((1, ExpressionProblem::ExpectedName)));
        assert_eq!(problem("defined(A"), Some((3, ExpressionProblem::ExpectedParen)));
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert_eq!(problem(&deep).map(|(_, problem)| problem), Some(ExpressionProblem::TooDeep));
        assert_eq!(value(&format!("{}1", "!".repeat(100_000))), 1);
    }
}
