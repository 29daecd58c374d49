//! Reads expressions and the brackets in them, for [`Reader`].

use tree_sitter_glsl_coopmat::TYPES_WITH_ARGUMENTS;

use super::reader::{Read, Reader, Stop};
use super::tokens::Kind;

const ASSIGNMENTS: [&str; 11] = ["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="];
const OPERATORS: [&str; 15] =
    ["||", "^^", "&&", "|", "^", "&", "==", "!=", "<=", ">=", "<<", "+", "-", "*", "/"];

fn is_operator(text: &str) -> bool {
    matches!(text, "<" | ">" | ">>" | "%") || OPERATORS.contains(&text) || ASSIGNMENTS.contains(&text)
}

impl Reader<'_> {
    /// Expressions with commas between them.
    pub(super) fn full_expression(&mut self) -> Read {
        self.expression()?;
        while self.eat(",") {
            self.expression()?;
        }
        Ok(())
    }

    /// Operands with operators between them; which binds more does not matter here.
    pub(super) fn expression(&mut self) -> Read {
        self.operators(is_operator)
    }

    fn operators(&mut self, is_operator: fn(&str) -> bool) -> Read {
        self.deeper(|reader| {
            reader.operand()?;
            loop {
                let next = reader.next();
                if next == "?" {
                    reader.conditional()?;
                } else if is_operator(next) {
                    reader.skip();
                    reader.operand()?;
                } else {
                    return Ok(());
                }
            }
        })
    }

    fn conditional(&mut self) -> Read {
        let question = self.at;
        self.skip();
        self.full_expression()?;
        if !self.eat(":") {
            self.missing_close("expected `:`", question);
            return Err(Stop);
        }
        self.operand()
    }

    /// A value with the operators before and after it.
    fn operand(&mut self) -> Read {
        while matches!(self.next(), "+" | "-" | "!" | "~" | "++" | "--") {
            self.skip();
        }
        match self.kind(0) {
            Some(Kind::Number | Kind::String) => self.skip(),
            Some(Kind::Word) if self.is_operand() => self.name_or_type()?,
            Some(Kind::Mark) if self.next() == "(" => {
                let is_cast = self.is_type(1) && self.peek(2) == ")";
                let open = self.at;
                self.skip();
                self.deeper(Self::full_expression)?;
                self.close(open, ")", "expected `)`")?;
                if is_cast {
                    return self.deeper(Self::operand);
                }
            }
            _ => {
                self.expected("expected expression");
                return Err(Stop);
            }
        }
        self.postfix()
    }

    /// Whether the next token begins a value.
    pub(super) fn is_operand(&self) -> bool {
        match self.kind(0) {
            Some(Kind::Number | Kind::String) => true,
            // `float` at the start of a line begins a declaration.
            Some(Kind::Word) if self.begins_line(0) && self.is_type(0) => self.kind(1) != Some(Kind::Word),
            Some(Kind::Word) => self.is_name(0) || self.is_type(0) || matches!(self.next(), "true" | "false"),
            Some(Kind::Mark) => matches!(self.next(), "(" | "!" | "~"),
            None => false,
        }
    }

    fn name_or_type(&mut self) -> Read {
        if TYPES_WITH_ARGUMENTS.contains(&self.next()) && self.peek(1) == "<" {
            self.skip();
            return self.type_arguments();
        }
        let is_spirv = self.next() == "spirv_type" && self.peek(1) == "(";
        self.skip();
        if is_spirv { self.balanced() } else { Ok(()) }
    }

    fn postfix(&mut self) -> Read {
        loop {
            match self.next() {
                "[" => self.subscript()?,
                "(" => self.arguments()?,
                "." => {
                    self.skip();
                    if self.kind(0) != Some(Kind::Word) || (self.begins_line(0) && !self.is_name(0)) {
                        self.expected("expected identifier");
                        return Err(Stop);
                    }
                    self.skip();
                }
                "++" | "--" => self.skip(),
                _ => return Ok(()),
            }
        }
    }

    /// `[...]` after a value, a type or the name of an array.
    pub(super) fn subscript(&mut self) -> Read {
        let open = self.at;
        self.skip();
        if self.next() != "]" {
            self.deeper(Self::full_expression)?;
        }
        self.close(open, "]", "expected `]`")
    }

    /// `[...]` in a declaration: no `=` belongs to the size, which may be left out.
    pub(super) fn dimension(&mut self) -> Read {
        let open = self.at;
        self.skip();
        if self.is_operand() || matches!(self.next(), "+" | "-") {
            self.operators(|text| is_operator(text) && !ASSIGNMENTS.contains(&text))?;
        }
        self.close(open, "]", "expected `]`")
    }

    /// `(...)` after the name of a function or a type.
    pub(super) fn arguments(&mut self) -> Read {
        let open = self.at;
        self.skip();
        if self.eat(")") {
            return Ok(());
        }
        loop {
            self.initializer()?;
            if self.eat(",") {
                continue;
            }
            if self.forgot_comma("expected `,` or `)`") {
                continue;
            }
            return self.close(open, ")", "expected `)`");
        }
    }

    /// Whether one more element follows without its comma, on the same line, which is reported.
    fn forgot_comma(&mut self, message: &str) -> bool {
        let forgot = self.is_operand() && !self.begins_line(0);
        if forgot {
            self.missing(message);
        }
        forgot
    }

    /// An expression, or a list of them in braces.
    pub(super) fn initializer(&mut self) -> Read {
        if self.next() != "{" {
            return self.expression();
        }
        let open = self.at;
        self.lists += 1;
        self.skip();
        self.deeper(|reader| {
            while !matches!(reader.next(), "}" | "") {
                reader.initializer()?;
                if !reader.eat(",") && !reader.forgot_comma("expected `,` or `}`") {
                    break;
                }
            }
            let outer = reader.closes_outer(open);
            if !outer && reader.eat("}") {
                reader.lists = reader.lists.saturating_sub(1);
                return Ok(());
            }
            reader.missing_close("expected `}`", open);
            if outer || matches!(reader.next(), "" | ";") {
                reader.lists = 0;
                return Ok(());
            }
            Err(Stop)
        })
    }

    /// `<...>` after `coopmat` and the like: an argument is a type or a value without operators, since `>` ends the list
    /// (GL_KHR_cooperative_matrix, issue 1).
    pub(super) fn type_arguments(&mut self) -> Read {
        let open = self.at;
        self.skip();
        self.deeper(|reader| {
            loop {
                if matches!(reader.next(), ">") {
                    break;
                }
                reader.operand()?;
                // What is wrong with such an argument is found in the tree: `bare_operator`.
                while matches!(
                    reader.next(),
                    "*" | "/" | "%" | "+" | "-" | "&" | "|" | "^" | "?" | ":" | "<<"
                ) {
                    reader.skip();
                    reader.operand()?;
                }
                if reader.eat(",") {
                    continue;
                }
                if reader.next() != ">" && reader.is_operand() && !reader.begins_line(0) {
                    if reader.closes_later() {
                        reader.missing("expected `,` or `>`");
                        continue;
                    }
                    reader.missing_close("expected `>`", open);
                    return Ok(());
                }
                break;
            }
            reader.close(open, ">", "expected `>`")
        })
    }

    /// Whether a `>` follows in this statement, before anything that a list of type arguments cannot have.
    fn closes_later(&self) -> bool {
        (0..).map(|ahead| self.peek(ahead)).find(|text| matches!(*text, "" | ">" | ";" | "=" | "{" | "}"))
            == Some(">")
    }

    /// The bracket that closes another one.
    pub(super) fn close(&mut self, open: usize, bracket: &str, message: &str) -> Read {
        if self.eat(bracket) {
            return Ok(());
        }
        self.missing_close(message, open);
        // Where it is cut off, the rest is read as if the bracket were there.
        let goes_on = matches!(self.next(), "" | ";" | "{" | "}" | ")" | "]" | "=") || self.begins_line(0);
        if goes_on { Ok(()) } else { Err(Stop) }
    }
}
