//! Names of ids: those that `spirv-dis` gives.
//!
//! An id is called as its `OpName` says, with every character that the syntax does not allow replaced by `_`; types and
//! constants are called after what they are, built-in variables after their GLSL names. A name that is taken gets a number.

use std::fmt::Write;

use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{BuiltIn, Decoration, Op};
use rustc_hash::{FxHashMap, FxHashSet};

use super::number::{Number, write_number};
use crate::grammar::FPEncoding;
use crate::operand::write_value;

/// The names of a module's ids.
pub struct Names {
    /// Nothing where the numbers are the names.
    names: Option<FxHashMap<u32, String>>,
}

impl Names {
    /// Every id is called by its number.
    pub fn numbers() -> Self {
        Names { names: None }
    }

    /// The friendly names of a module.
    pub fn friendly(module: &Module) -> Self {
        let mut mapper = Mapper::default();
        for instruction in module.all_inst_iter() {
            mapper.see(instruction);
        }
        Names { names: Some(mapper.names) }
    }

    /// Names by id, without `%`; an id without a name is called by its number.
    pub fn given(names: FxHashMap<u32, String>) -> Self {
        Names { names: Some(names) }
    }

    /// Appends the name of an id, without `%`.
    pub fn write(&self, out: &mut String, id: u32) {
        match self.names.as_ref().and_then(|names| names.get(&id)) {
            Some(name) => out.push_str(name),
            None => {
                let _ = write!(out, "{id}");
            }
        }
    }

    /// The name of an id, without `%`.
    pub fn of(&self, id: u32) -> String {
        let mut out = String::new();
        self.write(&mut out, id);
        out
    }
}

#[derive(Default)]
struct Mapper {
    names: FxHashMap<u32, String>,
    used: FxHashSet<String>,
    /// The next number to try after each name that was taken, so that thousands of equal names stay cheap.
    next: FxHashMap<String, u32>,
    numbers: FxHashMap<u32, Number>,
}

fn sanitize(name: &str) -> String {
    if name.is_empty() {
        return "_".into();
    }
    // A byte at a time, as a letter outside ASCII becomes one `_` per byte.
    name.bytes().map(|byte| if byte.is_ascii_alphanumeric() { byte as char } else { '_' }).collect()
}

impl Mapper {
    fn save(&mut self, id: u32, suggested: &str) {
        if self.names.contains_key(&id) {
            return;
        }
        let base = sanitize(suggested);
        if self.used.insert(base.clone()) {
            self.names.insert(id, base);
            return;
        }
        let mut number = self.next.get(&base).copied().unwrap_or(0);
        let name = loop {
            let name = format!("{base}_{number}");
            number = number.wrapping_add(1);
            if self.used.insert(name.clone()) {
                break name;
            }
        };
        self.next.insert(base, number);
        self.names.insert(id, name);
    }

    fn name(&self, id: u32) -> String {
        self.names.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn see(&mut self, instruction: &Instruction) {
        use Operand::{IdRef, LiteralBit32, LiteralString};
        let operands = instruction.operands.as_slice();
        let op = instruction.class.opcode;
        match (op, operands) {
            (Op::Name, [IdRef(id), LiteralString(name)]) => return self.save(*id, name),
            (
                Op::Decorate,
                [IdRef(id), Operand::Decoration(Decoration::BuiltIn), Operand::BuiltIn(builtin)],
            ) => {
                return self.save(*id, &builtin_name(*builtin));
            }
            _ => {}
        }
        let Some(id) = instruction.result_id else { return };
        let name = match (op, operands) {
            (Op::TypeVoid, _) => "void".into(),
            (Op::TypeBool, _) => "bool".into(),
            (Op::TypeInt, [LiteralBit32(bits), LiteralBit32(signed)]) => {
                let number = if *signed == 0 { Number::Unsigned(*bits) } else { Number::Signed(*bits) };
                self.numbers.insert(id, number);
                integer_name(*bits, *signed != 0)
            }
            (Op::TypeFloat, [LiteralBit32(bits), encoding @ ..]) => {
                let (name, number) = float(*bits, encoding);
                self.numbers.insert(id, number);
                name
            }
            (Op::TypeVector, [IdRef(component), LiteralBit32(count)]) => {
                format!("v{count}{}", self.name(*component))
            }
            (Op::TypeMatrix, [IdRef(column), LiteralBit32(count)]) => {
                format!("mat{count}{}", self.name(*column))
            }
            (Op::TypeArray, [IdRef(element), IdRef(length)]) => {
                format!("_arr_{}_{}", self.name(*element), self.name(*length))
            }
            (Op::TypeRuntimeArray, [IdRef(element)]) => format!("_runtimearr_{}", self.name(*element)),
            (Op::TypePointer, [class, IdRef(pointee)]) => {
                format!("_ptr_{}_{}", storage(class), self.name(*pointee))
            }
            (Op::TypeUntypedPointerKHR, [class]) => format!("_ptr_{}", storage(class)),
            (Op::TypeStruct, _) => format!("_struct_{id}"),
            (Op::TypeOpaque, [LiteralString(name)]) => format!("Opaque_{}", sanitize(name)),
            (Op::TypeEvent, _) => "Event".into(),
            (Op::TypeDeviceEvent, _) => "DeviceEvent".into(),
            (Op::TypeReserveId, _) => "ReserveId".into(),
            (Op::TypeQueue, _) => "Queue".into(),
            (Op::TypePipeStorage, _) => "PipeStorage".into(),
            (Op::TypeNamedBarrier, _) => "NamedBarrier".into(),
            (Op::ConstantTrue, _) => "true".into(),
            (Op::ConstantFalse, _) => "false".into(),
            (Op::Constant, [value]) => {
                let (kind, bits) = self.constant(instruction.result_type, value);
                let mut name = instruction.result_type.map(|id| self.name(id)).unwrap_or_default();
                name.push('_');
                let start = name.len();
                write_number(&mut name, kind, bits);
                name.replace_range(start.., &name[start..].replace('-', "n"));
                name
            }
            _ => id.to_string(),
        };
        self.save(id, &name);
    }

    fn constant(&self, result_type: Option<u32>, value: &Operand) -> (Number, u64) {
        let kind = result_type.and_then(|id| self.numbers.get(&id)).copied().unwrap_or(Number::UINT);
        match value {
            Operand::LiteralBit64(bits) => (kind, *bits),
            Operand::LiteralBit32(bits) => (kind, u64::from(*bits)),
            _ => (Number::UINT, 0),
        }
    }
}

fn integer_name(bits: u32, signed: bool) -> String {
    let root = match bits {
        8 => "char",
        16 => "short",
        32 => "int",
        64 => "long",
        _ => return format!("{}{bits}", if signed { "i" } else { "u" }),
    };
    format!("{}{root}", if signed { "" } else { "u" })
}

/// The name of a floating-point type, and how its values are written.
pub(super) fn float(bits: u32, encoding: &[Operand]) -> (String, Number) {
    let small = |exponent, fraction| Number::Float { exponent, fraction };
    let encoded = |encoding| match encoding {
        FPEncoding::BFloat16KHR => ("bfloat16", small(8, 7)),
        FPEncoding::Float8E4M3EXT => ("fp8e4m3", small(4, 3)),
        FPEncoding::Float8E5M2EXT => ("fp8e5m2", small(5, 2)),
        FPEncoding::Float6E2M3EXT => ("fp6e2m3", small(2, 3)),
        FPEncoding::Float6E3M2EXT => ("fp6e3m2", small(3, 2)),
        FPEncoding::Float4E2M1EXT => ("fp4e2m1", small(2, 1)),
        FPEncoding::Float8UnsignedE8M0EXT => ("fp8e8m0", Number::PowerOfTwo),
        FPEncoding::MXInt8EXT => ("mxint8", Number::SixtyFourths),
    };
    match encoding {
        [encoding @ (Operand::FPEncoding(_) | Operand::LiteralBit32(_))] => match FPEncoding::of(encoding) {
            Some(encoding) => {
                let (name, number) = encoded(encoding);
                (name.into(), number)
            }
            None => (format!("fp{bits}"), Number::Bits),
        },
        _ => match bits {
            16 => ("half".into(), Number::HALF),
            32 => ("float".into(), Number::FLOAT),
            64 => ("double".into(), Number::DOUBLE),
            _ => (format!("fp{bits}"), Number::Bits),
        },
    }
}

fn storage(class: &Operand) -> String {
    let mut out = String::new();
    match class {
        Operand::LiteralBit32(value) => {
            let _ = write!(out, "{value}");
        }
        class => {
            write_value(class, &mut out);
        }
    }
    out
}

/// What a variable with this decoration is called in GLSL, where it differs from the enumerant's name.
fn builtin_name(builtin: BuiltIn) -> String {
    let name = match builtin {
        BuiltIn::VertexId => "gl_VertexID",
        BuiltIn::InstanceId => "gl_InstanceID",
        BuiltIn::PrimitiveId => "gl_PrimitiveID",
        BuiltIn::InvocationId => "gl_InvocationID",
        BuiltIn::SampleId => "gl_SampleID",
        BuiltIn::NumWorkgroups => "gl_NumWorkGroups",
        BuiltIn::WorkgroupSize => "gl_WorkGroupSize",
        BuiltIn::WorkgroupId => "gl_WorkGroupID",
        BuiltIn::LocalInvocationId => "gl_LocalInvocationID",
        BuiltIn::GlobalInvocationId => "gl_GlobalInvocationID",
        BuiltIn::Position
        | BuiltIn::PointSize
        | BuiltIn::ClipDistance
        | BuiltIn::CullDistance
        | BuiltIn::Layer
        | BuiltIn::ViewportIndex
        | BuiltIn::TessLevelOuter
        | BuiltIn::TessLevelInner
        | BuiltIn::TessCoord
        | BuiltIn::PatchVertices
        | BuiltIn::FragCoord
        | BuiltIn::PointCoord
        | BuiltIn::FrontFacing
        | BuiltIn::SamplePosition
        | BuiltIn::SampleMask
        | BuiltIn::FragDepth
        | BuiltIn::HelperInvocation
        | BuiltIn::LocalInvocationIndex
        | BuiltIn::VertexIndex
        | BuiltIn::InstanceIndex
        | BuiltIn::BaseInstance => return format!("gl_{builtin:?}"),
        // The other built-ins are called as the enumerant is.
        _ => return format!("{builtin:?}"),
    };
    name.into()
}
