//! Instructions by number, whoever declares them: the form of the table in [`super::instructions`].

use rspirv::grammar::Instruction;

use super::{Capability, Opcode};

/// An instruction that rspirv lacks.
pub(crate) struct Newer {
    /// Its own opcode, with the number in a module's words.
    pub opcode: Opcode,
    /// The capabilities of which it needs one.
    pub capabilities: &'static [Capability],
    /// Its operands. Its own `opcode` is a placeholder, as rspirv's type has no room for the number.
    pub class: Instruction<'static>,
}

/// Declares [`Opcode`](super::Opcode), its classes for what rspirv lacks, and [`Family`](super::Family).
macro_rules! families {
    ($(
        #[doc = $doc:literal]
        $family:ident [$effect:ident, $together:ident, $uniform:ident] { $($known:ident)* }
        $(and { $(
            $name:ident = $number:literal needs [$($capability:ident)*] of [$(($kind:ident $quantifier:ident))*],
        )* })?
    )*) => {
        /// An instruction, rspirv's or one that it lacks. Its discriminant is the number in a module's words.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        // The names are SPIR-V's without `Op`, and the specification says what they stand for.
        #[allow(clippy::upper_case_acronyms, missing_docs)]
        pub enum Opcode {
            $(
                $($known = rspirv::spirv::Op::$known as u16,)*
                $($($name = $number,)*)?
            )*
            /// What nobody knows: the instruction itself holds its number ([`crate::opcode_number`]).
            Unknown = u16::MAX,
        }

        /// Instructions that behave alike.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Family {
            $(
                #[doc = $doc]
                $family,
            )*
            /// What nobody knows.
            Unknown,
        }

        impl Opcode {
            /// Every instruction that somebody knows, by family.
            pub const ALL: &[Opcode] = &[$($(Opcode::$known,)* $($(Opcode::$name,)*)?)*];

            /// The family that it belongs to.
            pub const fn family(self) -> Family {
                match self {
                    $($(Opcode::$known)|* $(| $(Opcode::$name)|*)? => Family::$family,)*
                    Opcode::Unknown => Family::Unknown,
                }
            }
        }

        /// A pattern for every instruction of a family: `family!(RayTracing)`.
        ///
        /// For exhaustive matches over [`Opcode`] in which some families go together.
        #[macro_export]
        macro_rules! family {
            $(
                ($family) => {
                    $($crate::Opcode::$known)|* $(| $($crate::Opcode::$name)|*)?
                };
            )*
        }

        impl Family {
            /// What no grammar says about its instructions.
            pub const fn facts(self) -> Facts {
                match self {
                    $(Family::$family => Facts {
                        effect: Effect::$effect,
                        together: Together::$together,
                        uniform: Uniform::$uniform,
                    },)*
                    Family::Unknown => Facts {
                        effect: Effect::Acts,
                        together: Together::Scope,
                        uniform: Uniform::Varies,
                    },
                }
            }
        }

        /// The instructions that rspirv lacks.
        pub(crate) static NEWER: &[$crate::grammar::opcode::Newer] = &[$($($($crate::grammar::opcode::Newer {
            opcode: Opcode::$name,
            capabilities: &[$($crate::grammar::Capability::$capability),*],
            class: rspirv::grammar::Instruction {
                opname: stringify!($name),
                // A placeholder: the type has no room for a newer number.
                opcode: rspirv::spirv::Op::Nop,
                capabilities: &[],
                extensions: &[],
                operands: &[$(rspirv::grammar::LogicalOperand {
                    kind: rspirv::grammar::OperandKind::$kind,
                    quantifier: rspirv::grammar::OperandQuantifier::$quantifier,
                }),*],
            },
        },)*)?)*];

        /// Fails to compile where rspirv knows an instruction that the table lacks: give it a family.
        const _: fn(rspirv::spirv::Op) -> Opcode = |op| match op {
            $($(rspirv::spirv::Op::$known => Opcode::$known,)*)*
        };
    };
}

pub(super) use families;
