//! Reads statements, for [`Reader`].

use super::declarations::Where;
use super::reader::{Read, Reader, Stop};
use super::tokens::Kind;

impl Reader<'_> {
    /// `{`, statements and `}`.
    pub(super) fn block(&mut self) {
        self.before_body();
        let brace = self.open_block();
        self.rest_of_block(brace);
    }

    /// Statements and `}`.
    pub(super) fn rest_of_block(&mut self, brace: usize) {
        let levels = self.levels;
        let read = self.deeper(|reader| {
            let is_indented = reader.is_indented(brace);
            let mut outdented = None;
            loop {
                if is_indented && reader.begins_line(0) && !reader.is_indented(brace) && reader.next() != "}"
                {
                    outdented.get_or_insert(reader.at);
                }
                match reader.next() {
                    "}" => {
                        reader.close_block(brace, outdented);
                        return Ok(());
                    }
                    "" => break,
                    _ if reader.begins_outside(brace) => break,
                    _ => reader.unit(|reader| reader.statement(Where::Local)),
                }
            }
            reader.missing_brace(brace);
            Ok(())
        });
        if read.is_err() {
            self.levels = levels;
        }
        self.after_inner();
    }

    pub(super) fn statement(&mut self, place: Where) -> Read {
        match self.next() {
            "{" => {
                self.block();
                Ok(())
            }
            ";" => {
                self.skip();
                Ok(())
            }
            "[" if self.peek(1) == "[" => {
                self.balanced()?;
                self.deeper(|reader| reader.statement(place))
            }
            "if" => self.if_(),
            "for" => self.for_(),
            "while" => {
                self.skip();
                self.condition("while")?;
                self.body()
            }
            "do" => self.do_(),
            "switch" => {
                self.skip();
                self.condition("switch")?;
                self.body()
            }
            "case" => {
                self.skip();
                self.full_expression()?;
                self.colon("case")
            }
            "default" => {
                self.skip();
                self.colon("default")
            }
            "return" => {
                self.skip();
                if !matches!(self.next(), ";" | "}" | "") && (!self.begins_line(0) || self.is_operand()) {
                    self.full_expression()?;
                }
                self.semicolon("expected `;` after return statement")
            }
            word @ ("break" | "continue" | "discard") => {
                self.skip();
                self.semicolon(&format!("expected `;` after {word} statement"))
            }
            word @ ("demote" | "terminateInvocation" | "terminateRayEXT" | "ignoreIntersectionEXT")
                if !matches!(self.peek(1), "(" | "=" | "." | "[") =>
            {
                self.skip();
                self.semicolon(&format!("expected `;` after {word} statement"))
            }
            _ if self.begins_declaration() && !self.is_two_lines(place) => self.declaration(place),
            _ => {
                self.full_expression()?;
                self.semicolon("expected `;` after expression")
            }
        }
    }

    /// `name`, and on the next line a call: no declaration of a function, which would have to be outside of functions.
    fn is_two_lines(&self, place: Where) -> bool {
        place == Where::Local
            && self.is_name(0)
            && !self.is_type(0)
            && self.is_name(1)
            && self.begins_line(1)
            && !matches!(self.peek(2), ";" | "," | "")
    }

    pub(super) fn semicolon(&mut self, message: &str) -> Read {
        if self.eat(";") {
            return Ok(());
        }
        let next = self.next();
        if matches!(next, ")" | "]") {
            if self.peek(1) == ";" {
                self.extraneous(format!("extraneous `{next}` before `;`"));
                self.skip();
                self.skip();
                return Ok(());
            }
            self.expected(message);
            return Err(Stop);
        }
        self.missing(message);
        self.quiet = !self.begins_line(0) && self.next() != "}";
        // The next statement, or what is no beginning of one.
        let goes_on = matches!(next, "" | "}" | "{" | "(" | "++" | "--") || self.kind(0) != Some(Kind::Mark);
        if goes_on { Ok(()) } else { Err(Stop) }
    }

    fn colon(&mut self, word: &str) -> Read {
        if !self.eat(":") {
            self.missing(&format!("expected `:` after `{word}`"));
        }
        Ok(())
    }

    /// The parentheses of a statement.
    fn open(&mut self, word: &str) -> Result<usize, Stop> {
        let open = self.at;
        if self.next() != "(" {
            self.missing(&format!("expected `(` after `{word}`"));
            // `if x) ...` is read on.
            if self.begins_line(0) || self.kind(0) == Some(Kind::Mark) {
                return Err(Stop);
            }
        } else {
            self.skip();
        }
        Ok(open)
    }

    fn condition(&mut self, word: &str) -> Read {
        let open = self.open(word)?;
        let read = self.condition_inside();
        self.close_header(read, open)
    }

    /// An expression, or the declaration of one variable.
    fn condition_inside(&mut self) -> Read {
        if !self.begins_declaration() {
            return self.full_expression();
        }
        while self.kind(0) == Some(Kind::Word) && self.peek(1) != "=" {
            self.skip();
        }
        self.skip();
        if !self.eat("=") {
            self.missing("expected `=` after the name of a variable in a condition");
            return Err(Stop);
        }
        self.initializer()
    }

    /// The end of a header that was read so far: one that could not be read is left behind, so that the body is read.
    fn close_header(&mut self, read: Read, open: usize) -> Read {
        match read {
            Ok(()) => self.close(open, ")", "expected `)`")?,
            Err(Stop) => {
                let mut depth = 1_usize;
                while depth > 0 && !self.ends_header() {
                    match self.next() {
                        "(" => depth += 1,
                        ")" => depth -= 1,
                        _ => {}
                    }
                    self.skip();
                }
                if depth > 0 && self.next() != "{" {
                    return Err(Stop);
                }
            }
        }
        if self.next() == ")" && !self.peek(1).is_empty() {
            self.extraneous("extraneous `)`".to_owned());
            self.skip();
        }
        Ok(())
    }

    fn ends_header(&self) -> bool {
        matches!(self.next(), "" | "{" | "}") || self.begins_line(0)
    }

    /// The statement that belongs to another one.
    fn body(&mut self) -> Read {
        if matches!(self.next(), "}" | "" | ")" | "else" | "case" | "default") {
            self.missing("expected statement");
            return Ok(());
        }
        self.before_body();
        self.deeper(|reader| {
            reader.unit(|reader| reader.statement(Where::Local));
            Ok(())
        })?;
        self.after_inner();
        Ok(())
    }

    fn if_(&mut self) -> Read {
        self.skip();
        self.condition("if")?;
        self.body()?;
        if self.eat("else") {
            self.after_inner();
            self.body()?;
        }
        Ok(())
    }

    fn do_(&mut self) -> Read {
        let word = self.at;
        self.skip();
        self.body()?;
        if !self.eat("while") {
            self.missing_close("expected `while` in do/while loop", word);
            return Ok(());
        }
        let open = self.open("do/while")?;
        self.full_expression()?;
        self.close(open, ")", "expected `)`")?;
        self.semicolon("expected `;` after do/while statement")
    }

    fn for_(&mut self) -> Read {
        const SEMICOLON: &str = "expected `;` in `for` statement specifier";
        self.skip();
        let open = self.open("for")?;
        let read = self.for_header(SEMICOLON);
        self.close_header(read, open)?;
        self.body()
    }

    fn for_header(&mut self, semicolon: &str) -> Read {
        if !self.eat(";") {
            if self.begins_declaration() {
                self.declaration(Where::Loop)?;
            } else {
                self.full_expression()?;
                self.semicolon(semicolon)?;
            }
        }
        if self.next() != ";" && self.next() != ")" {
            self.condition_inside()?;
        }
        self.semicolon(semicolon)?;
        if self.next() != ")" {
            self.full_expression()?;
        }
        Ok(())
    }
}
