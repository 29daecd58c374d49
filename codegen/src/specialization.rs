//! Specialization constants, and the constant expressions over them.
//!
//! Equal symbols share one id, whatever expression they came from: two array types or matrix types of one symbolic size have to be
//! one type. An expression that the symbols cannot hold (vectors, 64-bit integers) is shared by its operation and operands.

mod symbols;
mod table;
mod workgroup;

use coopmat_analysis::extensions::variables;
use coopmat_analysis::hir::{BinaryOp, Const, ExprId, ExprKind, GlobalId, Storage, UnaryOp};
use coopmat_analysis::symbolic::{SpecAtom, Sym, SymKind};
use coopmat_analysis::types::{Scalar, ScalarClass, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, Word};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::builder::note;
use crate::codegen::{Codegen, Emit, LocalSlot};
use crate::target::SpirvVersion;

pub(crate) use table::{Specialization, WorkgroupSize};

/// Bounds how deep constant expressions are followed.
const MAX_SPEC_DEPTH: u32 = 128;

impl<'a> Codegen<'a> {
    /// The id of a size: a constant, or what the specialization constants make of it.
    pub fn size_id(&mut self, size: Sym) -> Emit<Word> {
        if let Some(value) = self.types.symbols.as_int(size) {
            return Ok(self.uint_constant(value as u32));
        }
        if let Some(&id) = self.spec.sizes.get(&size) {
            return Ok(id);
        }
        let known = [Scalar::Uint32, Scalar::Int32]
            .into_iter()
            .find_map(|scalar| self.spec.symbols.get(&(size, scalar)).copied());
        let id = match (known, self.types.symbols.kind(size)) {
            (Some(id), _) => id,
            (None, SymKind::Spec(atom)) => self.spec_atom(atom)?.0,
            (None, _) => self.symbol(size, Scalar::Uint32)?,
        };
        self.spec.sizes.insert(size, id);
        Ok(id)
    }

    /// An operation on constants, done once for equal operands.
    pub fn spec_op(&mut self, op: Op, ty: Word, operands: &[Word]) -> Word {
        let key = (op, ty, SmallVec::from_slice(operands));
        if let Some(&id) = self.spec.operations.get(&key) {
            return id;
        }
        let parts = std::iter::once(Operand::LiteralSpecConstantOpInteger(op))
            .chain(operands.iter().map(|&id| Operand::IdRef(id)))
            .collect();
        // Constants of small types need the capability of arithmetic in them.
        self.b.computes_in(ty);
        let id = self.b.global(Op::SpecConstantOp, Some(ty), parts);
        self.spec.operations.insert(key, id);
        id
    }

    /// Takes a part out of a constant composite.
    fn spec_extract(&mut self, ty: Word, composite: Word, index: u32) -> Word {
        let key = (Op::CompositeExtract, ty, SmallVec::from_slice(&[composite, index]));
        if let Some(&id) = self.spec.operations.get(&key) {
            return id;
        }
        let parts = vec![
            Operand::LiteralSpecConstantOpInteger(Op::CompositeExtract),
            Operand::IdRef(composite),
            Operand::LiteralBit32(index),
        ];
        let id = self.b.global(Op::SpecConstantOp, Some(ty), parts);
        self.spec.operations.insert(key, id);
        id
    }

    /// A specialization constant as an atom of a symbol, with its scalar type.
    fn spec_atom(&mut self, atom: &SpecAtom) -> Emit<(Word, Scalar)> {
        if let Some(letter) = atom.component_of(variables::GL_WORK_GROUP_SIZE.name()) {
            let index = match letter {
                "y" => 1,
                "z" => 2,
                _ => 0,
            };
            let size = self.workgroup_size()?;
            return Ok((size.parts[index], Scalar::Uint32));
        }
        let types = self.types;
        if let Some(&matrix) = types.matrix_lengths.get(&atom.name) {
            return self.matrix_length(matrix).map(|length| (length, Scalar::Uint32));
        }
        let Some(id) = atom.id else {
            return Err(self.inconsistent("a specialization constant without an id"));
        };
        let hir = self.hir;
        let by_id = self.spec.by_constant_id.get_or_insert_with(|| {
            let mut by_id = FxHashMap::default();
            for (global, declared) in hir.globals.iter() {
                if let Some(id) = declared.constant_id {
                    by_id.entry(id).or_insert(global);
                }
            }
            by_id
        });
        let Some(&global) = by_id.get(&id) else {
            return Err(self.inconsistent("a specialization constant that is not declared"));
        };
        let scalar = self.types.as_scalar(self.global(global).ty).unwrap_or(Scalar::Uint32);
        Ok((self.spec_global(global)?, scalar))
    }

    /// How many elements of a matrix an invocation has, as a constant.
    fn matrix_length(&mut self, matrix: Ty) -> Emit<Word> {
        let ty = self.type_id(matrix)?;
        let uint = self.uint_type();
        let nv = matches!(self.types.kind(matrix), TypeKind::CoopmatNv(_));
        let op = if nv { Op::CooperativeMatrixLengthNV } else { Op::CooperativeMatrixLengthKHR };
        Ok(self.spec_op(op, uint, &[ty]))
    }

    /// `layout(constant_id = N) const ...`
    pub fn spec_global(&mut self, id: GlobalId) -> Emit<Word> {
        if let Some(&known) = self.spec.globals.get(&id) {
            return Ok(known);
        }
        let global = self.global(id);
        let before = std::mem::replace(&mut self.b.at, global.range);
        let result = self.make_spec_global(id);
        self.b.at = before;
        result
    }

    fn make_spec_global(&mut self, id: GlobalId) -> Emit<Word> {
        let global = self.global(id);
        let Some(scalar) = self.types.as_scalar(global.ty) else {
            return Err(self.inconsistent("a specialization constant that is no scalar"));
        };
        let default = match &global.default {
            Some(Const::Bool(value)) => f64::from(u8::from(*value)),
            Some(Const::Int(value)) => *value as f64,
            Some(Const::Float(value)) => *value,
            Some(Const::Symbolic(symbol)) => self.types.symbols.default_value(*symbol).unwrap_or(0) as f64,
            _ => 0.0,
        };
        let exact = match &global.default {
            Some(Const::Int(value)) => *value,
            _ => default as i128,
        };
        let bits = match scalar.class() {
            ScalarClass::Float | ScalarClass::SmallFloat => crate::constants::float_bits(scalar, default),
            _ => match scalar {
                Scalar::Int8 => u64::from(exact as i8 as u32),
                Scalar::Int16 => u64::from(exact as i16 as u32),
                Scalar::Uint8 => u64::from(exact as u8),
                Scalar::Uint16 => u64::from(exact as u16),
                _ => exact as u64,
            },
        };
        let instructions = [Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant];
        let word = self.new_scalar(scalar, bits, instructions);
        if let Some(constant_id) = global.constant_id {
            self.b.decorate(word, Decoration::SpecId, [Operand::LiteralBit32(constant_id)]);
        }
        self.b.name(word, &global.name);
        self.spec.globals.insert(id, word);
        Ok(word)
    }

    /// An expression that depends on specialization, as a constant. `None` where SPIR-V has no constant for it: the expression is
    /// computed at run time then.
    pub fn spec_value(&mut self, expr: ExprId) -> Emit<Option<Word>> {
        let e = self.expr(expr);
        let Some(constant) = &e.constant else { return Ok(None) };
        if let Some(known) = self.constant(constant, e.ty)? {
            return Ok(Some(known));
        }
        let scalar = self.types.as_scalar(e.ty);
        if let (Const::Symbolic(symbol), Some(scalar)) = (constant, scalar)
            && let Some(&id) = self.spec.symbols.get(&(*symbol, scalar))
        {
            return Ok(Some(id));
        }
        // What nests deeper, such as a very long sum, is computed at run time.
        if self.spec_depth >= MAX_SPEC_DEPTH {
            return Ok(None);
        }
        self.spec_depth += 1;
        let id = self.make_spec_value(expr);
        self.spec_depth -= 1;
        let id = id?;
        if let (Some(id), Const::Symbolic(symbol), Some(scalar)) = (id, constant, scalar) {
            self.spec.symbols.entry((*symbol, scalar)).or_insert(id);
        }
        Ok(id)
    }

    fn make_spec_value(&mut self, expr: ExprId) -> Emit<Option<Word>> {
        let e = self.expr(expr);
        let Some((scalar, length)) = self.types.as_vector(e.ty) else { return Ok(None) };
        match &e.kind {
            &ExprKind::Global(id) => {
                let global = self.global(id);
                if global.constant_id.is_some() {
                    return self.spec_global(id).map(Some);
                }
                match (global.storage, global.initializer) {
                    (Storage::Const, Some(initializer)) => {
                        self.in_global_body(|codegen| codegen.spec_value(initializer))
                    }
                    _ => Ok(None),
                }
            }
            &ExprKind::Local(local) => match self.slot(local) {
                // One whose value SPIR-V has no constant operation for, such as a comparison of floats, is computed by the function.
                &LocalSlot::Value(id)
                    if self.local(local).is_const && self.b.notes(id) & note::GLOBAL != 0 =>
                {
                    Ok(Some(id))
                }
                _ => Ok(None),
            },
            &ExprKind::BuiltinVariable(id) => {
                if id == variables::GL_WORK_GROUP_SIZE {
                    self.workgroup_size_vector().map(Some)
                } else {
                    Ok(None)
                }
            }
            ExprKind::Swizzle { base, components } => {
                let base_expr = self.expr(*base);
                if let ExprKind::BuiltinVariable(id) = base_expr.kind
                    && id == variables::GL_WORK_GROUP_SIZE
                    && let &[one] = components.as_slice()
                {
                    let size = self.workgroup_size()?;
                    return Ok(size.parts.get(usize::from(one)).copied());
                }
                let Some(base_id) = self.spec_value(*base)? else { return Ok(None) };
                let ty = self.type_id(e.ty)?;
                if self.types.as_scalar(base_expr.ty).is_some() {
                    return Ok(None);
                }
                match components.as_slice() {
                    &[one] => Ok(Some(self.spec_extract(ty, base_id, u32::from(one)))),
                    _ => Ok(None),
                }
            }
            ExprKind::Index { base, index } => {
                let Some(base_id) = self.spec_value(*base)? else { return Ok(None) };
                let Some(index) = self.expr(*index).constant.as_ref().and_then(Const::as_int) else {
                    return Ok(None);
                };
                let ty = self.type_id(e.ty)?;
                Ok(Some(self.spec_extract(ty, base_id, index as u32)))
            }
            ExprKind::Convert { operand } => self.spec_conversion(*operand, e.ty),
            ExprKind::Construct { arguments } => match arguments.as_slice() {
                &[argument] if length == 1 => self.spec_conversion(argument, e.ty),
                _ => self.spec_vector(arguments, scalar, length),
            },
            ExprKind::Unary { op, operand } => {
                let Some(operand) = self.spec_value(*operand)? else { return Ok(None) };
                let ty = self.type_id(e.ty)?;
                let op = match op {
                    UnaryOp::Plus => return Ok(Some(operand)),
                    UnaryOp::Negate if scalar.is_integer() => Op::SNegate,
                    UnaryOp::Not => Op::LogicalNot,
                    UnaryOp::BitNot => Op::Not,
                    UnaryOp::Negate => return Ok(None),
                };
                Ok(Some(self.spec_op(op, ty, &[operand])))
            }
            ExprKind::Binary { op, left, right } => self.spec_binary(*op, *left, *right, e.ty),
            ExprKind::Conditional { condition, then, otherwise } => {
                let parts = [*condition, *then, *otherwise];
                let mut ids = [0; 3];
                for (id, part) in ids.iter_mut().zip(parts) {
                    match self.spec_value(part)? {
                        Some(value) => *id = value,
                        None => return Ok(None),
                    }
                }
                if length > 1 && !self.target.at_least(SpirvVersion::V1_4) {
                    return Ok(None);
                }
                let ty = self.type_id(e.ty)?;
                Ok(Some(self.spec_op(Op::Select, ty, &ids)))
            }
            ExprKind::Length { base } => {
                let base_ty = self.ty(*base);
                match *self.types.kind(base_ty) {
                    // An instruction instead, where it is computed: drivers crash on a constant of this kind (NVIDIA's
                    // 580.159 does).
                    TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_) => Ok(None),
                    _ => match &e.constant {
                        Some(Const::Symbolic(symbol)) => self.symbol(*symbol, scalar).map(Some),
                        _ => Ok(None),
                    },
                }
            }
            // Literals are known, and the rest has no constant of its own in SPIR-V.
            ExprKind::Call { .. } => match &e.constant {
                // `min` and `max`.
                Some(Const::Symbolic(symbol)) if !self.types.symbols.has_unknown(*symbol) => {
                    self.symbol(*symbol, scalar).map(Some)
                }
                _ => Ok(None),
            },
            ExprKind::InitializerList { elements } => match elements.as_slice() {
                &[element] if length == 1 => self.spec_value(element),
                _ => self.spec_vector(elements, scalar, length),
            },
            ExprKind::Comma { right, .. } => self.spec_value(*right),
            ExprKind::Literal
            | ExprKind::Error
            | ExprKind::String(_)
            | ExprKind::BlockMember(..)
            | ExprKind::BuiltinConstant(_)
            | ExprKind::FunctionName { .. }
            | ExprKind::IncDec { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Member { .. } => Ok(None),
        }
    }

    fn spec_vector(&mut self, parts: &[ExprId], scalar: Scalar, length: u32) -> Emit<Option<Word>> {
        let mut ids: SmallVec<[Word; 4]> = SmallVec::new();
        for &part in parts {
            if self.types.as_scalar(self.ty(part)) != Some(scalar) {
                return Ok(None);
            }
            match self.spec_value(part)? {
                Some(id) => ids.push(id),
                None => return Ok(None),
            }
        }
        if let [one] = *ids {
            ids = (0..length).map(|_| one).collect();
        }
        if ids.len() != length as usize {
            return Ok(None);
        }
        let ty = self.vector_type(scalar, length);
        Ok(Some(self.composite_constant(ty, &ids, true)))
    }

    fn spec_conversion(&mut self, operand: ExprId, to: Ty) -> Emit<Option<Word>> {
        let from = self.ty(operand);
        let (Some(from), Some(to_scalar)) = (self.types.as_scalar(from), self.types.as_scalar(to)) else {
            return Ok(None);
        };
        let takes = |scalar: Scalar| scalar.is_integer() || scalar == Scalar::Bool;
        if !takes(from) || !takes(to_scalar) {
            return Ok(None);
        }
        let widens = from.is_integer() && from.bits() < to_scalar.bits();
        if widens && from.class() == ScalarClass::Unsigned && !self.target.at_least(SpirvVersion::V1_4) {
            return Ok(None);
        }
        let Some(id) = self.spec_value(operand)? else { return Ok(None) };
        if from == to_scalar {
            return Ok(Some(id));
        }
        let ty = self.scalar_type(to_scalar);
        Ok(Some(match (from, to_scalar) {
            (Scalar::Bool, to) => {
                let (one, zero) = (self.one(to), self.zero(to));
                self.spec_op(Op::Select, ty, &[id, one, zero])
            }
            (from, Scalar::Bool) => {
                let zero = self.zero(from);
                self.spec_op(Op::INotEqual, ty, &[id, zero])
            }
            (from, to) => self.spec_resized(id, from, to),
        }))
    }

    fn spec_binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, ty: Ty) -> Emit<Option<Word>> {
        let operand_ty = self.ty(left);
        let (Some((scalar, a)), Some((other, b))) =
            (self.types.as_vector(operand_ty), self.types.as_vector(self.ty(right)))
        else {
            return Ok(None);
        };
        let takes = |scalar: Scalar| scalar.is_integer() || scalar == Scalar::Bool;
        if a != b || !takes(scalar) || !takes(other) || (a > 1 && ty == Ty::BOOL) {
            return Ok(None);
        }
        let Some(op) = crate::operators::integer_op(op, scalar) else { return Ok(None) };
        let (Some(left), Some(right)) = (self.spec_value(left)?, self.spec_value(right)?) else {
            return Ok(None);
        };
        let ty = self.type_id(ty)?;
        Ok(Some(self.spec_op(op, ty, &[left, right])))
    }
}
