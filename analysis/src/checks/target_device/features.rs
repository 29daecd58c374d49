//! Features of Vulkan that a shader needs to have enabled (VUID-VkShaderModuleCreateInfo-pCode-08740): one for each capability of the
//! SPIR-V that it becomes.
//!
//! Only what is certain is asked for: where a compiler has a choice, as with 16-bit values that are converted while they are
//! loaded, nothing is.

use super::{Judge, Obstacle, Place};
use crate::diagnostics::codes;
use crate::extensions::{self, Rule};
use crate::hir::{Body, Callee, Definition, ExprKind, Storage, StructId, StructKind};
use crate::text::TextRange;
use crate::types::{Scalar, Ty, TypeKind};

/// A feature, what needs it, and where.
struct Need {
    feature: &'static str,
    why: &'static str,
    range: TextRange,
    place: Place,
}

/// Needs in the order in which they were found, each once.
#[derive(Default)]
struct Needs {
    list: Vec<Need>,
}

impl Needs {
    fn add(&mut self, feature: &'static str, why: &'static str, range: TextRange, place: Place) {
        if !self.list.iter().any(|need| need.feature == feature) {
            self.list.push(Need { feature, why, range, place });
        }
    }
}

/// How values of a type are used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// In registers, in variables of a function or of shared memory.
    Value,
    /// In a matrix.
    Matrix,
    StorageBuffer,
    UniformBuffer,
    PushConstant,
}

/// Bounds the nesting of types.
const MAX_DEPTH: u32 = 32;

impl Judge<'_> {
    pub(super) fn features(&mut self) {
        let mut needs = Needs::default();
        self.globals(&mut needs);
        for (body, base, function) in self.module.bodies() {
            let place = Place { base, function };
            self.body_needs(body, place, &mut needs);
        }
        let mut unknown = Vec::new();
        for need in needs.list {
            match self.profile.feature(need.feature) {
                Some(true) => {}
                None => unknown.push(need.feature),
                Some(false) => {
                    let message = format!(
                        "{} does not have the feature `{}`, which {} need",
                        self.device(),
                        need.feature,
                        need.why
                    );
                    let Place { base, function } = need.place;
                    self.report(Obstacle {
                        code: &codes::DEVICE_FEATURE,
                        range: need.range,
                        base,
                        function,
                        message,
                        alternatives: None,
                        nearest: None,
                        defaults: Vec::new(),
                    });
                }
            }
        }
        match unknown.as_slice() {
            [] => {}
            [feature] => self.unknown(&format!("whether it has the feature {feature}")),
            features => self.unknown(&format!("whether it has the features {}", features.join(", "))),
        }
    }

    fn globals(&self, needs: &mut Needs) {
        for (_, global) in self.module.globals.iter() {
            let used = match global.storage {
                Storage::Private | Storage::Const | Storage::Shared => Use::Value,
                Storage::Buffer => Use::StorageBuffer,
                Storage::Uniform => Use::UniformBuffer,
                Storage::PushConstant => Use::PushConstant,
                Storage::In | Storage::Out | Storage::Other => continue,
            };
            let range = if global.name.is_empty() { global.range } else { global.name_range };
            if global.storage == Storage::Shared && self.is_shared_block(global.ty) {
                let why = "blocks in shared memory";
                needs.add("workgroupMemoryExplicitLayout", why, range, Place::TOP);
                continue;
            }
            // A specialization constant or a constant of a table is folded where it is used.
            if global.storage != Storage::Const {
                self.type_needs(global.ty, used, range, Place::TOP, needs);
            }
        }
        for (_, structure) in self.module.structs.iter() {
            if let StructKind::Reference { .. } = structure.kind
                && structure.owner.is_none()
            {
                let range = structure.name_range;
                needs.add("bufferDeviceAddress", "buffer references", range, Place::TOP);
                for member in &structure.members {
                    self.type_needs(member.ty, Use::StorageBuffer, range, Place::TOP, needs);
                }
            }
        }
    }

    fn is_shared_block(&self, ty: Ty) -> bool {
        matches!(*self.module.types.kind(ty), TypeKind::Struct(structure)
            if matches!(self.module.structs[structure].kind, StructKind::Block { .. }))
    }

    fn body_needs(&self, body: &Body, place: Place, needs: &mut Needs) {
        for name in &body.names {
            if let Definition::Type(ty) = name.definition
                && let TypeKind::Coopmat(matrix) = *self.module.types.kind(ty)
            {
                needs.add("cooperativeMatrix", "matrices", name.range, place);
                needs.add("vulkanMemoryModel", "matrices", name.range, place);
                scalar_needs(matrix.component, Use::Matrix, name.range, place, needs);
            }
        }
        for (_, local) in body.locals.iter() {
            self.type_needs(local.ty, Use::Value, local.name_range, place, needs);
        }
        for (_, expr) in body.exprs.iter() {
            match &expr.kind {
                ExprKind::Construct { arguments } => {
                    self.type_needs(expr.ty, Use::Value, expr.range, place, needs);
                    let types = &self.module.types;
                    if let (Some(to), [argument]) = (types.as_coopmat(expr.ty), arguments.as_slice())
                        && let Some(from) = types.as_coopmat(body.exprs[*argument].ty)
                        && from.usage != to.usage
                    {
                        let why = "conversions between the uses of matrices";
                        needs.add("cooperativeMatrixConversions", why, expr.range, place);
                    }
                }
                ExprKind::Binary { .. } | ExprKind::Unary { .. } => {
                    self.type_needs(expr.ty, Use::Value, expr.range, place, needs);
                }
                ExprKind::Call { callee: Callee::Builtin(id), arguments } => {
                    let functions = arguments
                        .iter()
                        .filter(|argument| body.exprs[**argument].ty == Ty::FUNCTION_NAME)
                        .count();
                    for (feature, why) in rule_needs(extensions::function(*id).rule, functions) {
                        needs.add(feature, why, expr.range, place);
                    }
                }
                _ => {}
            }
        }
    }

    fn type_needs(&self, ty: Ty, used: Use, range: TextRange, place: Place, needs: &mut Needs) {
        self.type_at(ty, used, &mut Vec::new(), MAX_DEPTH, &mut |scalar, used| {
            scalar_needs(scalar, used, range, place, needs);
        });
    }

    /// Every component type inside a type.
    fn type_at(
        &self,
        ty: Ty,
        used: Use,
        seen: &mut Vec<StructId>,
        depth: u32,
        visit: &mut dyn FnMut(Scalar, Use),
    ) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match *self.module.types.kind(ty) {
            TypeKind::Scalar(scalar) | TypeKind::Vector(scalar, _) | TypeKind::LongVector(scalar, _) => {
                visit(scalar, used);
            }
            TypeKind::Matrix { component, .. } => visit(component, used),
            TypeKind::Coopmat(matrix) => visit(matrix.component, Use::Matrix),
            TypeKind::Array(element, _) => self.type_at(element, used, seen, depth, visit),
            TypeKind::Struct(structure) => {
                if !seen.contains(&structure) {
                    seen.push(structure);
                    for member in &self.module.structs[structure].members {
                        self.type_at(member.ty, used, seen, depth, visit);
                    }
                }
            }
            // What a reference points at is a block of its own.
            TypeKind::Reference(_)
            | TypeKind::Error
            | TypeKind::Void
            | TypeKind::Opaque(_)
            | TypeKind::CoopmatNv(_)
            | TypeKind::TensorLayout { .. }
            | TypeKind::TensorView { .. }
            | TypeKind::FunctionName
            | TypeKind::String
            | TypeKind::NotAnalysed(_) => {}
        }
    }
}

fn scalar_needs(scalar: Scalar, used: Use, range: TextRange, place: Place, needs: &mut Needs) {
    let mut add = |feature: &'static str, why: &'static str| needs.add(feature, why, range, place);
    let in_registers = matches!(used, Use::Value | Use::Matrix);
    match scalar {
        Scalar::Float16 if in_registers => add("shaderFloat16", "values of float16_t"),
        Scalar::Int16 | Scalar::Uint16 if in_registers => add("shaderInt16", "16-bit integers"),
        Scalar::Int8 | Scalar::Uint8 if in_registers => add("shaderInt8", "8-bit integers"),
        Scalar::Float64 => add("shaderFloat64", "values of double"),
        Scalar::Int64 | Scalar::Uint64 => add("shaderInt64", "64-bit integers"),
        Scalar::BFloat16 => {
            add("shaderBFloat16Type", "values of bfloat16_t");
            if used == Use::Matrix {
                add("shaderBFloat16CooperativeMatrix", "matrices of bfloat16_t");
            }
        }
        Scalar::FloatE4M3 | Scalar::FloatE5M2 => {
            add("shaderFloat8", "8-bit floating-point values");
            if used == Use::Matrix {
                add("shaderFloat8CooperativeMatrix", "matrices of 8-bit floating-point values");
            }
        }
        _ => {}
    }
    match (scalar.bits(), used) {
        (16, Use::StorageBuffer) => add("storageBuffer16BitAccess", "16-bit values in buffers"),
        (16, Use::UniformBuffer) => {
            add("uniformAndStorageBuffer16BitAccess", "16-bit values in uniform blocks");
        }
        (16, Use::PushConstant) => add("storagePushConstant16", "16-bit push constants"),
        (8, Use::StorageBuffer) => add("storageBuffer8BitAccess", "8-bit values in buffers"),
        (8, Use::UniformBuffer) => {
            add("uniformAndStorageBuffer8BitAccess", "8-bit values in uniform blocks");
        }
        (8, Use::PushConstant) => add("storagePushConstant8", "8-bit push constants"),
        _ => {}
    }
}

/// What calls of a rule's functions need; `functions` is how many functions are passed by name.
fn rule_needs(rule: Option<Rule>, functions: usize) -> Vec<(&'static str, &'static str)> {
    const TENSORS: (&str, &str) = ("cooperativeMatrixTensorAddressing", "tensor layouts and views");
    match rule {
        Some(Rule::CoopMatReduce) => vec![("cooperativeMatrixReductions", "reductions of matrices")],
        Some(Rule::CoopMatPerElement) => {
            vec![("cooperativeMatrixPerElementOperations", "functions of each element")]
        }
        Some(Rule::CoopMatTranspose) => vec![("cooperativeMatrixConversions", "transposed matrices")],
        Some(Rule::CoopMatLoadTensor) => {
            let mut needs = vec![TENSORS];
            if functions > 0 {
                needs.push(("cooperativeMatrixBlockLoads", "decode functions"));
            }
            if functions > 1 {
                needs.push(("cooperativeMatrixDecodeVector", "decode functions of vectors"));
            }
            needs
        }
        Some(Rule::CoopMatStoreTensor) => vec![TENSORS],
        Some(
            Rule::BitcastQcom
            | Rule::ExtractSubArrayQcom
            | Rule::VectorToCoopmatQcom
            | Rule::CoopmatToVectorQcom,
        ) => vec![("cooperativeMatrixConversion", "conversions between arrays and matrices")],
        Some(
            Rule::CoopMatLoad
            | Rule::CoopMatStore
            | Rule::CoopMatMulAdd
            | Rule::CreateTensorLayout
            | Rule::CreateTensorView
            | Rule::SetTensorLayout
            | Rule::SetTensorView
            | Rule::CoopMatLoadNv
            | Rule::CoopMatStoreNv
            | Rule::CoopMatMulAddNv
            | Rule::Atomic
            | Rule::Barrier
            | Rule::Subgroup
            | Rule::DebugPrintf
            | Rule::Convert
            | Rule::NotAnalysed,
        )
        | None => Vec::new(),
    }
}
