//! Calls of the shader's own functions, and of SPIR-V instructions that it declares.

use coopmat_analysis::hir::spirv::SpirvInstruction;
use coopmat_analysis::hir::{Direction, ExprId, ExprKind, FunctionId, LocalId};
use coopmat_analysis::types::{Ty, TypeKind};
use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass, Word};
use smallvec::SmallVec;

use crate::codegen::{Codegen, Emit};
use crate::functions::ParameterKind;
use crate::places::Place;

/// What is written back after a call.
struct Copied {
    target: Place,
    target_ty: Ty,
    temporary: Place,
    parameter_ty: Ty,
}

impl<'a> Codegen<'a> {
    pub fn call_function(&mut self, function: FunctionId, arguments: &[ExprId], ty: Ty) -> Emit<Word> {
        let declared = &self.hir.functions[function];
        if let Some(instruction) = &declared.spirv_instruction {
            return self.call_instruction(function, instruction, arguments, ty);
        }
        if declared.body.is_none() {
            return Err(self.fail(format!("the function `{}` has no body", declared.name)));
        }
        let callee = self.function_for(function, arguments)?;
        let mut operands: SmallVec<[Word; 8]> = SmallVec::new();
        operands.push(callee);
        let mut copied: Vec<Copied> = Vec::new();
        for (index, (parameter, &argument)) in declared.parameters.iter().zip(arguments).enumerate() {
            match self.parameter_kind(function, index) {
                ParameterKind::Opaque => {
                    let mut place = self.required_place(argument)?;
                    if place.untyped || place.heap.is_some() {
                        return Err(self.fail(
                            "what is in a descriptor heap cannot be an argument in compiled shaders: pass its index",
                        ));
                    }
                    if place.class == StorageClass::TileAttachmentQCOM {
                        return Err(self.fail(
                            "an attachment of the tile cannot be an argument in compiled shaders: use it in the function itself",
                        ));
                    }
                    operands.push(self.pointer(&mut place)?);
                }
                ParameterKind::Value => operands.push(self.value(argument)?),
                ParameterKind::Pointer => {
                    let direct = self.passed_directly(index, arguments, parameter.ty);
                    if parameter.direction == Direction::In
                        && !matches!(self.expr(argument).kind, ExprKind::Local(_))
                    {
                        let value = self.value(argument)?;
                        operands.push(self.temporary(parameter.ty, Some(value))?.base);
                        continue;
                    }
                    let Some(mut target) = self.place(argument)? else {
                        let value = self.value(argument)?;
                        operands.push(self.temporary(parameter.ty, Some(value))?.base);
                        continue;
                    };
                    let copied_in =
                        parameter.direction == Direction::In && self.parameter_is_written(function, index);
                    if direct && !copied_in && target.is_whole() && target.class == StorageClass::Function {
                        operands.push(target.base);
                        continue;
                    }
                    let target_ty = self.ty(argument);
                    let initial = match parameter.direction {
                        Direction::Out => None,
                        Direction::In | Direction::InOut => {
                            let value = self.load(&mut target)?;
                            Some(self.convert_value(value, target_ty, parameter.ty)?)
                        }
                    };
                    let temporary = self.temporary(parameter.ty, initial)?;
                    operands.push(temporary.base);
                    if parameter.direction != Direction::In {
                        copied.push(Copied { target, target_ty, temporary, parameter_ty: parameter.ty });
                    }
                }
            }
        }
        let result = self.type_id(ty)?;
        let value = self.b.value(Op::FunctionCall, result, &operands);
        for mut back in copied {
            let changed = self.load(&mut back.temporary)?;
            let changed = self.convert_value(changed, back.parameter_ty, back.target_ty)?;
            self.store(&mut back.target, changed)?;
        }
        Ok(value)
    }

    /// Whether a local variable can be handed to an `out` or `inout` parameter itself: nothing else of the call may touch it.
    fn passed_directly(&self, index: usize, arguments: &[ExprId], ty: Ty) -> bool {
        let Some(&argument) = arguments.get(index) else { return false };
        let ExprKind::Local(local) = self.expr(argument).kind else { return false };
        self.ty(argument) == ty
            && arguments.iter().enumerate().all(|(other, &expr)| {
                other == index || (self.is_cheap(expr, 16) || !self.mentions(expr, local, 0))
            })
            && arguments.iter().enumerate().all(|(other, &expr)| {
                other == index || !matches!(self.expr(expr).kind, ExprKind::Local(same) if same == local)
            })
    }

    /// Whether an expression names a local variable.
    fn mentions(&self, expr: ExprId, local: LocalId, depth: u32) -> bool {
        if depth > 64 {
            return true;
        }
        let kind = &self.expr(expr).kind;
        let mut operands = Vec::new();
        kind.operands(&mut operands);
        matches!(kind, ExprKind::Local(named) if *named == local)
            || operands.iter().any(|&part| self.mentions(part, local, depth + 1))
    }

    /// `spirv_instruction(...)`: the arguments are the operands.
    fn call_instruction(
        &mut self,
        function: FunctionId,
        instruction: &'a SpirvInstruction,
        arguments: &[ExprId],
        ty: Ty,
    ) -> Emit<Word> {
        let Some(number) = instruction.id else {
            return Err(self.fail("`spirv_instruction` needs the number of the instruction: `id = N`"));
        };
        self.spirv_requirements(&instruction.requirements);
        let declared = &self.hir.functions[function];
        let mut operands = Vec::with_capacity(arguments.len() + 2);
        if let Some(set) = &instruction.set {
            let set = self.b.named_ext_set(set);
            operands.extend([Operand::IdRef(set), Operand::LiteralExtInstInteger(number)]);
        }
        for (parameter, &argument) in declared.parameters.iter().zip(arguments) {
            if parameter.spirv_literal {
                let Some(constant) = self.expr(argument).constant.as_ref() else {
                    return Err(self.fail("a `spirv_literal` argument must be constant"));
                };
                let Some(literal) = crate::constants::literal(constant, self.types.as_scalar(parameter.ty))
                else {
                    return Err(self.fail("this constant cannot be a literal of an instruction"));
                };
                operands.push(literal);
            } else if parameter.spirv_by_reference || parameter.direction != Direction::In {
                let mut place = self.required_place(argument)?;
                operands.push(Operand::IdRef(self.pointer(&mut place)?));
            } else {
                operands.push(Operand::IdRef(self.value(argument)?));
            }
        }
        if instruction.set.is_some() {
            let result = self.type_id(ty)?;
            return Ok(self.b.value_with(Op::ExtInst, result, operands));
        }
        let result = if ty == Ty::VOID { None } else { Some(self.type_id(ty)?) };
        match u16::try_from(number).ok().and_then(|number| self.b.by_number(number, result, operands)) {
            Some(value) => Ok(value),
            None => Err(self.fail(format!("the instruction {number} cannot be written"))),
        }
    }

    /// The function that an argument of a built-in names, compiled.
    pub fn named_function(&mut self, argument: ExprId) -> Emit<(Word, FunctionId)> {
        match self.expr(argument).kind {
            ExprKind::FunctionName { function: Some(function), .. } => {
                let id = self.function_for(function, &[])?;
                Ok((id, function))
            }
            _ => Err(self.inconsistent("a function's name is needed here")),
        }
    }

    /// Whether values of a type are variables that are handed over as such.
    pub fn is_opaque(&self, mut ty: Ty) -> bool {
        loop {
            match *self.types.kind(ty) {
                TypeKind::Array(element, _) => ty = element,
                TypeKind::Opaque(_) => return true,
                _ => return false,
            }
        }
    }
}
