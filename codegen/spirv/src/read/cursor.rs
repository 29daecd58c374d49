//! The words of one instruction, taken one after the other.

use std::borrow::Cow;

use rspirv::dr::Operand;

use super::{LoadError, Result};

pub(super) struct Cursor<'a> {
    words: &'a [u32],
    at: usize,
    end: usize,
    bound: u32,
    opname: &'static str,
    zero_allowed: bool,
}

impl<'a> Cursor<'a> {
    /// The instruction of `count` words at `start`, both inside `words`; the first word is taken already.
    pub fn new(words: &'a [u32], start: usize, count: usize, bound: u32, opname: &'static str) -> Self {
        Cursor { words, at: start + 1, end: start + count, bound, opname, zero_allowed: false }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    pub fn left(&self) -> usize {
        self.end - self.at
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.end
    }

    pub fn error<T>(
        &self,
        word: usize,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> Result<T> {
        Err(LoadError {
            word,
            instruction: Some(self.opname),
            expected: expected.into(),
            found: found.into(),
        })
    }

    pub fn word(&mut self, expected: &'static str) -> Result<u32> {
        if self.is_at_end() {
            return self.error(self.at, expected, "the end of the instruction");
        }
        let word = self.words[self.at];
        self.at += 1;
        Ok(word)
    }

    /// From here on, 0 is taken for an id.
    pub fn allow_zero(&mut self) {
        self.zero_allowed = true;
    }

    pub fn id(&mut self) -> Result<u32> {
        let id = self.word("an id")?;
        if id >= self.bound || id == 0 && !self.zero_allowed {
            return self.error(self.at - 1, format!("an id below the bound {}", self.bound), id.to_string());
        }
        Ok(id)
    }

    /// A literal string: bytes up to a zero, padded to whole words.
    pub fn string(&mut self) -> Result<String> {
        let start = self.at;
        let mut bytes = Vec::new();
        while !self.is_at_end() {
            let word = self.words[self.at].to_le_bytes();
            self.at += 1;
            match word.iter().position(|&byte| byte == 0) {
                None => bytes.extend_from_slice(&word),
                Some(length) => {
                    bytes.extend_from_slice(&word[..length]);
                    return match String::from_utf8(bytes) {
                        Ok(text) => Ok(text),
                        Err(error) => {
                            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                            self.error(start, "a string in UTF-8", format!("{text:?}"))
                        }
                    };
                }
            }
        }
        self.error(self.at, "the zero that ends a string", "the end of the instruction")
    }

    /// A number of so many words.
    pub fn number(&mut self, words: usize, into: &mut Vec<Operand>) -> Result<()> {
        match words {
            2 => {
                let low = self.word("the low word of a number of 64 bits")?;
                let high = self.word("the high word of a number of 64 bits")?;
                into.push(Operand::LiteralBit64(u64::from(low) | u64::from(high) << 32));
            }
            _ => {
                // Wider than any type that Vulkan has: its words, one after the other.
                for _ in 0..words.max(1) {
                    into.push(Operand::LiteralBit32(self.word("a literal number")?));
                }
            }
        }
        Ok(())
    }

    /// Everything up to the instruction's end, as literals.
    pub fn rest(&mut self, into: &mut Vec<Operand>) {
        into.extend(self.words[self.at..self.end].iter().map(|&word| Operand::LiteralBit32(word)));
        self.at = self.end;
    }
}
