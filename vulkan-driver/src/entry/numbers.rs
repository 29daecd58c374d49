//! Properties about how numbers are computed with, as the profile lists them. The versions of Vulkan have them in structures of their own besides
//! those of the extensions, with members of the same names.

use ash::vk;
use coopmat_analysis::devices::Independence;

/// What Vulkan calls it. Nothing is required.
pub fn independence(known: Option<Independence>) -> vk::ShaderFloatControlsIndependence {
    let number = Independence::ALL.iter().position(|one| Some(*one) == known);
    number.map_or(vk::ShaderFloatControlsIndependence::NONE, |number| {
        vk::ShaderFloatControlsIndependence::from_raw(number as i32)
    })
}

/// Sets what `VkPhysicalDeviceFloatControlsProperties` has.
macro_rules! float_controls {
    ($out:expr, $facts:expr) => {{
        let (out, facts) = ($out, $facts);
        let has = |name: &str| vk::Bool32::from(facts.profile.property(name) == Some(true));
        let limits = &facts.profile.limits;
        out.denorm_behavior_independence = numbers::independence(limits.denorm_behavior_independence);
        out.rounding_mode_independence = numbers::independence(limits.rounding_mode_independence);
        out.shader_signed_zero_inf_nan_preserve_float16 = has("shaderSignedZeroInfNanPreserveFloat16");
        out.shader_signed_zero_inf_nan_preserve_float32 = has("shaderSignedZeroInfNanPreserveFloat32");
        out.shader_signed_zero_inf_nan_preserve_float64 = has("shaderSignedZeroInfNanPreserveFloat64");
        out.shader_denorm_preserve_float16 = has("shaderDenormPreserveFloat16");
        out.shader_denorm_preserve_float32 = has("shaderDenormPreserveFloat32");
        out.shader_denorm_preserve_float64 = has("shaderDenormPreserveFloat64");
        out.shader_denorm_flush_to_zero_float16 = has("shaderDenormFlushToZeroFloat16");
        out.shader_denorm_flush_to_zero_float32 = has("shaderDenormFlushToZeroFloat32");
        out.shader_denorm_flush_to_zero_float64 = has("shaderDenormFlushToZeroFloat64");
        out.shader_rounding_mode_rte_float16 = has("shaderRoundingModeRTEFloat16");
        out.shader_rounding_mode_rte_float32 = has("shaderRoundingModeRTEFloat32");
        out.shader_rounding_mode_rte_float64 = has("shaderRoundingModeRTEFloat64");
        out.shader_rounding_mode_rtz_float16 = has("shaderRoundingModeRTZFloat16");
        out.shader_rounding_mode_rtz_float32 = has("shaderRoundingModeRTZFloat32");
        out.shader_rounding_mode_rtz_float64 = has("shaderRoundingModeRTZFloat64");
    }};
}

/// Sets what `VkPhysicalDeviceShaderIntegerDotProductProperties` has.
macro_rules! dot_products {
    ($out:expr, $facts:expr) => {{
        let (out, facts) = ($out, $facts);
        let has = |name: &str| vk::Bool32::from(facts.profile.property(name) == Some(true));
        out.integer_dot_product8_bit_unsigned_accelerated = has("integerDotProduct8BitUnsignedAccelerated");
        out.integer_dot_product8_bit_signed_accelerated = has("integerDotProduct8BitSignedAccelerated");
        out.integer_dot_product8_bit_mixed_signedness_accelerated =
            has("integerDotProduct8BitMixedSignednessAccelerated");
        out.integer_dot_product4x8_bit_packed_unsigned_accelerated =
            has("integerDotProduct4x8BitPackedUnsignedAccelerated");
        out.integer_dot_product4x8_bit_packed_signed_accelerated =
            has("integerDotProduct4x8BitPackedSignedAccelerated");
        out.integer_dot_product4x8_bit_packed_mixed_signedness_accelerated =
            has("integerDotProduct4x8BitPackedMixedSignednessAccelerated");
        out.integer_dot_product16_bit_unsigned_accelerated = has("integerDotProduct16BitUnsignedAccelerated");
        out.integer_dot_product16_bit_signed_accelerated = has("integerDotProduct16BitSignedAccelerated");
        out.integer_dot_product16_bit_mixed_signedness_accelerated =
            has("integerDotProduct16BitMixedSignednessAccelerated");
        out.integer_dot_product32_bit_unsigned_accelerated = has("integerDotProduct32BitUnsignedAccelerated");
        out.integer_dot_product32_bit_signed_accelerated = has("integerDotProduct32BitSignedAccelerated");
        out.integer_dot_product32_bit_mixed_signedness_accelerated =
            has("integerDotProduct32BitMixedSignednessAccelerated");
        out.integer_dot_product64_bit_unsigned_accelerated = has("integerDotProduct64BitUnsignedAccelerated");
        out.integer_dot_product64_bit_signed_accelerated = has("integerDotProduct64BitSignedAccelerated");
        out.integer_dot_product64_bit_mixed_signedness_accelerated =
            has("integerDotProduct64BitMixedSignednessAccelerated");
        out.integer_dot_product_accumulating_saturating8_bit_unsigned_accelerated =
            has("integerDotProductAccumulatingSaturating8BitUnsignedAccelerated");
        out.integer_dot_product_accumulating_saturating8_bit_signed_accelerated =
            has("integerDotProductAccumulatingSaturating8BitSignedAccelerated");
        out.integer_dot_product_accumulating_saturating8_bit_mixed_signedness_accelerated =
            has("integerDotProductAccumulatingSaturating8BitMixedSignednessAccelerated");
        out.integer_dot_product_accumulating_saturating4x8_bit_packed_unsigned_accelerated =
            has("integerDotProductAccumulatingSaturating4x8BitPackedUnsignedAccelerated");
        out.integer_dot_product_accumulating_saturating4x8_bit_packed_signed_accelerated =
            has("integerDotProductAccumulatingSaturating4x8BitPackedSignedAccelerated");
        out.integer_dot_product_accumulating_saturating4x8_bit_packed_mixed_signedness_accelerated =
            has("integerDotProductAccumulatingSaturating4x8BitPackedMixedSignednessAccelerated");
        out.integer_dot_product_accumulating_saturating16_bit_unsigned_accelerated =
            has("integerDotProductAccumulatingSaturating16BitUnsignedAccelerated");
        out.integer_dot_product_accumulating_saturating16_bit_signed_accelerated =
            has("integerDotProductAccumulatingSaturating16BitSignedAccelerated");
        out.integer_dot_product_accumulating_saturating16_bit_mixed_signedness_accelerated =
            has("integerDotProductAccumulatingSaturating16BitMixedSignednessAccelerated");
        out.integer_dot_product_accumulating_saturating32_bit_unsigned_accelerated =
            has("integerDotProductAccumulatingSaturating32BitUnsignedAccelerated");
        out.integer_dot_product_accumulating_saturating32_bit_signed_accelerated =
            has("integerDotProductAccumulatingSaturating32BitSignedAccelerated");
        out.integer_dot_product_accumulating_saturating32_bit_mixed_signedness_accelerated =
            has("integerDotProductAccumulatingSaturating32BitMixedSignednessAccelerated");
        out.integer_dot_product_accumulating_saturating64_bit_unsigned_accelerated =
            has("integerDotProductAccumulatingSaturating64BitUnsignedAccelerated");
        out.integer_dot_product_accumulating_saturating64_bit_signed_accelerated =
            has("integerDotProductAccumulatingSaturating64BitSignedAccelerated");
        out.integer_dot_product_accumulating_saturating64_bit_mixed_signedness_accelerated =
            has("integerDotProductAccumulatingSaturating64BitMixedSignednessAccelerated");
    }};
}

pub(crate) use {dot_products, float_controls};
