//! The form of our own enums of a kind of operand: what rspirv knows and what it lacks under one type, and what is known of a value that it lacks.

use rspirv::grammar::{LogicalOperand, OperandKind};

/// An enumerant that rspirv lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Enumerant {
    /// The kind of operand in whose place it stands.
    pub kind: OperandKind,
    /// The number in a module's words: for a bit of a mask, the bit alone.
    pub value: u32,
    /// Its name in assembly text.
    pub name: &'static str,
    /// What follows it.
    pub parameters: &'static [LogicalOperand],
}

/// Declares the enum of a kind of operand. What rspirv knows is listed by name: an exhaustive `match` over rspirv's enum fails to
/// compile when it learns another one. What it lacks is listed with number and parameters.
macro_rules! enumeration {
    (
        $(#[$attribute:meta])*
        $kind:ident
        rspirv { $($known:ident)* }
        ours { $($name:ident = $number:literal $(($parameter:ident))?,)* }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u32)]
        // The names are SPIR-V's, and the specification says what they stand for.
        #[allow(clippy::upper_case_acronyms, missing_docs)]
        pub enum $kind {
            $($known = rspirv::spirv::$kind::$known as u32,)*
            $($name = $number,)*
        }

        impl $kind {
            /// Every one of them: those of rspirv, then those that it lacks.
            pub const ALL: &[$kind] = &[$($kind::$known,)* $($kind::$name,)*];

            /// Those that rspirv lacks.
            pub(crate) const NEWER: &[$crate::grammar::enumeration::Enumerant] = &[
                $($crate::grammar::enumeration::Enumerant {
                    kind: rspirv::grammar::OperandKind::$kind,
                    value: $number,
                    name: stringify!($name),
                    parameters: $crate::grammar::enumeration::parameters!($($parameter)?),
                },)*
            ];

            /// The number in a module's words.
            pub const fn number(self) -> u32 {
                self as u32
            }

            /// What has this number, or nothing where nobody knows it.
            pub fn from_number(number: u32) -> Option<$kind> {
                let newer = || match number {
                    $($number => Some($kind::$name),)*
                    _ => None,
                };
                rspirv::spirv::$kind::from_u32(number).map($kind::from).or_else(newer)
            }

            /// The name in assembly text.
            pub const fn name(self) -> &'static str {
                match self {
                    $($kind::$known => stringify!($known),)*
                    $($kind::$name => stringify!($name),)*
                }
            }

            /// What an operand of this kind says; nothing for other operands, and for a number that nobody knows.
            pub fn of(operand: &rspirv::dr::Operand) -> Option<$kind> {
                match operand {
                    rspirv::dr::Operand::$kind(known) => Some($kind::from(*known)),
                    rspirv::dr::Operand::LiteralBit32(number) => $kind::from_number(*number),
                    _ => None,
                }
            }
        }

        impl std::fmt::Debug for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }

        impl From<rspirv::spirv::$kind> for $kind {
            fn from(known: rspirv::spirv::$kind) -> $kind {
                match known {
                    $(rspirv::spirv::$kind::$known => $kind::$known,)*
                }
            }
        }

        impl From<$kind> for rspirv::dr::Operand {
            /// What rspirv cannot hold is a literal; its place in the instruction says of which kind it is.
            fn from(value: $kind) -> rspirv::dr::Operand {
                let number = value.number();
                rspirv::spirv::$kind::from_u32(number)
                    .map_or(rspirv::dr::Operand::LiteralBit32(number), rspirv::dr::Operand::$kind)
            }
        }
    };
}

/// What follows an enumerant: nothing, or one operand.
macro_rules! parameters {
    ($kind:ident) => {
        &[rspirv::grammar::LogicalOperand {
            kind: rspirv::grammar::OperandKind::$kind,
            quantifier: rspirv::grammar::OperandQuantifier::One,
        }]
    };
    () => {
        &[]
    };
}

pub(crate) use {enumeration, parameters};
