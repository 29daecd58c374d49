//! Component types: the numbers that values consist of.

/// Component types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `int8_t` (GL_EXT_shader_explicit_arithmetic_types, as the other widths).
    Int8,
    /// `int16_t`
    Int16,
    /// `int`
    Int32,
    /// `int64_t`
    Int64,
    /// `uint8_t`
    Uint8,
    /// `uint16_t`
    Uint16,
    /// `uint`
    Uint32,
    /// `uint64_t`
    Uint64,
    /// `float16_t`: 5 bits of exponent, 10 of fraction.
    Float16,
    /// `float`
    Float32,
    /// `double`
    Float64,
    /// `bfloat16_t` (GL_EXT_bfloat16): 8 bits of exponent, 7 of fraction.
    BFloat16,
    /// `floate4m3_t` (GL_EXT_float_e4m3): 4 bits of exponent, 3 of fraction, no infinities.
    FloatE4M3,
    /// `floate5m2_t` (GL_EXT_float_e5m2): 5 bits of exponent, 2 of fraction.
    FloatE5M2,
    /// `floate2m1_t` (GL_EXT_float_e2m1): 2 bits of exponent, 1 of fraction; finite values alone.
    FloatE2M1,
    /// `floate3m2_t` (GL_EXT_float_e3m2): 3 bits of exponent, 2 of fraction; finite values alone.
    FloatE3M2,
    /// `floate2m3_t` (GL_EXT_float_e2m3): 2 bits of exponent, 3 of fraction; finite values alone.
    FloatE2M3,
    /// `floatue8m0_t` (GL_EXT_float_ue8m0): powers of two, 8 bits of exponent without a sign.
    FloatUE8M0,
    /// `floatmxint8_t` (GL_EXT_float_mxint8): a signed number with 6 bits behind the point.
    FloatMxInt8,
}

/// What kind of number a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarClass {
    /// `bool`
    Bool,
    /// `int` and its other widths.
    Signed,
    /// `uint` and its other widths.
    Unsigned,
    /// Formats with arithmetic: 16, 32 and 64 bits.
    Float,
    /// bfloat16 and the formats of 8 bits and below: values to store and convert, without arithmetic of their own.
    SmallFloat,
}

impl Scalar {
    /// Every component type, in the order of the declaration.
    pub const ALL: [Scalar; 20] = [
        Scalar::Bool,
        Scalar::Int8,
        Scalar::Int16,
        Scalar::Int32,
        Scalar::Int64,
        Scalar::Uint8,
        Scalar::Uint16,
        Scalar::Uint32,
        Scalar::Uint64,
        Scalar::Float16,
        Scalar::Float32,
        Scalar::Float64,
        Scalar::BFloat16,
        Scalar::FloatE4M3,
        Scalar::FloatE5M2,
        Scalar::FloatE2M1,
        Scalar::FloatE3M2,
        Scalar::FloatE2M3,
        Scalar::FloatUE8M0,
        Scalar::FloatMxInt8,
    ];

    /// Which kind of number it is.
    pub fn class(self) -> ScalarClass {
        use Scalar::*;
        match self {
            Bool => ScalarClass::Bool,
            Int8 | Int16 | Int32 | Int64 => ScalarClass::Signed,
            Uint8 | Uint16 | Uint32 | Uint64 => ScalarClass::Unsigned,
            Float16 | Float32 | Float64 => ScalarClass::Float,
            BFloat16 | FloatE4M3 | FloatE5M2 | FloatE2M1 | FloatE3M2 | FloatE2M3 | FloatUE8M0
            | FloatMxInt8 => ScalarClass::SmallFloat,
        }
    }

    /// Whether it is a signed or unsigned integer of any width; `bool` is none.
    pub fn is_integer(self) -> bool {
        matches!(self.class(), ScalarClass::Signed | ScalarClass::Unsigned)
    }

    /// Whether it is a floating-point format of any width, small ones included.
    pub fn is_float(self) -> bool {
        matches!(self.class(), ScalarClass::Float | ScalarClass::SmallFloat)
    }

    /// Width in bits. A `bool` has none in memory; 32 is what blocks give it.
    pub fn bits(self) -> u32 {
        use Scalar::*;
        match self {
            Int8 | Uint8 | FloatE4M3 | FloatE5M2 | FloatUE8M0 | FloatMxInt8 => 8,
            Int16 | Uint16 | Float16 | BFloat16 => 16,
            Bool | Int32 | Uint32 | Float32 => 32,
            Int64 | Uint64 | Float64 => 64,
            FloatE2M1 => 4,
            FloatE3M2 | FloatE2M3 => 6,
        }
    }

    /// Bytes in memory, rounded up.
    pub fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// The name as users of 32-bit types write it: `float`, `int`, and `float16_t`.
    pub fn name(self) -> &'static str {
        use Scalar::*;
        match self {
            Bool => "bool",
            Int8 => "int8_t",
            Int16 => "int16_t",
            Int32 => "int",
            Int64 => "int64_t",
            Uint8 => "uint8_t",
            Uint16 => "uint16_t",
            Uint32 => "uint",
            Uint64 => "uint64_t",
            Float16 => "float16_t",
            Float32 => "float",
            Float64 => "double",
            BFloat16 => "bfloat16_t",
            FloatE4M3 => "floate4m3_t",
            FloatE5M2 => "floate5m2_t",
            FloatE2M1 => "floate2m1_t",
            FloatE3M2 => "floate3m2_t",
            FloatE2M3 => "floate2m3_t",
            FloatUE8M0 => "floatue8m0_t",
            FloatMxInt8 => "floatmxint8_t",
        }
    }

    /// The prefix of its vector types: `vec`, `ivec`, `f16vec`.
    pub fn vector_prefix(self) -> &'static str {
        use Scalar::*;
        match self {
            Bool => "bvec",
            Int8 => "i8vec",
            Int16 => "i16vec",
            Int32 => "ivec",
            Int64 => "i64vec",
            Uint8 => "u8vec",
            Uint16 => "u16vec",
            Uint32 => "uvec",
            Uint64 => "u64vec",
            Float16 => "f16vec",
            Float32 => "vec",
            Float64 => "dvec",
            BFloat16 => "bf16vec",
            FloatE4M3 => "fe4m3vec",
            FloatE5M2 => "fe5m2vec",
            FloatE2M1 => "fe2m1vec",
            FloatE3M2 => "fe3m2vec",
            FloatE2M3 => "fe2m3vec",
            FloatUE8M0 => "fue8m0vec",
            FloatMxInt8 => "fmxint8vec",
        }
    }
}
