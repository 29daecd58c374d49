//! The operands of one instruction, along the grammar.

use rspirv::grammar::{LogicalOperand, OperandKind, OperandQuantifier};
use rspirv::spirv::Op;

use super::{Kind, Parser, Step, kind_name, lexer, literals};
use crate::operand::{self, Category, once};
use crate::scalar::Scalar;
use crate::text::Class;

/// What is being read.
struct Reading {
    opcode: u16,
    result_type: Option<u32>,
    /// Where its words start.
    start: usize,
    /// A word was copied as it is: what follows is taken as it looks.
    raw: bool,
}

impl Parser<'_> {
    /// Everything after an instruction's name, which is at a token.
    pub(super) fn operands(&mut self, number: u16, name: usize, result: Option<(u32, usize)>) -> Step<()> {
        let Some(class) = crate::instruction::class(number) else { return Ok(()) };
        let is_result = |logical: &LogicalOperand| logical.kind == OperandKind::IdResult;
        match (result, class.operands.iter().any(is_result)) {
            (Some((_, token)), false) => {
                let id = self.text(token);
                let message = format!("Op{} has no result: expected it without `{id} =`", class.opname);
                return Err(self.error_at(token, message));
            }
            (None, true) => {
                let message = format!("Op{0} has a result: expected `%name = Op{0}`", class.opname);
                return Err(self.error_at(name, message));
            }
            _ => {}
        }
        let mut reading = Reading { opcode: number, result_type: None, start: self.words.len(), raw: false };
        self.push(0, name);
        for logical in class.operands {
            match logical.kind {
                OperandKind::IdResultType => {
                    let id = self.id("the id of the result's type, such as %float", Class::Type)?;
                    reading.result_type = Some(id);
                }
                OperandKind::IdResult => {
                    if let Some((id, token)) = result {
                        self.push(id, token);
                        self.type_of.extend(reading.result_type.map(|result_type| (id, result_type)));
                    }
                }
                _ => self.logical(logical, &mut reading)?,
            }
        }
        // Newer versions of an instruction may have more operands than the tables know.
        if self.kind(self.at) == Some(Kind::Raw) && !self.is_at_end() {
            reading.raw = true;
        }
        if reading.raw {
            self.anything()?;
        }
        if !self.is_at_end() {
            let expected = format!("the end of Op{}, which has no more operands", class.opname);
            return Err(self.expected(&expected));
        }
        let count = self.words.len() - reading.start;
        if count > 0xFFFF {
            let message =
                format!("Op{} takes {count} words, but an instruction has at most 65535", class.opname);
            return Err(self.error_at(name, message));
        }
        self.words[reading.start] = (count as u32) << 16 | u32::from(number);
        self.remember(result.map(|(id, _)| id), &reading);
        Ok(())
    }

    fn logical(&mut self, logical: &LogicalOperand, reading: &mut Reading) -> Step<()> {
        match logical.quantifier {
            _ if reading.raw => self.anything(),
            OperandQuantifier::One => self.operand(logical.kind, reading),
            OperandQuantifier::ZeroOrOne if self.is_at_end() => Ok(()),
            OperandQuantifier::ZeroOrOne => self.operand(logical.kind, reading),
            OperandQuantifier::ZeroOrMore => {
                while !self.is_at_end() {
                    self.operand(logical.kind, reading)?;
                }
                Ok(())
            }
        }
    }

    fn operand(&mut self, kind: OperandKind, reading: &mut Reading) -> Step<()> {
        if self.kind(self.at) == Some(Kind::Raw) && !self.is_at_end() {
            reading.raw = true;
            return self.anything();
        }
        match operand::category(kind) {
            Category::Value | Category::Mask => return self.enumerant(kind, reading),
            Category::Other => {}
        }
        match kind {
            OperandKind::IdRef | OperandKind::IdScope | OperandKind::IdMemorySemantics => {
                self.id(&kind_name(kind), Class::Id)?;
            }
            OperandKind::LiteralString => self.string()?,
            OperandKind::LiteralFloat => self.number(Scalar::Float(crate::scalar::Float::F32))?,
            OperandKind::LiteralContextDependentNumber => {
                let scalar = reading.result_type.and_then(|id| self.scalars.get(&id)).copied();
                let Some(scalar) = scalar else {
                    let message = "the type of this number is not known: expected the id of an integer or float type that is \
                                   declared before";
                    return Err(self.error_at(self.at, message.to_owned()));
                };
                self.number(scalar)?;
            }
            OperandKind::LiteralExtInstInteger => self.extended(reading)?,
            OperandKind::LiteralSpecConstantOpInteger => self.constant_operation(reading)?,
            OperandKind::PairLiteralIntegerIdRef => {
                let selector = self.words.get(reading.start + 1).and_then(|id| self.type_of.get(id));
                let scalar = selector.and_then(|id| self.scalars.get(id)).copied();
                self.number(scalar.unwrap_or(Scalar::UINT))?;
                self.logical(&once(OperandKind::IdRef), reading)?;
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id(&kind_name(kind), Class::Id)?;
                self.logical(&once(OperandKind::LiteralInteger), reading)?;
            }
            OperandKind::PairIdRefIdRef => {
                self.id(&kind_name(kind), Class::Id)?;
                self.logical(&once(OperandKind::IdRef), reading)?;
            }
            _ => self.literal("a number, such as 4")?,
        }
        Ok(())
    }

    fn id(&mut self, expected: &str, class: Class) -> Step<u32> {
        if self.kind(self.at) != Some(Kind::Id) || self.is_at_end() {
            return Err(self.expected(expected));
        }
        let token = self.at;
        let id = self.id_of(token)?;
        // 0 is nothing, which some compilers write in debugging instructions.
        if id != 0 {
            self.used.entry(id).or_insert(token);
        }
        self.push(id, token);
        self.take(class, id);
        Ok(id)
    }

    fn string(&mut self) -> Step<()> {
        if self.kind(self.at) != Some(Kind::String) {
            return Err(self.expected(&kind_name(OperandKind::LiteralString)));
        }
        let token = self.at;
        let text = lexer::string(self.text(token));
        if text.contains('\0') {
            let message = "a string cannot contain a zero character: remove it".to_owned();
            return Err(self.error_at(token, message));
        }
        let start = self.words.len();
        crate::write::push(&rspirv::dr::Operand::LiteralString(text), &mut self.words);
        self.origins.extend(std::iter::repeat_n(token, self.words.len() - start));
        self.take(Class::String, 0);
        Ok(())
    }

    /// A literal of one word.
    fn literal(&mut self, expected: &str) -> Step<()> {
        let here = self.kind(self.at) == Some(Kind::Word) && !self.is_at_end();
        let word = here.then(|| literals::word(self.text(self.at))).flatten();
        let Some(word) = word else { return Err(self.expected(expected)) };
        self.push(word, self.at);
        self.take(Class::Number, 0);
        Ok(())
    }

    /// A literal of a type.
    fn number(&mut self, scalar: Scalar) -> Step<()> {
        if self.kind(self.at) != Some(Kind::Word) || self.is_at_end() {
            return Err(self.expected(&format!("a number of {}", scalar.name())));
        }
        let token = self.at;
        let text = self.text(token);
        let bits = literals::value(scalar, text)
            .map_err(|message| self.error_at(token, format!("{message}, found `{text}`")))?;
        let start = self.words.len();
        for operand in scalar.constant(bits).1 {
            crate::write::push(&operand, &mut self.words);
        }
        self.origins.extend(std::iter::repeat_n(token, self.words.len() - start));
        self.take(Class::Number, 0);
        Ok(())
    }

    fn enumerant(&mut self, kind: OperandKind, reading: &mut Reading) -> Step<()> {
        let is_mask = operand::category(kind) == Category::Mask;
        if self.kind(self.at) != Some(Kind::Word) || self.is_at_end() {
            return Err(self.expected(&values_of(kind)));
        }
        let (token, text) = (self.at, self.text(self.at));
        let word = match is_mask {
            true => text.split('|').try_fold(0, |bits, name| Some(bits | operand::named(kind, name)?)),
            false => operand::named(kind, text),
        };
        let Some(word) = word else { return Err(self.expected(&values_of(kind))) };
        self.push(word, token);
        self.take(Class::Enumerant, 0);
        let Some(operand) = operand::enumerant(kind, word) else { return Ok(()) };
        for parameter in operand::parameters(kind, &operand).kinds {
            // The parameters of an enumerant are ids, literals, and values that have none themselves.
            self.logical(&parameter, reading)?;
        }
        Ok(())
    }

    /// The name of an extended instruction, or its number, and its operands.
    fn extended(&mut self, reading: &mut Reading) -> Step<()> {
        let set = self.words.get(reading.start + 3).copied().unwrap_or_default();
        let Some(name) = self.sets.get(&set).cloned() else {
            let message = "no OpExtInstImport before this line has this id: expected the id of an extended instruction set";
            return Err(self.error_at(self.at - 1, message.to_owned()));
        };
        if self.kind(self.at) != Some(Kind::Word) || self.is_at_end() {
            return Err(self.expected(&format!("the name of an instruction of {name}")));
        }
        let text = self.text(self.at);
        let number = crate::extended::any_number(&name, text).or_else(|| literals::word(text));
        let Some(number) = number else {
            return Err(self.expected(&format!("the name or the number of an instruction of {name}")));
        };
        self.push(number, self.at);
        self.take(Class::Opcode, 0);
        let Some(class) = self.literal_sets.get(&set).and_then(|table| table.lookup_opcode(number)) else {
            return Ok(());
        };
        for logical in class.operands {
            match logical.kind {
                OperandKind::IdRef => self.logical(logical, reading)?,
                _ if self.is_at_end() => {}
                _ => self.logical(&once(OperandKind::LiteralInteger), reading)?,
            }
        }
        Ok(())
    }

    /// The operation of `OpSpecConstantOp`, without `Op`, and its operands.
    fn constant_operation(&mut self, reading: &mut Reading) -> Step<()> {
        let here = self.kind(self.at) == Some(Kind::Word) && !self.is_at_end();
        let number = here.then(|| crate::instruction::number(self.text(self.at))).flatten();
        let Some((number, class)) =
            number.and_then(|number| Some((number, crate::instruction::class(number)?)))
        else {
            return Err(self.expected("an operation without `Op`, such as IAdd"));
        };
        self.push(u32::from(number), self.at);
        self.take(Class::Opcode, 0);
        for logical in class.operands {
            match logical.kind {
                OperandKind::IdResultType | OperandKind::IdResult => {}
                // No constant operation has such an operand; following it would let a text nest operations in themselves.
                OperandKind::LiteralSpecConstantOpInteger => {
                    return Err(self.error_at(
                        self.at - 1,
                        "a constant operation cannot be OpSpecConstantOp itself".to_owned(),
                    ));
                }
                _ => self.logical(logical, reading)?,
            }
        }
        Ok(())
    }

    /// The number of a token `!number`.
    pub(super) fn raw_word(&self) -> Step<u32> {
        let text = self.text(self.at).strip_prefix('!').unwrap_or_default();
        let message = || format!("expected a number of 32 bits after `!`, found `{text}`");
        literals::word(text).ok_or_else(|| self.error_at(self.at, message()))
    }

    /// Everything up to the end of the instruction, as it looks.
    pub(super) fn anything(&mut self) -> Step<()> {
        while !self.is_at_end() {
            match self.kind(self.at) {
                Some(Kind::Raw) => {
                    let word = self.raw_word()?;
                    self.push(word, self.at);
                    self.take(Class::Number, 0);
                }
                Some(Kind::Id) => {
                    self.id("an id", Class::Id)?;
                }
                Some(Kind::String) => self.string()?,
                Some(Kind::Word) => {
                    let Some(words) = literals::anything(self.text(self.at)) else {
                        return Err(
                            self.expected("a number, a string or an id, as nothing else can follow `!`")
                        );
                    };
                    for word in words {
                        self.push(word, self.at);
                    }
                    self.take(Class::Number, 0);
                }
                Some(Kind::Equals) | None => return Err(self.expected("an operand")),
            }
        }
        Ok(())
    }

    /// What later literals depend on.
    fn remember(&mut self, result: Option<u32>, reading: &Reading) {
        let Some(id) = result else { return };
        let numeric = [Op::TypeInt as u16, Op::TypeFloat as u16].contains(&reading.opcode);
        let is_set = reading.opcode == Op::ExtInstImport as u16;
        if !numeric && !is_set {
            return;
        }
        // Read as the module's reader does: one instruction by itself, after a header.
        let mut words = vec![rspirv::spirv::MAGIC_NUMBER, 0x0001_0600, 0, crate::MAXIMUM_BOUND, 0];
        words.extend(&self.words[reading.start..]);
        let Ok(module) = crate::load(&words) else { return };
        let Some(instruction) = module.all_inst_iter().next() else { return };
        if numeric {
            self.scalars.extend(Scalar::of_type(instruction).map(|scalar| (id, scalar)));
        } else if let [rspirv::dr::Operand::LiteralString(set)] = instruction.operands.as_slice() {
            if crate::extended::has_literals(set) {
                self.literal_sets.extend(crate::extended::table(set).map(|table| (id, table)));
            }
            self.sets.insert(id, set.clone());
        }
    }
}

/// The values of a kind of operand, as words of a sentence.
fn values_of(kind: OperandKind) -> String {
    let what = match operand::category(kind) {
        Category::Mask => "bits",
        _ => "a value",
    };
    let numbers: Vec<u32> = match operand::category(kind) {
        Category::Mask => (0..32).map(|shift| 1 << shift).collect(),
        _ => (0..16).collect(),
    };
    let names: Vec<String> = numbers
        .into_iter()
        .filter_map(|number| crate::grammar::known(kind, number))
        .map(|known| known.name)
        .take(4)
        .collect();
    match names.is_empty() {
        true => format!("{what} of {kind:?}"),
        false => format!("{what} of {kind:?}, such as {}", names.join(", ")),
    }
}
