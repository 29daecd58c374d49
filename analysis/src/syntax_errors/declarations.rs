//! Reads declarations, functions, structures and blocks, for [`Reader`].

use tree_sitter_glsl_coopmat::{QUALIFIERS, TYPES_WITH_ARGUMENTS};

use super::reader::{Read, Reader, Stop};
use super::tokens::Kind;

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Where {
    Global,
    Local,
    /// In the parentheses of a loop.
    Loop,
}

const GLOBAL: &str = "expected `;` after top level declarator";

impl Reader<'_> {
    pub(super) fn translation_unit(&mut self) {
        while !self.next().is_empty() {
            if self.next() == "}" {
                self.superfluous_brace();
            } else {
                self.unit(|reader| reader.statement(Where::Global));
            }
        }
    }

    /// Whether a declaration begins here rather than an expression.
    pub(super) fn begins_declaration(&self) -> bool {
        let word = self.next();
        if self.kind(0) != Some(Kind::Word) {
            return false;
        }
        if self.begins_qualifier(0) || matches!(word, "struct" | "spirv_type" | "precision") {
            return true;
        }
        let after = self.after_type(0);
        if self.is_type(0) {
            // `float(x)`, `float[2](x, y)` and `coopmat<...>(x)` are values.
            return !matches!(self.peek(after), "(" | "." | ",") || self.peek(after.wrapping_sub(1)) == ",";
        }
        self.is_name(0)
            && !self.is_value(after)
            && (self.is_name(after) || (self.is_type(1) && !self.begins_line(1)))
    }

    /// Whether a qualifier begins here.
    fn begins_qualifier(&self, ahead: usize) -> bool {
        let word = self.peek(ahead);
        match word {
            "layout" => self.peek(ahead + 1) == "(" || !self.is_value_after(ahead),
            "subroutine" => true,
            "nonuniformEXT" => self.peek(ahead + 1) != "(",
            _ if word.starts_with("spirv_") && word != "spirv_type" => {
                QUALIFIERS.contains(&word) || self.peek(ahead + 1) == "("
            }
            // Words that are qualifiers in some shaders are names in others.
            _ if QUALIFIERS.contains(&word) => !self.is_name(ahead) || !self.is_value_after(ahead),
            _ => false,
        }
    }

    /// Whether the token after a name makes that a value.
    fn is_value_after(&self, ahead: usize) -> bool {
        let next = self.peek(ahead + 1);
        self.kind(ahead + 1) == Some(Kind::Mark) && !matches!(next, ";" | "," | "}" | "{")
    }

    /// How many tokens ahead a type ends that begins `ahead`.
    fn after_type(&self, ahead: usize) -> usize {
        /// Longer types are not looked at.
        const REACH: usize = 400;
        let mut at = ahead + 1;
        if TYPES_WITH_ARGUMENTS.contains(&self.peek(ahead)) && self.peek(at) == "<" {
            let end = (at..at + REACH).find(|&at| matches!(self.peek(at), ">" | "" | ";" | "{" | "}" | "="));
            match end {
                Some(end) if self.peek(end) == ">" => at = end + 1,
                _ => return at,
            }
        }
        while self.peek(at) == "[" {
            let mut depth = 0_usize;
            let end = (at..at + REACH).find(|&at| {
                match self.peek(at) {
                    "[" => depth += 1,
                    "]" => depth = depth.saturating_sub(1),
                    "" | ";" | "{" | "}" => return true,
                    _ => {}
                }
                depth == 0
            });
            match end {
                Some(end) if self.peek(end) == "]" => at = end + 1,
                _ => return at,
            }
        }
        at
    }

    /// Whether the definition of a function begins here, or of something else that is only allowed outside of functions and structures.
    /// Inside of a block that belongs to a line, it must be indented no more than that.
    pub(super) fn begins_outside(&self, open: usize) -> bool {
        if !self.begins_line(0) || self.is_indented(open) {
            return false;
        }
        if self.next() == "shared" {
            return true;
        }
        let at = self.after_qualifiers();
        if self.is_name(at) && self.peek(at + 1) == "{" && at > 0 {
            return true;
        }
        self.is_function_definition(at)
    }

    /// How many tokens ahead the qualifiers end that begin here.
    fn after_qualifiers(&self) -> usize {
        /// How many tokens are looked at.
        const REACH: usize = 400;
        let mut at = 0;
        while at < REACH && self.begins_qualifier(at) {
            let is_layout = self.peek(at) == "layout";
            at += 1;
            if is_layout && self.peek(at) == "(" {
                at = self.after_parentheses(at);
            }
        }
        at
    }

    /// Whether a type, a name, parameters and a body begin `at` tokens ahead.
    fn is_function_definition(&self, at: usize) -> bool {
        if self.kind(at) != Some(Kind::Word) || !(self.is_type(at) || self.is_name(at)) {
            return false;
        }
        let name = self.after_type(at);
        if !self.is_name(name) || self.peek(name + 1) != "(" {
            return false;
        }
        self.peek(self.after_parentheses(name + 1)) == "{"
    }

    /// How many tokens ahead the parentheses end that open `ahead`.
    fn after_parentheses(&self, ahead: usize) -> usize {
        let (mut at, mut depth) = (ahead, 0_usize);
        loop {
            match self.peek(at) {
                "" | ";" | "{" | "}" => return at,
                "(" => depth += 1,
                ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                return at;
            }
        }
    }

    /// Qualifiers; gives whether there are any, and whether the last one can end a declaration.
    fn qualifiers(&mut self) -> Result<(bool, bool), Stop> {
        let (mut any, mut complete) = (false, false);
        loop {
            if self.begins_qualifier(0) {
                let word = self.next();
                self.skip();
                complete = word != "const" && word != "layout" || self.next() == ";";
                if word == "layout" {
                    self.layout()?;
                } else if self.next() == "(" && (word == "subroutine" || word.starts_with("spirv_")) {
                    self.balanced()?;
                }
            } else if self.is_name(0)
                && !self.is_type(0)
                && !self.begins_line(1)
                && (self.begins_qualifier(1)
                    || self.is_type(1)
                    || (self.is_name(1) && self.is_name(2) && !self.begins_line(2)))
            {
                // A macro, or a qualifier that is not known.
                self.skip();
            } else {
                return Ok((any, complete));
            }
            any = true;
        }
    }

    fn layout(&mut self) -> Read {
        if self.next() != "(" {
            self.missing("expected `(` after `layout`");
            return Err(Stop);
        }
        let open = self.at;
        self.skip();
        while self.next() != ")" {
            // Some are qualifiers elsewhere.
            let is_name = matches!(self.next(), "shared" | "shaderRecordEXT" | "shaderRecordNV");
            if self.kind(0) != Some(Kind::Word) || self.begins_qualifier(0) && !is_name {
                self.expected("expected identifier");
                return Err(Stop);
            }
            self.skip();
            if self.eat("=") {
                self.expression()?;
            } else if self.next() == "(" {
                self.arguments()?;
            }
            if self.eat(",") {
                if self.next() == ")" {
                    self.expected("expected identifier");
                    return Err(Stop);
                }
                continue;
            }
            if self.is_name(0) && !self.begins_line(0) && matches!(self.peek(1), "=" | "," | ")") {
                self.missing("expected `,` or `)`");
                continue;
            }
            break;
        }
        self.close_or_continue(open)
    }

    /// The `)` of a qualifier or of parameters: what follows is read even without it.
    fn close_or_continue(&mut self, open: usize) -> Read {
        if !self.eat(")") {
            self.missing_close("expected `)`", open);
            if self.kind(0) != Some(Kind::Word) && self.next() != "{" && self.next() != ";" {
                return Err(Stop);
            }
        }
        Ok(())
    }

    /// Whatever stands in parentheses or in the brackets of attributes.
    pub(super) fn balanced(&mut self) -> Read {
        let open = self.at;
        let mut depth = 0_usize;
        loop {
            match self.next() {
                "(" | "[" => depth += 1,
                ")" | "]" if depth == 1 => {
                    self.skip();
                    return Ok(());
                }
                ")" | "]" => depth -= 1,
                "" | ";" | "{" | "}" => {
                    let bracket = if self.opens_attributes(open) { "expected `]`" } else { "expected `)`" };
                    self.missing_close(bracket, open);
                    return Err(Stop);
                }
                _ => {}
            }
            self.skip();
        }
    }

    pub(super) fn declaration(&mut self, place: Where) -> Read {
        if self.next() == "precision" && !self.is_value_after(0) {
            self.skip();
            self.qualifiers()?;
            if !self.begins_type() || self.begins_line(0) {
                self.expected("expected a type");
                return Err(Stop);
            }
            self.type_()?;
            return self.end(place);
        }
        let (qualified, complete) = self.qualifiers()?;
        if qualified {
            match self.next() {
                ";" => {
                    self.skip();
                    return Ok(());
                }
                "{" => {
                    self.expected("expected identifier");
                    self.members();
                    return self.block_end();
                }
                _ => {}
            }
            if self.is_name(0) && self.peek(1) == "{" {
                self.types.insert(self.next());
                self.skip();
                self.members();
                return self.block_end();
            }
            let inside = !self.begins_line(1) || self.peek_is_indented(1);
            if self.is_name(0) && !self.is_type(0) && inside && (self.is_type(1) || self.begins_qualifier(1))
            {
                // A block's members, without the brace.
                self.types.insert(self.next());
                let open = self.at;
                self.skip();
                self.missing("expected `{`");
                self.rest_of_members(open);
                return self.block_end();
            }
            if self.is_name(0) && matches!(self.peek(1), ";" | ",") {
                return self.declarators(place);
            }
            if self.begins_line(0) && self.is_function_definition(0) {
                self.missing(if complete { GLOBAL } else { "expected a type" });
                return Ok(());
            }
        }
        if qualified && complete && (self.next().is_empty() || self.begins_line(0)) && !self.begins_type() {
            return self.end(place);
        }
        if !self.begins_type() {
            self.expected("expected a type");
            return Err(Stop);
        }
        let is_struct = self.next() == "struct";
        self.type_()?;
        if self.next() == ";" {
            self.skip();
            return Ok(());
        }
        if is_struct
            && self.next() != ","
            && (!self.is_name(0) || (self.begins_line(0) && self.peek(1) != ";" && self.peek(1) != "["))
        {
            self.missing("expected `;` after struct");
            return Ok(());
        }
        if self.next() == "," {
            self.skip();
        }
        if !self.is_declared_name() {
            self.expected("expected identifier");
            return Err(Stop);
        }
        if self.peek(1) == "(" {
            return self.function(place);
        }
        self.declarators(place)
    }

    /// A name, also one that is reserved: another one reports that.
    fn is_declared_name(&self) -> bool {
        let is_end = matches!(self.peek(1), ";" | "," | "=" | "[" | ")");
        match self.begins_line(0) {
            true => self.is_name(0) && !self.begins_qualifier(0) && !self.begins_declaration(),
            false => self.is_name(0) || (self.kind(0) == Some(Kind::Word) && is_end),
        }
    }

    fn begins_type(&self) -> bool {
        matches!(self.next(), "struct" | "spirv_type") || self.is_type(0) || self.is_name(0)
    }

    fn block_end(&mut self) -> Read {
        if self.is_name(0) && (!self.begins_line(0) || matches!(self.peek(1), ";" | "[")) {
            self.skip();
            self.arrays()?;
        }
        if !self.eat(";") {
            self.missing("expected `;` after interface block");
        }
        Ok(())
    }

    fn type_(&mut self) -> Read {
        let word = self.next();
        if word == "struct" {
            return self.structure();
        }
        self.skip();
        if word == "spirv_type" && self.next() == "(" {
            self.balanced()?;
        } else if TYPES_WITH_ARGUMENTS.contains(&word) && self.next() == "<" {
            self.type_arguments()?;
        }
        self.arrays()
    }

    fn arrays(&mut self) -> Read {
        while self.next() == "[" && self.peek(1) != "[" {
            self.dimension()?;
        }
        Ok(())
    }

    fn structure(&mut self) -> Read {
        self.skip();
        if self.kind(0) == Some(Kind::Word) && !self.begins_line(0) {
            self.types.insert(self.next());
            self.skip();
            if self.next() != "{" {
                let open = self.at - 1;
                self.missing("expected `{` after the structure's name");
                if !self.begins_type() || (self.begins_line(0) && !self.is_indented(open)) {
                    return Err(Stop);
                }
                // Its members, without the brace.
                self.rest_of_members(open);
                return Ok(());
            }
        } else if self.next() != "{" {
            self.expected("expected identifier");
            return Err(Stop);
        }
        self.members();
        self.arrays()
    }

    /// The members of a structure or block, with their braces.
    fn members(&mut self) {
        let open = self.open_block();
        self.rest_of_members(open);
    }

    fn rest_of_members(&mut self, open: usize) {
        loop {
            match self.next() {
                "}" if self.closes_outer(open) => {
                    self.missing_brace(open);
                    break;
                }
                "}" => {
                    self.close_block(open, None);
                    break;
                }
                "" => {
                    self.missing_brace(open);
                    break;
                }
                "if" | "for" | "while" | "do" | "switch" | "return" | "precision" => {
                    self.missing_brace(open);
                    break;
                }
                // `} name;` without its brace.
                _ if self.is_name(0) && !self.is_type(0) && self.peek(1) == ";" => {
                    self.missing_brace(open);
                    break;
                }
                // Functions may have these, members may not.
                "struct" | "const" if self.begins_line(0) && !self.is_indented(open) => {
                    self.missing_brace(open);
                    break;
                }
                _ if self.begins_outside(open) => {
                    self.missing_brace(open);
                    break;
                }
                _ => self.unit(Self::member),
            }
        }
        self.after_inner();
    }

    fn member(&mut self) -> Read {
        if self.eat(";") {
            return Ok(());
        }
        if self.is_function_definition(self.after_qualifiers()) {
            // The lowering reports that.
            return self.declaration(Where::Global);
        }
        let (qualified, _) = self.qualifiers()?;
        if qualified && self.next() == "{" {
            self.members();
        } else {
            if !self.begins_type() {
                self.expected("expected a type");
                return Err(Stop);
            }
            self.type_()?;
        }
        loop {
            if !self.is_declared_name() {
                self.expected("expected member name after type");
                return Err(Stop);
            }
            self.declare();
            self.arrays()?;
            if !self.eat(",") {
                break;
            }
        }
        if self.eat(";") {
            return Ok(());
        }
        self.missing("expected `;` at end of declaration list");
        // `float a float b;`: the next member; anything else is no member's beginning.
        if self.kind(0) == Some(Kind::Word) || matches!(self.next(), "}" | "") { Ok(()) } else { Err(Stop) }
    }

    fn declarators(&mut self, place: Where) -> Read {
        loop {
            if !self.is_declared_name() {
                self.expected("expected identifier");
                return Err(Stop);
            }
            self.declare_value();
            self.arrays()?;
            if self.eat("=") {
                self.initializer()?;
            }
            if !self.eat(",") {
                return self.end(place);
            }
        }
    }

    /// The semicolon of a declaration.
    fn end(&mut self, place: Where) -> Read {
        self.semicolon(match place {
            Where::Global => GLOBAL,
            Where::Local => "expected `;` at end of declaration",
            Where::Loop => "expected `;` in `for` statement specifier",
        })
    }

    fn function(&mut self, place: Where) -> Read {
        if place == Where::Global {
            self.forget_braces();
        }
        self.declare_value();
        let open = self.at;
        self.skip();
        while !matches!(self.next(), ")" | "{" | ";" | "") {
            if self.next() == "." {
                // `...`
                while self.eat(".") {}
                break;
            }
            self.parameter()?;
            if self.eat(",") {
                if matches!(self.next(), ")" | "{" | ";" | "") {
                    self.expected("expected parameter declarator");
                    return Err(Stop);
                }
                continue;
            }
            if self.begins_declaration() && !self.begins_line(0) {
                self.missing("expected `,` or `)`");
                continue;
            }
            break;
        }
        self.close_or_continue(open)?;
        if self.next() == "[" && self.peek(1) == "[" {
            self.balanced()?;
        }
        if self.next() == "{" {
            self.block();
            return Ok(());
        }
        if self.eat(";") {
            return Ok(());
        }
        self.missing("expected function body or `;` after function declarator");
        if self.next() == "}" || (self.begins_line(0) && self.is_indented(open)) {
            // Its body, without the brace.
            self.rest_of_block(open);
            return Ok(());
        }
        if matches!(self.next(), "" | "}") || self.begins_line(0) { Ok(()) } else { Err(Stop) }
    }

    fn parameter(&mut self) -> Read {
        self.qualifiers()?;
        if !self.begins_type() {
            self.expected("expected parameter declarator");
            return Err(Stop);
        }
        self.type_()?;
        if self.is_declared_name() {
            self.declare_value();
            self.arrays()?;
            if self.eat("=") {
                self.initializer()?;
            }
        }
        Ok(())
    }
}
