//! Formulas: sizes such as `"M / 16"`, contents such as `"(row * 7 + column) % 13"`, references such as `"max(hidden, 0)"`.
//!
//! All numbers are 64-bit floats. Names stand for what the place of the formula knows: sizes, the coordinates of the element,
//! elements of buffers.

use std::fmt;

/// Bytes of a formula, and levels of nesting: far more than any recipe needs.
const LONGEST: usize = 4096;
const DEEPEST: usize = 64;

/// A formula that was read. Names are numbers in [`Formula::names`].
#[derive(Clone, Debug)]
pub struct Formula {
    root: Node,
    names: Vec<String>,
}

#[derive(Clone, Debug)]
enum Node {
    Number(f64),
    Name(usize),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    Choice(Box<[Node; 3]>),
    Call(Function, Vec<Node>),
}

#[derive(Clone, Copy, Debug)]
enum Unary {
    Minus,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    And,
    Or,
}

/// By precedence, the loosest first.
const LEVELS: [&[(&str, Binary)]; 6] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("==", Binary::Equal), ("!=", Binary::NotEqual)],
    // Longer ones first.
    &[
        ("<=", Binary::LessOrEqual),
        (">=", Binary::GreaterOrEqual),
        ("<", Binary::Less),
        (">", Binary::Greater),
    ],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

#[derive(Clone, Copy, Debug)]
enum Function {
    One(fn(f64) -> f64),
    Two(fn(f64, f64) -> f64),
    Three(fn(f64, f64, f64) -> f64),
}

impl Function {
    fn parameters(self) -> usize {
        match self {
            Function::One(_) => 1,
            Function::Two(_) => 2,
            Function::Three(_) => 3,
        }
    }
}

fn bits(a: f64) -> i64 {
    a as i64
}

/// All functions, for reading, for messages and for the book.
const FUNCTIONS: &[(&str, Function)] = &[
    ("abs", Function::One(libm::fabs)),
    ("and", Function::Two(|a, b| (bits(a) & bits(b)) as f64)),
    ("ceil", Function::One(libm::ceil)),
    ("clamp", Function::Three(|x, low, high| libm::fmin(libm::fmax(x, low), high))),
    ("cos", Function::One(libm::cos)),
    ("erf", Function::One(libm::erf)),
    ("exp", Function::One(libm::exp)),
    ("exp2", Function::One(libm::exp2)),
    ("floor", Function::One(libm::floor)),
    ("log", Function::One(libm::log)),
    ("log2", Function::One(libm::log2)),
    ("max", Function::Two(libm::fmax)),
    ("min", Function::Two(libm::fmin)),
    ("mod", Function::Two(|a, b| a - b * libm::floor(a / b))),
    ("or", Function::Two(|a, b| (bits(a) | bits(b)) as f64)),
    ("pow", Function::Two(libm::pow)),
    ("round", Function::One(libm::rint)),
    ("shl", Function::Two(|a, b| bits(a).checked_shl(b as u32).unwrap_or(0) as f64)),
    ("shr", Function::Two(|a, b| bits(a).checked_shr(b as u32).unwrap_or(0) as f64)),
    ("sin", Function::One(libm::sin)),
    ("sqrt", Function::One(libm::sqrt)),
    ("tanh", Function::One(libm::tanh)),
    ("trunc", Function::One(libm::trunc)),
    ("xor", Function::Two(|a, b| (bits(a) ^ bits(b)) as f64)),
];

/// Why a formula cannot be read, and where in its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormulaError {
    pub offset: usize,
    pub message: String,
}

impl fmt::Display for FormulaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (character {})", self.message, self.offset + 1)
    }
}

impl Formula {
    pub fn parse(text: &str) -> Result<Formula, FormulaError> {
        if text.len() > LONGEST {
            let message = format!("the formula is longer than {LONGEST} bytes");
            return Err(FormulaError { offset: LONGEST, message });
        }
        let mut parser = Parser { text, at: 0, depth: 0, names: Vec::new() };
        let root = parser.choice()?;
        parser.blanks();
        if parser.at < text.len() {
            return Err(parser.error("expected an operator or the end of the formula"));
        }
        Ok(Formula { root, names: parser.names })
    }

    /// What has to be known to evaluate it; each name once.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// `value` gives the value of a name by its place in [`Formula::names`].
    pub fn evaluate(&self, value: &dyn Fn(usize) -> f64) -> f64 {
        evaluate(&self.root, value)
    }
}

fn evaluate(node: &Node, value: &dyn Fn(usize) -> f64) -> f64 {
    let truth = |condition: bool| f64::from(u8::from(condition));
    match node {
        Node::Number(number) => *number,
        Node::Name(index) => value(*index),
        Node::Unary(Unary::Minus, a) => -evaluate(a, value),
        Node::Unary(Unary::Not, a) => truth(evaluate(a, value) == 0.0),
        Node::Binary(operator, sides) => {
            let (a, b) = (evaluate(&sides[0], value), evaluate(&sides[1], value));
            match operator {
                Binary::Add => a + b,
                Binary::Subtract => a - b,
                Binary::Multiply => a * b,
                Binary::Divide => a / b,
                Binary::Remainder => libm::fmod(a, b),
                Binary::Less => truth(a < b),
                Binary::LessOrEqual => truth(a <= b),
                Binary::Greater => truth(a > b),
                Binary::GreaterOrEqual => truth(a >= b),
                Binary::Equal => truth(a == b),
                Binary::NotEqual => truth(a != b),
                Binary::And => truth(a != 0.0 && b != 0.0),
                Binary::Or => truth(a != 0.0 || b != 0.0),
            }
        }
        Node::Choice(parts) => {
            let chosen = if evaluate(&parts[0], value) != 0.0 { &parts[1] } else { &parts[2] };
            evaluate(chosen, value)
        }
        Node::Call(function, arguments) => {
            let argument =
                |index: usize| arguments.get(index).map_or(f64::NAN, |argument| evaluate(argument, value));
            match function {
                Function::One(f) => f(argument(0)),
                Function::Two(f) => f(argument(0), argument(1)),
                Function::Three(f) => f(argument(0), argument(1), argument(2)),
            }
        }
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    names: Vec<String>,
}

impl Parser<'_> {
    fn error(&self, message: &str) -> FormulaError {
        FormulaError { offset: self.at, message: message.to_owned() }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, token: &str) -> bool {
        self.blanks();
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), FormulaError> {
        if self.take(token) { Ok(()) } else { Err(self.error(&format!("expected `{token}`"))) }
    }

    fn choice(&mut self) -> Result<Node, FormulaError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error(&format!("the formula nests deeper than {DEEPEST} levels")));
        }
        let condition = self.binary(0)?;
        let node = if self.take("?") {
            let yes = self.choice()?;
            self.expect(":")?;
            let no = self.choice()?;
            Node::Choice(Box::new([condition, yes, no]))
        } else {
            condition
        };
        self.depth -= 1;
        Ok(node)
    }

    fn binary(&mut self, level: usize) -> Result<Node, FormulaError> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(token, _)| self.take(token)) {
            let right = self.binary(level + 1)?;
            left = Node::Binary(*operator, Box::new([left, right]));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Node, FormulaError> {
        let mut operators = Vec::new();
        loop {
            if self.take("-") {
                operators.push(Unary::Minus);
            } else if self.take("!") {
                operators.push(Unary::Not);
            } else {
                break;
            }
        }
        if operators.len() > DEEPEST {
            return Err(self.error("too many signs before one value"));
        }
        let mut node = self.primary()?;
        for operator in operators.into_iter().rev() {
            node = Node::Unary(operator, Box::new(node));
        }
        Ok(node)
    }

    fn primary(&mut self) -> Result<Node, FormulaError> {
        if self.take("(") {
            let node = self.choice()?;
            self.expect(")")?;
            return Ok(node);
        }
        let start = self.at;
        let rest = self.rest();
        let first = rest.chars().next();
        match first {
            Some(char) if char.is_ascii_digit() || char == '.' => self.number(),
            Some(char) if char.is_ascii_alphabetic() || char == '_' => {
                let end =
                    rest.find(|char: char| !(char.is_ascii_alphanumeric() || char == '_' || char == '.'));
                let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_owned();
                self.at += name.len();
                if self.take("(") { self.call(&name, start) } else { Ok(self.name(name)) }
            }
            Some(char) => Err(self.error(&format!("expected a value, found `{char}`"))),
            None => Err(self.error("expected a value, found the end of the formula")),
        }
    }

    fn name(&mut self, name: String) -> Node {
        match name.as_str() {
            "pi" => return Node::Number(std::f64::consts::PI),
            "inf" => return Node::Number(f64::INFINITY),
            "nan" => return Node::Number(f64::NAN),
            _ => {}
        }
        let known = self.names.iter().position(|other| *other == name);
        Node::Name(known.unwrap_or_else(|| {
            self.names.push(name);
            self.names.len() - 1
        }))
    }

    fn number(&mut self) -> Result<Node, FormulaError> {
        let rest = self.rest();
        let (value, length) = if let Some(hexadecimal) = rest.strip_prefix("0x") {
            let digits =
                hexadecimal.find(|char: char| !char.is_ascii_hexdigit()).unwrap_or(hexadecimal.len());
            let digits = hexadecimal.get(..digits).unwrap_or_default();
            (u64::from_str_radix(digits, 16).ok().map(|value| value as f64), digits.len() + 2)
        } else {
            let mut length = 0;
            let mut before = ' ';
            for char in rest.chars() {
                let sign = matches!(char, '+' | '-') && matches!(before, 'e' | 'E');
                if !(char.is_ascii_digit() || matches!(char, '.' | 'e' | 'E') || sign) {
                    break;
                }
                before = char;
                length += 1;
            }
            (rest.get(..length).unwrap_or_default().parse().ok(), length)
        };
        let Some(value) = value else { return Err(self.error("this is not a number")) };
        self.at += length;
        Ok(Node::Number(value))
    }

    fn call(&mut self, name: &str, start: usize) -> Result<Node, FormulaError> {
        let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).collect();
            let message = format!("there is no function `{name}`; expected one of {}", known.join(", "));
            return Err(FormulaError { offset: start, message });
        };
        let mut arguments = vec![self.choice()?];
        while self.take(",") {
            arguments.push(self.choice()?);
        }
        self.expect(")")?;
        if arguments.len() != function.parameters() {
            let message =
                format!("`{name}` takes {} arguments, found {}", function.parameters(), arguments.len());
            return Err(FormulaError { offset: start, message });
        }
        Ok(Node::Call(*function, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        let formula = Formula::parse(text).unwrap();
        let names = formula.names().to_vec();
        formula.evaluate(&|index| match names[index].as_str() {
            "M" => 64.0,
            "row" => 3.0,
            _ => f64::NAN,
        })
    }

    #[test]
    fn operators_bind_as_in_glsl() {
        assert_eq!(value("1 + 2 * 3 - -4"), 11.0);
        assert_eq!(value("(M / 16 + row) % 4"), 3.0);
        assert_eq!(value("row < 3 ? 1 : row == 3 && M > 1 ? 2 : 3"), 2.0);
        assert_eq!(value("min(max(row, 5), 1e+1) + 0x10"), 21.0);
        assert_eq!(value("!row || !0"), 1.0);
    }

    #[test]
    fn errors_say_where() {
        let error = |text: &str| Formula::parse(text).unwrap_err().to_string();
        assert_eq!(error("1 +"), "expected a value, found the end of the formula (character 4)");
        assert_eq!(error("min(1)"), "`min` takes 2 arguments, found 1 (character 1)");
        assert_eq!(error("1 2"), "expected an operator or the end of the formula (character 3)");
        assert!(error(&"(".repeat(2000)).starts_with("the formula nests deeper than 64 levels"));
    }
}
