//! Expressions: each becomes a value, known by its id.

use coopmat_analysis::extensions::variables;
use coopmat_analysis::hir::{Callee, Const, ExprId, ExprKind, Storage};
use coopmat_analysis::types::{ArrayLength, Scalar, Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};

use crate::codegen::{Codegen, Emit, LocalSlot};

impl<'a> Codegen<'a> {
    /// The value of an expression; 0 for `void`. What is refused is told once, and has an undefined value: only a type without values stops
    /// what needs one.
    pub fn value(&mut self, expr: ExprId) -> Emit<Word> {
        if self.f.refused.contains(&expr) {
            return self.stand_in(expr);
        }
        let before = self.enter(self.expr(expr).range);
        let bound = self.b.bound;
        let exact = std::mem::replace(&mut self.f.exact, self.f.precise.contains(&expr));
        let mut value = self.value_here(expr);
        if value.is_err() {
            self.f.refused.insert(expr);
            self.look_further(expr);
            value = self.stand_in(expr);
        }
        self.f.exact = exact;
        if let Ok(id) = value
            && id >= bound
            && self.less_precision
        {
            self.mark_result(expr, id);
        }
        self.leave(before);
        value
    }

    /// A value for what is refused.
    fn stand_in(&mut self, expr: ExprId) -> Emit<Word> {
        let ty = self.ty(expr);
        if ty == Ty::VOID {
            return Ok(0);
        }
        let before = std::mem::replace(&mut self.refusals.quiet, true);
        let ty = self.type_id(ty);
        self.refusals.quiet = before;
        Ok(self.undefined(ty?))
    }

    /// What else is refused in an expression that was refused as a whole.
    fn look_further(&mut self, expr: ExprId) {
        let (mut stack, mut operands) = (vec![expr], Vec::new());
        while let Some(expr) = stack.pop() {
            self.expr(expr).kind.operands(&mut operands);
            for operand in operands.drain(..) {
                match self.expr(operand).kind {
                    // Chains are as long as somebody has written them.
                    ExprKind::Binary { .. } | ExprKind::Comma { .. } => stack.push(operand),
                    ExprKind::FunctionName { .. } | ExprKind::String(_) => {}
                    _ if self.is_opaque(self.ty(operand)) => {}
                    _ => drop(self.value(operand)),
                }
            }
        }
    }

    fn value_here(&mut self, expr: ExprId) -> Emit<Word> {
        let e = self.expr(expr);
        if let Some(constant) = &e.constant
            && let Some(value) = self.constant_value(expr, constant)?
        {
            return Ok(value);
        }
        match &e.kind {
            ExprKind::Error => Err(self.inconsistent("an expression that was not understood")),
            ExprKind::Literal => Err(self.inconsistent("a literal without a value")),
            ExprKind::String(_) => Err(self.fail(
                "a string is no value in compiled shaders: only the format of `debugPrintfEXT` and parts of a message of `abortEXT` are strings",
            )),
            ExprKind::FunctionName { .. } => Err(self.inconsistent("a function's name is no value")),
            &ExprKind::Local(local) => {
                if let LocalSlot::Value(value) = *self.slot(local) {
                    return Ok(value);
                }
                let mut place = self.required_place(expr)?;
                self.load(&mut place)
            }
            &ExprKind::Global(id) => {
                if self.global(id).storage == Storage::Const {
                    return self.constant_global(id);
                }
                let mut place = self.global_place(id)?;
                self.load(&mut place)
            }
            &ExprKind::BuiltinVariable(id) => {
                if id == variables::GL_WORK_GROUP_SIZE {
                    return self.workgroup_size_vector();
                }
                if id == variables::GL_ENABLE_OPACITY_MICROMAP_EXT {
                    return self.opacity_micromaps();
                }
                if self.is_transposed(id, e.ty) {
                    return self.transposed_builtin(id, e.ty);
                }
                if let Some(mask) = self.converted_builtin(id, e.ty)? {
                    return Ok(mask);
                }
                let mut place = self.builtin_place(id, e.ty)?;
                self.load(&mut place)
            }
            ExprKind::BuiltinConstant(_) => Err(self.inconsistent("a built-in constant without a value")),
            ExprKind::BlockMember(..) => {
                let mut place = self.required_place(expr)?;
                self.load(&mut place)
            }
            &ExprKind::Member { base, member, .. } => {
                if let Some(mut place) = self.place(expr)? {
                    return self.load(&mut place);
                }
                let composite = self.value(base)?;
                let ty = self.type_id(e.ty)?;
                Ok(self.extract(ty, composite, member))
            }
            &ExprKind::Swizzle { base, components } => {
                if let Some(mut place) = self.place(expr)? {
                    return self.load(&mut place);
                }
                let vector = self.value(base)?;
                self.shuffle(vector, self.ty(base), components)
            }
            &ExprKind::Index { base, index } => self.index_value(expr, base, index),
            ExprKind::Unary { op, operand } => self.unary(*op, *operand, e.ty),
            ExprKind::IncDec { op, operand } => self.increment(*op, *operand),
            ExprKind::Binary { .. } => self.binary_chain(expr),
            ExprKind::Assign { op, target, value } => self.assign(*op, *target, *value),
            &ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(condition, then, otherwise, e.ty)
            }
            ExprKind::Comma { .. } => self.comma_chain(expr),
            ExprKind::Call { callee, arguments } => match callee {
                Callee::Function(function) => self.call_function(*function, arguments, e.ty),
                Callee::Builtin(function) => self.call_builtin(*function, arguments, e.ty, e.range),
            },
            ExprKind::Construct { arguments } => self.construct(arguments, e.ty),
            ExprKind::InitializerList { elements } => self.initializer_list(elements, e.ty),
            &ExprKind::Convert { operand } => self.convert(operand, e.ty),
            &ExprKind::Length { base } => self.length(base, e.ty),
        }
    }

    /// The value of a constant expression; `None` where it is computed at run time.
    fn constant_value(&mut self, expr: ExprId, constant: &'a Const) -> Emit<Option<Word>> {
        // The value of a table is remembered with it: making it anew takes long.
        if let ExprKind::Global(id) = self.expr(expr).kind
            && matches!(constant, Const::Composite(_))
            && self.global(id).storage == Storage::Const
        {
            return self.constant_global(id).map(Some);
        }
        if let Some(value) = self.constant(constant, self.ty(expr))? {
            return Ok(Some(value));
        }
        if constant.is_specialization() {
            // How many elements of a matrix an invocation has is asked at run time, where no constant is needed.
            if let ExprKind::Length { base } = self.expr(expr).kind
                && matches!(self.types.kind(self.ty(base)), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
            {
                return Ok(None);
            }
            return self.spec_value(expr);
        }
        Ok(None)
    }

    /// `a, b, c` nests to the left, however long it is.
    fn comma_chain(&mut self, expr: ExprId) -> Emit<Word> {
        let mut rights = Vec::new();
        let mut at = expr;
        while let ExprKind::Comma { left, right } = self.expr(at).kind {
            rights.push(right);
            at = left;
        }
        let last = rights.first().copied();
        self.discard_value(at)?;
        while let Some(right) = rights.pop() {
            if !rights.is_empty() {
                self.discard_value(right)?;
            }
        }
        match last {
            Some(last) => self.value(last),
            None => Err(self.inconsistent("a comma without operands")),
        }
    }

    /// An expression for its effects alone.
    pub fn discard_value(&mut self, expr: ExprId) -> Emit<()> {
        // A string (GL_EXT_debug_printf) does nothing either, unlike the call that it was meant for.
        if self.expr(expr).constant.is_some() || matches!(self.expr(expr).kind, ExprKind::String(_)) {
            return Ok(());
        }
        if let ExprKind::Comma { .. } = self.expr(expr).kind {
            let mut operands = Vec::new();
            let mut at = expr;
            while let ExprKind::Comma { left, right } = self.expr(at).kind {
                operands.push(right);
                at = left;
            }
            operands.push(at);
            return operands.into_iter().rev().try_for_each(|operand| self.discard_value(operand));
        }
        // An index on the way to it may have effects.
        if self.is_block_or_open(self.ty(expr)) && self.place(expr)?.is_some() {
            return Ok(());
        }
        self.value(expr).map(|_| ())
    }

    fn index_value(&mut self, expr: ExprId, base: ExprId, index: ExprId) -> Emit<Word> {
        let e = self.expr(expr);
        let base_ty = self.ty(base);
        if let TypeKind::Reference(structure) = *self.types.kind(base_ty) {
            let address = self.value(base)?;
            let steps = self.value(index)?;
            return self.step_address(address, structure, steps, self.ty(index), false, e.ty);
        }
        if let Some(mut place) = self.place(expr)? {
            return self.load(&mut place);
        }
        let composite = self.value(base)?;
        let ty = self.type_id(e.ty)?;
        if let Some(known) = self.expr(index).constant.as_ref().and_then(Const::as_int) {
            let known = u32::try_from(known).unwrap_or(u32::MAX);
            return Ok(self.extract(ty, composite, known));
        }
        let index_value = self.value(index)?;
        if matches!(
            self.types.kind(base_ty),
            TypeKind::Vector(..) | TypeKind::LongVector(..) | TypeKind::CoopVec(..)
        ) {
            return Ok(self.b.value(Op::VectorExtractDynamic, ty, &[composite, index_value]));
        }
        let mut place = self.temporary(base_ty, Some(composite))?;
        self.select_index(&mut place, base_ty, index_value, e.ty)?;
        self.load(&mut place)
    }

    fn initializer_list(&mut self, elements: &[ExprId], ty: Ty) -> Emit<Word> {
        let id = self.type_id(ty)?;
        if elements.is_empty() {
            return Ok(self.null_constant(id));
        }
        if let (&[element], Some(_)) = (elements, self.types.as_scalar(ty)) {
            return self.value(element);
        }
        let mut parts = Vec::with_capacity(elements.len());
        for &element in elements {
            parts.push(self.value(element)?);
        }
        Ok(self.b.value(Op::CompositeConstruct, id, &parts))
    }

    /// `.length()`
    fn length(&mut self, base: ExprId, ty: Ty) -> Emit<Word> {
        let int = self.type_id(ty)?;
        let long = self.types.as_scalar(ty).is_some_and(|scalar| scalar.bits() == 64);
        let mut uint = self.uint_type();
        let length = match *self.types.kind(self.ty(base)) {
            TypeKind::Array(_, ArrayLength::Unsized) if let Some(length) = self.interface_length(base) => {
                self.uint_constant(length)
            }
            TypeKind::Array(_, ArrayLength::Unsized) => {
                let (member, parent_ty) = match self.expr(base).kind {
                    ExprKind::BlockMember(global, member) => (member, self.global(global).ty),
                    ExprKind::Member { base, member, .. } => (member, self.ty(base)),
                    _ => return Err(self.fail("the length of this array is not known")),
                };
                let place = self.required_place(base)?;
                let pointer = self.pointer_to_block(&place, parent_ty)?;
                let operands = vec![Operand::IdRef(pointer), Operand::LiteralBit32(member)];
                if long {
                    self.long_indices();
                    uint = self.scalar_type(Scalar::Uint64);
                    let length = self.b.value_with(Op::ArrayLength, uint, operands);
                    return Ok(self.b.value(Op::Bitcast, int, &[length]));
                }
                self.b.value_with(Op::ArrayLength, uint, operands)
            }
            TypeKind::Coopmat(_) => {
                let matrix = self.type_id(self.ty(base))?;
                self.b.value(Op::CooperativeMatrixLengthKHR, uint, &[matrix])
            }
            TypeKind::CoopmatNv(_) => {
                let matrix = self.type_id(self.ty(base))?;
                self.b.value(Op::CooperativeMatrixLengthNV, uint, &[matrix])
            }
            TypeKind::Array(_, ArrayLength::Sized(length))
            | TypeKind::LongVector(_, length)
            | TypeKind::CoopVec(_, length) => self.size_id(length)?,
            _ => return Err(self.inconsistent("the length of what has none")),
        };
        if long {
            uint = self.scalar_type(Scalar::Uint64);
            let length = self.b.value(Op::UConvert, uint, &[length]);
            return Ok(self.b.value(Op::Bitcast, int, &[length]));
        }
        Ok(self.b.value(Op::Bitcast, int, &[length]))
    }
}
