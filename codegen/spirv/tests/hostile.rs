//! No input makes the reader or the printer fail other than by an error that says where.

use crate::support::MODULES;
use coopmat_spirv::text::{self, Options};
use coopmat_spirv::{LoadError, assemble, load, load_bytes};
use expect_test::{Expect, expect};

/// A small generator of numbers (xorshift), the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

fn mutate(words: &mut Vec<u32>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(words.len());
        match numbers.below(7) {
            0 => words[at] ^= 1 << numbers.below(32),
            1 => words[at] = numbers.below(40) as u32,
            2 => words[at] = numbers.next() as u32,
            3 => words[at] = (words[at] & 0xFFFF_0000) | numbers.below(7000) as u32,
            4 => words.truncate(at.max(1)),
            5 => {
                let end = (at + 1 + numbers.below(12)).min(words.len());
                words.drain(at..end);
            }
            _ => {
                let from = numbers.below(words.len());
                let end = (from + 1 + numbers.below(12)).min(words.len());
                let copied: Vec<u32> = words[from..end].to_vec();
                words.splice(at..at, copied);
            }
        }
        if words.is_empty() {
            return;
        }
    }
}

#[test]
fn damaged_modules_are_read_or_refused() {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    let (mut read, mut refused) = (0, 0);
    for (name, bytes) in MODULES {
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect();
        for _ in 0..400 {
            let mut damaged = words.clone();
            mutate(&mut damaged, &mut numbers);
            match load(&damaged) {
                Ok(module) => {
                    read += 1;
                    text::disassemble(&module, &Options::default());
                    text::function_ranges(&module);
                    // What was read is a module, so that it comes back as itself.
                    let written = assemble(&module).unwrap();
                    let again = load(&written).unwrap_or_else(|error| panic!("{name}: {error}"));
                    assert!(again.all_inst_iter().eq(module.all_inst_iter()), "{name}");
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.word <= damaged.len(), "{name}: {error}");
                    assert!(!error.to_string().is_empty());
                }
            }
        }
    }
    // Both happen often, or the test would show nothing.
    assert!(read > 200 && refused > 200, "{read} read, {refused} refused");
}

fn refused(result: Result<coopmat_spirv::dr::Module, LoadError>, expected: Expect) {
    expected.assert_eq(&result.map(|_| ()).unwrap_err().to_string());
}

const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0000, 0, 10, 0];

fn after_header(words: &[u32]) -> Result<coopmat_spirv::dr::Module, LoadError> {
    load(&[&HEADER, words].concat())
}

#[test]
fn errors_say_where_what_was_expected_and_what_was_found() {
    refused(load_bytes(b""), expect!["word 0: expected the magic number 0x07230203, found an empty file"]);
    refused(
        load_bytes(b"#version 460"),
        expect!["word 0: expected the magic number 0x07230203, found 0x72657623"],
    );
    refused(
        load_bytes(&[3, 2, 0x23]),
        expect!["word 0: expected a whole number of words of four bytes, found 3 bytes"],
    );
    refused(load(&HEADER[..3]), expect!["word 3: expected a header of 5 words, found 3 words"]);
    refused(
        load(&[HEADER[0], 0, 0, u32::MAX, 0]),
        expect!["word 3: expected a bound of ids from 1 to 4194303, found 4294967295"],
    );
    // OpTypeInt with one operand, with a length of 0, past the end, and with an id outside the bound.
    refused(
        after_header(&[0x0003_0015, 1, 32]),
        expect!["word 8, in OpTypeInt: expected a literal number, found the end of the instruction"],
    );
    refused(
        after_header(&[0x0000_0015]),
        expect![
            "word 5, in OpTypeInt: expected an instruction of 1 to 1 words, which are left, found a length of 0 words"
        ],
    );
    refused(
        after_header(&[0x0004_0015, 1, 32]),
        expect![
            "word 5, in OpTypeInt: expected an instruction of 1 to 3 words, which are left, found a length of 4 words"
        ],
    );
    refused(
        after_header(&[0x0004_0015, 10, 32, 0]),
        expect!["word 6, in OpTypeInt: expected an id below the bound 10, found 10"],
    );
    refused(
        after_header(&[0x0002_0013, 1, 0x0002_0013, 1]),
        expect![
            "word 8, in OpTypeVoid: expected a result id that nothing else has, found %1, which is defined already"
        ],
    );
    // OpString without an end, and one that is not UTF-8.
    refused(
        after_header(&[0x0003_0007, 1, 0x4141_4141]),
        expect![
            "word 8, in OpString: expected the zero that ends a string, found the end of the instruction"
        ],
    );
    refused(
        after_header(&[0x0003_0007, 1, 0x0000_00FF]),
        expect![[r#"word 7, in OpString: expected a string in UTF-8, found "�""#]],
    );
    // OpCapability without an operand, OpReturn outside a function, OpFunction without an end.
    refused(
        after_header(&[0x0001_0011]),
        expect!["word 6, in OpCapability: expected a value of Capability, found the end of the instruction"],
    );
    refused(
        after_header(&[0x0001_00FD]),
        expect![
            "word 5, in OpReturn: expected OpFunction before what functions consist of, found no function"
        ],
    );
    refused(
        after_header(&[0x0005_0036, 1, 2, 0, 3]),
        expect!["word 10: expected OpFunctionEnd, found the end of the module"],
    );
}
