//! Images, textures and samplers (GLSL 4.60 sections 8.9 and 8.12).
//!
//! Arguments are found by the names that the tables give the parameters. A compute shader has no derivatives of its own, so a lookup
//! without a level of detail takes level 0.

use coopmat_analysis::extensions::ids;
use coopmat_analysis::hir::{ExprId, ExprKind};
use coopmat_analysis::types::{ImageDim, Opaque, OpaqueClass, Scalar, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{ImageFormat, ImageOperands, StorageClass, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::places::Access;
use crate::target::SpirvVersion;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    if call.op == Some(Opcode::ImageSparseTexelsResident) {
        codegen.b.capability(Capability::SparseResidency);
        let code = codegen.argument_values(call.arguments)?;
        let ty = codegen.type_id(call.ty)?;
        return Ok(codegen.b.value(Opcode::ImageSparseTexelsResident, ty, &code));
    }
    let Some(&image) = call.arguments.first() else { return Err(codegen.unsupported_builtin(call)) };
    let TypeKind::Opaque(opaque) = *codegen.types.kind(codegen.ty(image)) else {
        return Err(codegen.unsupported_builtin(call));
    };
    match call.op {
        Some(Opcode::ImageRead) if opaque.class == OpaqueClass::SubpassInput => subpass(codegen, call),
        Some(Opcode::ImageRead | Opcode::ImageSparseRead) => load(codegen, call, opaque),
        Some(Opcode::ImageWrite) => store(codegen, call),
        Some(Opcode::ImageQueryLod) => query_level(codegen, call),
        Some(
            op @ (Opcode::ImageQuerySize
            | Opcode::ImageQuerySizeLod
            | Opcode::ImageQuerySamples
            | Opcode::ImageQueryLevels),
        ) => query(codegen, call, op, opaque),
        Some(Opcode::ImageFetch | Opcode::ImageSparseFetch) => fetch(codegen, call, opaque),
        Some(Opcode::ImageGather | Opcode::ImageSparseGather) => gather(codegen, call, opaque),
        Some(op @ (Opcode::FragmentMaskFetchAMD | Opcode::FragmentFetchAMD)) => {
            fragments(codegen, call, op, opaque)
        }
        Some(
            Opcode::ImageSparseSampleImplicitLod
            | Opcode::ImageSparseSampleExplicitLod
            | Opcode::ImageSampleImplicitLod
            | Opcode::ImageSampleExplicitLod
            | Opcode::ImageSampleDrefImplicitLod
            | Opcode::ImageSampleDrefExplicitLod,
        ) => sample(codegen, call, opaque, false),
        Some(
            Opcode::ImageSampleProjImplicitLod
            | Opcode::ImageSampleProjExplicitLod
            | Opcode::ImageSampleProjDrefImplicitLod
            | Opcode::ImageSampleProjDrefExplicitLod,
        ) => sample(codegen, call, opaque, true),
        _ => Err(codegen.unsupported_builtin(call)),
    }
}

impl BuiltinCall<'_> {
    /// The argument for a parameter of this name, where it is given.
    pub(super) fn named(&self, name: &str) -> Option<ExprId> {
        let index = self.function.parameters.iter().position(|parameter| parameter.name == name)?;
        self.argument(index)
    }
}

/// How many arguments of an image function say which texel: the image, the coordinate, and the sample of a multisampled one.
pub(super) fn coordinate_count(codegen: &Codegen<'_>, call: &BuiltinCall<'_>) -> usize {
    let multisampled = call.arguments.first().is_some_and(
        |&image| matches!(codegen.types.kind(codegen.ty(image)), TypeKind::Opaque(opaque) if opaque.multisampled),
    );
    if multisampled { 3 } else { 2 }
}

/// Image operands: the mask, then the operands in the order of the mask's bits.
pub(super) struct Extras {
    mask: ImageOperands,
    operands: Vec<(u32, Word)>,
}

impl Extras {
    pub(super) fn new() -> Extras {
        Extras { mask: ImageOperands::NONE, operands: Vec::new() }
    }

    pub(super) fn add(&mut self, bit: ImageOperands, operands: &[Word]) {
        self.mask |= bit;
        self.operands.extend(operands.iter().map(|&operand| (bit.bits(), operand)));
    }

    pub(super) fn append(mut self, to: &mut Vec<Operand>) {
        if self.mask == ImageOperands::NONE {
            return;
        }
        self.operands.sort_by_key(|&(bit, _)| bit);
        to.push(Operand::ImageOperands(self.mask));
        to.extend(self.operands.into_iter().map(|(_, operand)| Operand::IdRef(operand)));
    }
}

/// What a lookup gives: a texel, or a code and the texel in an output parameter (GL_ARB_sparse_texture2).
fn give(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    opaque: Opaque,
    op: Opcode,
    operands: Vec<Operand>,
) -> Emit<Word> {
    let ty = codegen.type_id(call.ty)?;
    let Some(argument) = call.named("texel") else {
        return Ok(codegen.b.value_with(op, ty, operands));
    };
    let Some((_, op)) = SPARSE.iter().find(|(dense, _)| *dense == op) else {
        return Err(codegen.unsupported_builtin(call));
    };
    codegen.b.capability(Capability::SparseResidency);
    let one = opaque.shadow && *op != Opcode::ImageSparseDrefGather;
    let length = if one { 1 } else { 4 };
    let Some((scalar, _)) =
        codegen.types.as_vector(codegen.ty(argument)).filter(|(_, given)| *given == length)
    else {
        return Err(codegen.unsupported_builtin(call));
    };
    let texel_ty = codegen.vector_type(opaque.component, length);
    let both_ty = codegen.pair_type(ty, texel_ty);
    let both = codegen.b.value_with(*op, both_ty, operands);
    let texel = codegen.extract(texel_ty, both, 1);
    let texel = codegen.convert_scalars(texel, opaque.component, scalar, length)?;
    let mut place = codegen.required_place(argument)?;
    codegen.store(&mut place, texel)?;
    Ok(codegen.extract(ty, both, 0))
}

/// Lookups, and those that also say whether texels are resident.
const SPARSE: [(Opcode, Opcode); 8] = [
    (Opcode::ImageRead, Opcode::ImageSparseRead),
    (Opcode::ImageFetch, Opcode::ImageSparseFetch),
    (Opcode::ImageGather, Opcode::ImageSparseGather),
    (Opcode::ImageDrefGather, Opcode::ImageSparseDrefGather),
    (Opcode::ImageSampleImplicitLod, Opcode::ImageSparseSampleImplicitLod),
    (Opcode::ImageSampleExplicitLod, Opcode::ImageSparseSampleExplicitLod),
    (Opcode::ImageSampleDrefImplicitLod, Opcode::ImageSparseSampleDrefImplicitLod),
    (Opcode::ImageSampleDrefExplicitLod, Opcode::ImageSparseSampleDrefExplicitLod),
];

fn load(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, opaque: Opaque) -> Emit<Word> {
    let (image, access) = storage_image(codegen, call)?;
    if access.format == ImageFormat::Unknown {
        codegen.b.capability(Capability::StorageImageReadWithoutFormat);
    }
    let mut operands = texel(codegen, call, image)?;
    let mut extras = extras_of_sample(codegen, call)?;
    add_level_of_image(codegen, call, &mut extras)?;
    add_coherence(codegen, &access, false, &mut extras)?;
    extras.append(&mut operands);
    give(codegen, call, opaque, Opcode::ImageRead, operands)
}

/// `lod` of GL_AMD_shader_image_load_store_lod.
fn add_level_of_image(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, extras: &mut Extras) -> Emit<()> {
    if let Some(level) = call.named("lod") {
        codegen.require_capability(rspirv::spirv::Capability::ImageReadWriteLodAMD);
        extras.add(ImageOperands::LOD, &[codegen.value(level)?]);
    }
    Ok(())
}

/// `subpassLoad`: the coordinate counts from the fragment's own place.
fn subpass(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let image = codegen.value(call.arguments[0])?;
    let mut operands = vec![Operand::IdRef(image), Operand::IdRef(own_place(codegen))];
    extras_of_sample(codegen, call)?.append(&mut operands);
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value_with(Opcode::ImageRead, ty, operands))
}

/// GL_AMD_shader_fragment_mask: which fragments the samples of a texel have, and one of them.
fn fragments(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode, opaque: Opaque) -> Emit<Word> {
    codegen.require_opcode(op);
    let image = bare_image(codegen, call, opaque)?;
    let mut operands = match opaque.class {
        OpaqueClass::SubpassInput => vec![Operand::IdRef(image), Operand::IdRef(own_place(codegen))],
        _ => texel(codegen, call, image)?,
    };
    if let Some(index) = call.named("fragmentIndex") {
        operands.push(Operand::IdRef(codegen.value(index)?));
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value_with(op, ty, operands))
}

/// The coordinate of an input attachment at the fragment's own place.
fn own_place(codegen: &mut Codegen<'_>) -> Word {
    let zero = codegen.int_constant(0);
    codegen.splat_constant(Scalar::Int32, 2, zero)
}

fn store(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (image, access) = storage_image(codegen, call)?;
    if access.format == ImageFormat::Unknown {
        codegen.b.capability(Capability::StorageImageWriteWithoutFormat);
    }
    let mut operands = texel(codegen, call, image)?;
    let Some(data) = call.named("data") else { return Err(codegen.unsupported_builtin(call)) };
    operands.push(Operand::IdRef(codegen.value(data)?));
    let mut extras = extras_of_sample(codegen, call)?;
    add_level_of_image(codegen, call, &mut extras)?;
    add_coherence(codegen, &access, true, &mut extras)?;
    extras.append(&mut operands);
    codegen.b.effect_with(Opcode::ImageWrite, operands);
    Ok(0)
}

fn storage_image(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<(Word, Access)> {
    let mut place = codegen.required_place(call.arguments[0])?;
    let access = place.access;
    Ok((codegen.load(&mut place)?, access))
}

/// What `nontemporal` images say of each texel, and `coherent` and `volatile` ones in the Vulkan memory model; elsewhere the variable is
/// decorated.
fn add_coherence(codegen: &mut Codegen<'_>, access: &Access, store: bool, extras: &mut Extras) -> Emit<()> {
    if access.nontemporal {
        codegen.needs_version(SpirvVersion::V1_6, "a `nontemporal` access of an image")?;
        extras.add(ImageOperands::NONTEMPORAL, &[]);
    }
    if !codegen.vulkan_memory_model {
        return Ok(());
    }
    if access.volatile {
        extras.add(ImageOperands::VOLATILE_TEXEL, &[]);
    }
    match codegen.coherent_scope(access, StorageClass::UniformConstant) {
        Some(scope) => {
            let scope = codegen.uint_constant(scope as u32);
            extras.add(ImageOperands::NON_PRIVATE_TEXEL, &[]);
            extras.add(
                match store {
                    true => ImageOperands::MAKE_TEXEL_AVAILABLE,
                    false => ImageOperands::MAKE_TEXEL_VISIBLE,
                },
                &[scope],
            );
        }
        None if access.coherent => extras.add(ImageOperands::NON_PRIVATE_TEXEL, &[]),
        None => {}
    }
    Ok(())
}

/// GL_KHR_memory_scope_semantics: texels of a `nonprivate` texture may be written by others, and barriers put that in order.
fn add_privacy(codegen: &Codegen<'_>, call: &BuiltinCall<'_>, extras: &mut Extras) {
    if !codegen.vulkan_memory_model {
        return;
    }
    let mut texture = call.arguments[0];
    while let ExprKind::Index { base, .. } = codegen.expr(texture).kind {
        texture = base;
    }
    if matches!(codegen.expr(texture).kind, ExprKind::Global(id) if codegen.global(id).memory.coherent) {
        extras.add(ImageOperands::NON_PRIVATE_TEXEL, &[]);
    }
}

fn texel(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, image: Word) -> Emit<Vec<Operand>> {
    let Some(coordinate) = call.named("P") else { return Err(codegen.unsupported_builtin(call)) };
    let coordinate = codegen.value(coordinate)?;
    Ok(vec![Operand::IdRef(image), Operand::IdRef(coordinate)])
}

fn extras_of_sample(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Extras> {
    let mut extras = Extras::new();
    if let Some(sample) = call.named("sample") {
        extras.add(ImageOperands::SAMPLE, &[codegen.value(sample)?]);
    }
    Ok(extras)
}

/// The image of a sampled image, which some instructions want without its sampler.
fn bare_image(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, opaque: Opaque) -> Emit<Word> {
    let value = codegen.value(call.arguments[0])?;
    if opaque.class != OpaqueClass::SampledImage || opaque.dim == ImageDim::Buffer {
        return Ok(value);
    }
    let image = Opaque { class: OpaqueClass::Texture, ..opaque };
    let ty = codegen.opaque_type(image, ImageFormat::Unknown)?;
    let image = codegen.b.value(Opcode::Image, ty, &[value]);
    codegen.b.inherit_nonuniform(image, &[value]);
    Ok(image)
}

fn query(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode, opaque: Opaque) -> Emit<Word> {
    codegen.b.capability(Capability::ImageQuery);
    let image = bare_image(codegen, call, opaque)?;
    let mut operands = vec![image];
    let op = match op {
        Opcode::ImageQueryLevels | Opcode::ImageQuerySamples => op,
        _ => match call.named("lod") {
            Some(level) => {
                operands.push(codegen.value(level)?);
                Opcode::ImageQuerySizeLod
            }
            // A texture that could have levels is asked about one.
            None if opaque.class != OpaqueClass::Image
                && !opaque.multisampled
                && !matches!(opaque.dim, ImageDim::Rect | ImageDim::Buffer) =>
            {
                operands.push(codegen.int_constant(0));
                Opcode::ImageQuerySizeLod
            }
            None => Opcode::ImageQuerySize,
        },
    };
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &operands))
}

fn fetch(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, opaque: Opaque) -> Emit<Word> {
    let image = bare_image(codegen, call, opaque)?;
    let mut operands = texel(codegen, call, image)?;
    let mut extras = extras_of_sample(codegen, call)?;
    if let Some(level) = call.named("lod") {
        extras.add(ImageOperands::LOD, &[codegen.value(level)?]);
    }
    add_offset(codegen, call, &mut extras)?;
    add_privacy(codegen, call, &mut extras);
    extras.append(&mut operands);
    give(codegen, call, opaque, Opcode::ImageFetch, operands)
}

fn add_offset(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, extras: &mut Extras) -> Emit<()> {
    if let Some(offset) = call.named("offset") {
        let value = codegen.value(offset)?;
        if codegen.expr(offset).constant.is_some() {
            extras.add(ImageOperands::CONST_OFFSET, &[value]);
        } else if !matches!(
            call.op,
            Some(Opcode::ImageGather | Opcode::ImageSparseGather | Opcode::ImageGatherQCOM)
        ) && !codegen.has_extension(ids::GL_EXT_TEXTURE_OFFSET_NON_CONST)
            && !codegen.has_extension(ids::GL_NV_GPU_SHADER5)
        {
            return Err(
                codegen.fail(format!("the offset of `{}` must be a constant expression", call.function.name))
            );
        } else {
            codegen.b.capability(Capability::ImageGatherExtended);
            extras.add(ImageOperands::OFFSET, &[value]);
        }
    }
    if let Some(offsets) = call.named("offsets") {
        codegen.b.capability(Capability::ImageGatherExtended);
        constant_argument(codegen, call, offsets, "the offsets")?;
        extras.add(ImageOperands::CONST_OFFSETS, &[codegen.value(offsets)?]);
    }
    Ok(())
}

fn gather(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, opaque: Opaque) -> Emit<Word> {
    if opaque.class != OpaqueClass::SampledImage {
        return Err(codegen.unsupported_builtin(call));
    }
    let op = if call.named("refZ").is_some() { Opcode::ImageDrefGather } else { Opcode::ImageGather };
    gather_with(codegen, call, opaque, op, &[])
}

/// A gather, with operands behind the component that no argument gives.
pub(super) fn gather_with(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    opaque: Opaque,
    op: Opcode,
    more: &[Operand],
) -> Emit<Word> {
    let sampled = codegen.value(call.arguments[0])?;
    let mut operands = texel(codegen, call, sampled)?;
    let selected = match (call.named("refZ"), call.named("comp")) {
        (Some(reference), _) => codegen.value(reference)?,
        (None, Some(component)) => {
            constant_argument(codegen, call, component, "the component")?;
            codegen.value(component)?
        }
        (None, None) => codegen.int_constant(0),
    };
    operands.push(Operand::IdRef(selected));
    operands.extend_from_slice(more);
    let mut extras = Extras::new();
    // GL_AMD_texture_gather_bias_lod.
    for (name, bit) in [("bias", ImageOperands::BIAS), ("lod", ImageOperands::LOD)] {
        if let Some(level) = call.named(name) {
            codegen.require_capability(rspirv::spirv::Capability::ImageGatherBiasLodAMD);
            extras.add(bit, &[codegen.value(level)?]);
        }
    }
    add_offset(codegen, call, &mut extras)?;
    add_privacy(codegen, call, &mut extras);
    extras.append(&mut operands);
    give(codegen, call, opaque, op, operands)
}

fn constant_argument(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    argument: ExprId,
    what: &str,
) -> Emit<()> {
    if codegen.expr(argument).constant.is_some() {
        return Ok(());
    }
    Err(codegen.fail(format!("{what} of `{}` must be a constant expression", call.function.name)))
}

/// `textureQueryLod`: the level that a lookup takes by its derivatives.
fn query_level(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    codegen.needs_derivatives(call.function.name)?;
    codegen.b.capability(Capability::ImageQuery);
    let sampled = codegen.value(call.arguments[0])?;
    let operands = texel(codegen, call, sampled)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value_with(Opcode::ImageQueryLod, ty, operands))
}

/// `texture` and its forms with a projection, a level, derivatives and offsets.
fn sample(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, opaque: Opaque, projected: bool) -> Emit<Word> {
    let (Some(coordinate), OpaqueClass::SampledImage) = (call.named("P"), opaque.class) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let sampled = codegen.value(call.arguments[0])?;
    let given = codegen.types.as_vector(codegen.ty(coordinate)).map_or(1, |(_, length)| length);
    let whole = codegen.value(coordinate)?;
    let needed = coordinates(opaque) + u32::from(projected);
    // The value to compare with stands behind the coordinates, and before the divisor of a projection.
    let reference = match call.named("compare") {
        Some(compare) => Some(codegen.value(compare)?),
        None if opaque.shadow => {
            let float = codegen.float_type();
            let at = if projected { given.saturating_sub(2) } else { given.saturating_sub(1) };
            Some(codegen.extract(float, whole, at))
        }
        None => None,
    };
    let mut parts: Vec<u32> = (0..coordinates(opaque)).collect();
    if projected {
        parts.push(given.saturating_sub(1));
    }
    let place = if needed == given { whole } else { components(codegen, whole, &parts) };
    // Invocations that are arranged in quads or rows have derivatives, from which the level follows.
    let chosen = call.named("lod").is_some() || call.named("dPdx").is_some();
    let implicit = !chosen && codegen.has_derivatives();
    let op = match (projected, reference.is_some()) {
        (false, false) if implicit => Opcode::ImageSampleImplicitLod,
        (false, true) if implicit => Opcode::ImageSampleDrefImplicitLod,
        (true, false) if implicit => Opcode::ImageSampleProjImplicitLod,
        (true, true) if implicit => Opcode::ImageSampleProjDrefImplicitLod,
        (false, false) => Opcode::ImageSampleExplicitLod,
        (false, true) => Opcode::ImageSampleDrefExplicitLod,
        (true, false) => Opcode::ImageSampleProjExplicitLod,
        (true, true) => Opcode::ImageSampleProjDrefExplicitLod,
    };
    let mut operands = vec![Operand::IdRef(sampled), Operand::IdRef(place)];
    operands.extend(reference.map(Operand::IdRef));
    let mut extras = Extras::new();
    match (call.named("dPdx"), call.named("dPdy"), call.named("lod")) {
        (Some(dx), Some(dy), _) => {
            let derivatives = [codegen.value(dx)?, codegen.value(dy)?];
            extras.add(ImageOperands::GRAD, &derivatives);
        }
        (_, _, Some(level)) => extras.add(ImageOperands::LOD, &[codegen.value(level)?]),
        _ if implicit => {
            codegen.needs_derivatives(call.function.name)?;
            if let Some(bias) = call.named("bias") {
                extras.add(ImageOperands::BIAS, &[codegen.value(bias)?]);
            }
        }
        // A lower bound is of a level that derivatives choose.
        _ if call.named("lodClamp").is_some() => codegen.needs_derivatives(call.function.name)?,
        _ => extras.add(ImageOperands::LOD, &[codegen.float_constant(Scalar::Float32, 0.0)]),
    }
    add_lower_bound(codegen, call, &mut extras)?;
    add_offset(codegen, call, &mut extras)?;
    add_privacy(codegen, call, &mut extras);
    extras.append(&mut operands);
    give(codegen, call, opaque, op, operands)
}

/// `lodClamp` of GL_ARB_sparse_texture_clamp and GL_NV_shader_texture_footprint.
pub(super) fn add_lower_bound(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    extras: &mut Extras,
) -> Emit<()> {
    if let Some(level) = call.named("lodClamp") {
        codegen.b.capability(Capability::MinLod);
        extras.add(ImageOperands::MIN_LOD, &[codegen.value(level)?]);
    }
    Ok(())
}

/// Components of a coordinate, with the layer of an array.
fn coordinates(opaque: Opaque) -> u32 {
    let plain = match opaque.dim {
        ImageDim::D1 | ImageDim::Buffer => 1,
        ImageDim::D2 | ImageDim::Rect | ImageDim::SubpassInput => 2,
        ImageDim::D3 | ImageDim::Cube => 3,
    };
    plain + u32::from(opaque.arrayed)
}

fn components(codegen: &mut Codegen<'_>, vector: Word, parts: &[u32]) -> Word {
    if let &[part] = parts {
        let float = codegen.float_type();
        return codegen.extract(float, vector, part);
    }
    let ty = codegen.vector_type(Scalar::Float32, parts.len() as u32);
    let mut operands = vec![Operand::IdRef(vector), Operand::IdRef(vector)];
    operands.extend(parts.iter().map(|&part| Operand::LiteralBit32(part)));
    codegen.b.value_with(Opcode::VectorShuffle, ty, operands)
}
