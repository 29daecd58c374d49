//! Rounding and subnormal numbers as a module's execution modes ask for them, and as the settings do where it does not say.

use crate::support::Run;
use coopmat_simulator::RunErrorKind;
use coopmat_simulator::numerics::{Denormals, Numerics, Rounding};

const TO_ZERO: (u32, u32) = (4463, 4468);
const TO_NEAREST: (u32, u32) = (4462, 4467);
const FLUSH: (u32, u32) = (4460, 4465);
const PRESERVE: (u32, u32) = (4459, 4464);

/// 2^-140
const SUBNORMAL: f32 = f32::from_bits(1 << 9);

/// What statements write to `o`, under execution modes with their widths.
fn run(modes: &[((u32, u32), u32)], numerics: Numerics, statements: &str) -> Vec<u32> {
    let modes: String = modes
        .iter()
        .map(|((mode, capability), width)| {
            format!(
                "spirv_execution_mode(extensions = [\"SPV_KHR_float_controls\"], capabilities = [{capability}], {mode}, {width});\n"
            )
        })
        .collect();
    let source = format!(
        "#extension GL_EXT_spirv_intrinsics : require
{modes}layout(local_size_x = 4) in;
layout(binding = 0, scalar) buffer In {{ float a[]; }};
layout(binding = 1, scalar) buffer Out {{ uint o[]; }};
void main() {{
float one = a[0], tiny = a[1], three = a[2], subnormal = a[3];
{statements}
}}"
    );
    let mut run = Run::new(&source).floats(&[1.0, 2f32.powi(-30), 3.0, SUBNORMAL]).zeros(8);
    run.settings.numerics = numerics;
    run.run().words(1)
}

fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|word| f32::from_bits(*word)).collect()
}

const SUMS: &str = "
    o[0] = floatBitsToUint(one - tiny);
    o[1] = floatBitsToUint(-one / three);
    o[2] = floatBitsToUint(fma(one, tiny, -one));
    o[3] = floatBitsToUint(float(16777219u + uint(one)));
    o[4] = floatBitsToUint(dot(vec2(one, tiny), vec2(one, -one)));
    o[5] = uint(float16BitsToUint16(float16_t(one - 1.0 / 1024.0 / 8.0)));";

#[test]
fn results_are_cut_off_where_the_module_says_so() {
    let nearest = floats(&run(&[], Numerics::default(), SUMS));
    assert_eq!(nearest[..5], [1.0, -1.0 / 3.0, -1.0, 16_777_220.0, 1.0]);
    let cut = run(&[(TO_ZERO, 32)], Numerics::default(), SUMS);
    assert_eq!(
        floats(&cut[..5]),
        [1f32.next_down(), (-1f32 / 3.0).next_up(), (-1f32).next_up(), 16_777_220.0, 1f32.next_down()]
    );
    // The width of the result counts: the conversion to 16 bits is still to the nearest.
    assert_eq!(cut[5], 0x3c00);
    assert_eq!(run(&[(TO_ZERO, 16)], Numerics::default(), SUMS)[5], 0x3bff);
}

#[test]
fn settings_count_where_the_module_is_silent() {
    let upward = Numerics { rounding: Rounding::TowardPositive, ..Numerics::default() };
    assert_eq!(floats(&run(&[], upward, SUMS))[1], (-1f32 / 3.0).next_up());
    assert_eq!(floats(&run(&[(TO_NEAREST, 32)], upward, SUMS))[1], -1.0 / 3.0);
}

#[test]
fn subnormal_numbers_are_flushed_or_kept() {
    let statements = "
        o[0] = floatBitsToUint(subnormal * 0.5);
        o[1] = floatBitsToUint(subnormal * 1e30);
        o[2] = uint(subnormal > 0.0);
        o[3] = floatBitsToUint(-subnormal);
        o[4] = floatBitsToUint(min(subnormal, one));
        o[5] = uint(float16BitsToUint16(float16_t(tiny * 64.0)));";
    let kept = run(&[], Numerics::default(), statements);
    assert_eq!(floats(&kept)[0], SUBNORMAL / 2.0);
    assert_eq!((kept[2], kept[5]), (1, 1));
    let flushed = run(&[(FLUSH, 32)], Numerics::default(), statements);
    // A change of sign is no arithmetic; and 16 bits are not what the mode is about.
    assert_eq!(flushed[..6], [0, 0, 0, (-SUBNORMAL).to_bits(), 0, 1]);
    let set = Numerics { denormals: Denormals::Flush, ..Numerics::default() };
    assert_eq!(run(&[], set, statements)[..6], [0, 0, 0, flushed[3], 0, 0]);
    assert_eq!(run(&[(PRESERVE, 32)], set, statements)[..5], kept[..5]);
}

/// Registers, shared memory and matrices count against one limit, and the message says how much is asked for.
#[test]
fn the_memory_limit_counts_matrices() {
    let source = "#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
layout(binding = 0, scalar) buffer Out { float o[]; };
shared float staging[1024];
void main() {
    coopmat<float, gl_ScopeSubgroup, 128, 128, gl_MatrixUseAccumulator> all[16];
    staging[gl_LocalInvocationIndex] = 1.0;
    for (int i = 0; i < 16; i++) all[i] = coopmat<float, gl_ScopeSubgroup, 128, 128, gl_MatrixUseAccumulator>(float(i));
    coopMatStore(all[uint(o[0])], o, 0, 128, gl_CooperativeMatrixLayoutRowMajor);
}";
    let mut run = Run::new(source).zeros(128 * 128);
    run.settings.memory_limit = 8 << 20;
    let run_of = |run: Run| {
        let (mut execution, _) = run.execution();
        execution.run(u64::MAX).map(|_| ())
    };
    run.clone().run();
    run.settings.memory_limit = 1 << 20;
    let error = run_of(run).unwrap_err();
    assert_eq!(error.kind, RunErrorKind::Memory);
    expect_test::expect!["the registers and matrices of a subgroup take 518 KiB: 2 of them, beside shared memory of 4 KiB, take more than the memory limit of 1 MiB"].assert_eq(&error.message);
}
