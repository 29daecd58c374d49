//! Arithmetic, conversions and composites, compared with the same in Rust.

use crate::support::{Run, evaluate};

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn integers_wrap_and_divide() {
    let found = evaluate(
        "",
        "int a = -17, b = 5; uint c = 4000000000u;
        o[0] = uint(a / b); o[1] = uint(a % b); o[2] = c + c; o[3] = uint(a >> 1); o[4] = c >> 28;
        o[5] = uint(-a * b); o[6] = ~c; o[7] = uint(abs(a)); o[8] = uint(sign(a)); o[9] = uint(min(a, b));
        o[10] = max(c, 3u); o[11] = uint(clamp(a, -5, 5)); o[12] = 1u << 31;",
        13,
    );
    let c = 4_000_000_000u32;
    let wanted =
        [-3, 3, c.wrapping_add(c) as i32, -9, 14, 85, !c as i32, 17, -1, -17, c as i32, -5, i32::MIN];
    assert_eq!(found, wanted.map(|value| value as u32));
}

#[test]
fn bits_are_counted_found_and_moved() {
    let found = evaluate(
        "",
        "uint v = 0xf0u;
        o[0] = uint(bitCount(v)); o[1] = bitfieldReverse(v); o[2] = uint(findLSB(v)); o[3] = uint(findMSB(v));
        o[4] = bitfieldExtract(0xabcdu, 4, 8); o[5] = uint(bitfieldExtract(int(0xf0), 4, 4));
        o[6] = bitfieldInsert(0xffffu, 0u, 4, 8); o[7] = uint(findMSB(-1)); o[8] = uint(findLSB(0u));
        uint carry, borrow, high, low; o[9] = uaddCarry(0xffffffffu, 2u, carry); o[10] = carry;
        o[11] = usubBorrow(1u, 2u, borrow); o[12] = borrow;
        umulExtended(0x80000000u, 6u, high, low); o[13] = high; o[14] = low;
        int h, l; imulExtended(-2, 3, h, l); o[15] = uint(h); o[16] = uint(l);",
        17,
    );
    let wanted = [
        4,
        0x0f00_0000,
        4,
        7,
        0xbc,
        u32::MAX,
        0xf00f,
        u32::MAX,
        u32::MAX,
        1,
        1,
        u32::MAX,
        1,
        3,
        0,
        u32::MAX,
        -6i32 as u32,
    ];
    assert_eq!(found, wanted);
}

#[test]
fn integers_of_8_16_and_64_bits() {
    let found = evaluate(
        "",
        "int8_t a = int8_t(100); a += int8_t(100); o[0] = uint(int(a)); o[1] = uint(uint8_t(a));
        uint16_t b = uint16_t(65535); b += uint16_t(2); o[2] = uint(b);
        int16_t c = int16_t(-30000); o[3] = uint(int(c / int16_t(7))); o[4] = uint(c < int16_t(0));
        uint64_t d = 0x123456789abcdef0ul; d *= 3ul; o[5] = uint(d); o[6] = uint(d >> 32);
        int64_t e = -5l; o[7] = uint(e / 2l); o[8] = uint(e < 0l); o[9] = uint(int64_t(-1) >> 40);
        o[10] = uint(int8_t(-128) >> int8_t(3)); uvec2 p = unpackUint2x32(d); o[11] = p.x; o[12] = p.y;
        u8vec4 q = unpack8(0x04030201u); o[13] = uint(q.z); o[14] = pack32(u16vec2(1, 2));
        float f = 3e9; o[15] = uint(f); o[16] = uint(int64_t(f)); uint64_t g = 0xfffffffffffffffful; o[17] = floatBitsToUint(float(g + o[20]));",
        21,
    );
    let d = 0x1234_5678_9abc_def0u64.wrapping_mul(3);
    let wanted = [
        -56i32 as u32,
        200,
        1,
        (-30000i32 / 7) as u32,
        1,
        d as u32,
        (d >> 32) as u32,
        -2i32 as u32,
        1,
        u32::MAX,
        -16i32 as u32,
        d as u32,
        (d >> 32) as u32,
        3,
        0x2_0001,
        3_000_000_000,
        3_000_000_000,
        18_446_744_073_709_551_616f32.to_bits(),
    ];
    assert_eq!(found[..18], wanted);
}

#[test]
fn floats_of_32_bits() {
    let found = evaluate(
        "",
        "float a = 1.5, b = -0.1;
        o[0] = floatBitsToUint(a + b); o[1] = floatBitsToUint(a * b); o[2] = floatBitsToUint(a / b);
        o[3] = floatBitsToUint(mod(b, a)); o[4] = uint(a > b); o[5] = floatBitsToUint(-b);
        o[6] = floatBitsToUint(sqrt(a)); o[7] = floatBitsToUint(floor(b)); o[8] = floatBitsToUint(roundEven(2.5));
        o[9] = floatBitsToUint(fma(a, b, 1.0)); o[10] = floatBitsToUint(mix(a, b, 0.25));
        float z = o[100]; o[11] = uint(isnan(z / z)); o[12] = floatBitsToUint(z / z); o[13] = uint(isinf(a / z));
        o[14] = floatBitsToUint(smoothstep(0.0, 2.0, a)); o[15] = floatBitsToUint(float(16777217));",
        101,
    );
    let (a, b) = (1.5f32, -0.1f32);
    let mut wanted = bits(&[a + b, a * b, a / b, b + a]);
    wanted.push(1);
    wanted.extend(bits(&[-b, a.sqrt(), -1.0, 2.0, a.mul_add(b, 1.0), a * 0.75 + b * 0.25]));
    wanted.extend([1, 0x7fc0_0000, 1]);
    wanted.extend(bits(&[0.75 * 0.75 * 1.5, 16_777_216.0]));
    assert_eq!(found[..16], wanted);
}

#[test]
fn transcendental_functions_are_close() {
    let found = evaluate(
        "",
        "float x = 0.7;
        float v[] = float[](sin(x), cos(x), tan(x), asin(x), acos(x), atan(x), atan(x, -2.0), exp(x), log(x), exp2(x),
            log2(x), pow(x, 3.5), inversesqrt(x), sinh(x), cosh(x), tanh(x), asinh(x), acosh(x + 1.0), atanh(x));
        for (int i = 0; i < v.length(); i++) o[i] = floatBitsToUint(v[i]);",
        19,
    );
    let x = f64::from(0.7f32);
    let wanted = [
        x.sin(),
        x.cos(),
        x.tan(),
        x.asin(),
        x.acos(),
        x.atan(),
        x.atan2(-2.0),
        x.exp(),
        x.ln(),
        x.exp2(),
        x.log2(),
        x.powf(3.5),
        1.0 / x.sqrt(),
        x.sinh(),
        x.cosh(),
        x.tanh(),
        x.asinh(),
        (x + 1.0).acosh(),
        x.atanh(),
    ];
    for (index, (&found, wanted)) in found.iter().zip(wanted).enumerate() {
        let found = f64::from(f32::from_bits(found));
        assert!(((found - wanted) / wanted).abs() < 1e-6, "{index}: {found} for {wanted}");
    }
}

#[test]
fn half_precision_rounds_each_result() {
    let found = evaluate(
        "",
        "float16_t a = float16_t(1.0), b = float16_t(0.0004);
        o[0] = floatBitsToUint(float(a + b)); o[1] = uint(float16BitsToUint16(float16_t(65520.0)));
        o[2] = uint(float16BitsToUint16(float16_t(1e-7))); f16vec2 v = f16vec2(3.0, 0.1) * float16_t(3.0);
        o[3] = packFloat2x16(v); o[4] = packHalf2x16(vec2(1.0, -2.0)); vec2 u = unpackHalf2x16(o[4]); o[5] = floatBitsToUint(u.y);",
        6,
    );
    assert_eq!(found[0], 1f32.to_bits());
    assert_eq!(found[1], 0x7c00);
    assert_eq!(found[2], 0x0002);
    assert_eq!(found[3] & 0xffff, 0x4880);
    assert_eq!(found[4], 0xc000_3c00);
    assert_eq!(found[5], (-2f32).to_bits());
}

#[test]
fn small_floats_convert() {
    let found = evaluate(
        "",
        "bfloat16_t a = bfloat16_t(1.00390625); o[0] = floatBitsToUint(float(a));
        floate4m3_t b = floate4m3_t(3.3); o[1] = floatBitsToUint(float(b));
        floate5m2_t c = floate5m2_t(3.3); o[2] = floatBitsToUint(float(c));
        double d = double(0.1f) * 3.0lf; o[3] = floatBitsToUint(float(d));",
        4,
    );
    assert_eq!(found, bits(&[1.0, 3.25, 3.5, (f64::from(0.1f32) * 3.0) as f32]));
}

/// Each component gives its own bits ("Results are computed per component", SPV_EXT_ocp_microscaling_types).
#[test]
fn numbers_of_four_bits_are_extracted_from_each_component() {
    let found = evaluate(
        "",
        "u8vec2 packed = u8vec2(0x72, 0xF1);
        vec2 low = vec2(bitcastExtractfe2m1EXT(packed, 0u)); vec2 high = vec2(bitcastExtractfe2m1EXT(packed, 4u));
        o[0] = floatBitsToUint(low.x); o[1] = floatBitsToUint(low.y);
        o[2] = floatBitsToUint(high.x); o[3] = floatBitsToUint(high.y);",
        4,
    );
    // 2, 1, 7 and 15 stand for 1, 0.5, 6 and -6.
    assert_eq!(found, bits(&[1.0, 0.5, 6.0, -6.0]));
}

#[test]
fn vectors_and_matrices() {
    let found = evaluate(
        "",
        "mat2x3 m = mat2x3(1, 2, 3, 4, 5, 6); vec3 v = vec3(1, 2, 3);
        vec2 a = v * m; vec3 b = m * vec2(1, -1); mat3x2 t = transpose(m); mat2 p = t * m; mat2x3 e = outerProduct(v, vec2(2, 3));
        float r[] = float[](a.x, a.y, b.x, b.y, b.z, t[2][0], t[2][1], p[0][0], p[1][0], dot(v, v), e[1][2], determinant(p),
            inverse(p)[0][1], length(v), normalize(v).y, cross(v, v.zxy).x, distance(v, v.zyx), reflect(v, vec3(0, 1, 0)).y,
            v.zyx.x, (v * 2.0).yz.y, m[1].y);
        m[int(o[30])].z = 9.0; v.xz += vec2(10, 20);
        for (int i = 0; i < r.length(); i++) o[i] = floatBitsToUint(r[i]);
        o[21] = floatBitsToUint(m[0].z + v.x + v.z); o[22] = uint(all(lessThan(v, vec3(100)))); o[23] = uint(any(equal(v, vec3(2))));",
        31,
    );
    let f: Vec<f32> = found[..22].iter().map(|&word| f32::from_bits(word)).collect();
    let exact = [14.0, 32.0, -3.0, -3.0, -3.0, 3.0, 6.0, 14.0, 32.0, 14.0, 9.0, 14.0 * 77.0 - 32.0 * 32.0];
    assert_eq!(f[..12], exact);
    let close = [
        -32.0 / 54.0,
        14f32.sqrt(),
        2.0 / 14f32.sqrt(),
        2.0 * 2.0 - 1.0 * 3.0,
        8f32.sqrt(),
        -2.0,
        3.0,
        6.0,
        5.0,
    ];
    for (found, wanted) in f[12..21].iter().zip(close) {
        assert!((found - wanted).abs() < 1e-5, "{found} {wanted} in {f:?}");
    }
    assert_eq!(f[21], 9.0 + 11.0 + 23.0);
    assert_eq!(found[22..24], [1, 1]);
}

#[test]
fn structures_and_arrays_are_values() {
    let found = evaluate(
        "struct S { uint a; vec2 b[2]; }; S make(uint n) { return S(n, vec2[](vec2(n), vec2(n + 1u))); }",
        "S s = make(3u); S t = s; t.b[1].y = 9.0; S u[2] = S[](s, t);
        o[0] = u[0].a; o[1] = uint(u[1].b[1].y); o[2] = uint(s.b[1].y); o[3] = uint(s == t); o[4] = uint(u[0] == s);
        bool c = o[50] == 0u; S w = c ? t : s; o[5] = uint(w.b[1].y);",
        51,
    );
    assert_eq!(found[..6], [3, 9, 4, 0, 1, 9]);
}

#[test]
fn modf_frexp_and_ldexp_have_two_results() {
    let found = evaluate(
        "",
        "float whole; float part = modf(-2.75, whole); o[0] = floatBitsToUint(whole); o[1] = floatBitsToUint(part);
        int e; float m = frexp(12.0, e); o[2] = floatBitsToUint(m); o[3] = uint(e); o[4] = floatBitsToUint(ldexp(0.75, 4));",
        5,
    );
    assert_eq!(found, [(-2f32).to_bits(), (-0.75f32).to_bits(), 0.75f32.to_bits(), 4, 12f32.to_bits()]);
}

#[test]
fn packing_functions() {
    let found = evaluate(
        "",
        "o[0] = packUnorm4x8(vec4(0, 1, 0.5, 2)); o[1] = packSnorm2x16(vec2(-1, 1)); vec4 v = unpackSnorm4x8(0x7f81u);
        o[2] = floatBitsToUint(v.x); o[3] = floatBitsToUint(v.y); o[4] = floatBitsToUint(unpackUnorm2x16(0xffff0000u).y);
        double d = packDouble2x32(uvec2(0, 0x3ff80000)); o[5] = floatBitsToUint(float(d)); o[6] = unpackDouble2x32(d).y;",
        7,
    );
    assert_eq!(found[..2], [0xff80_ff00, 0x7fff_8001]);
    assert_eq!(found[2..], [bits(&[-1.0, 1.0, 1.0, 1.5]), vec![0x3ff8_0000]].concat());
}

#[test]
fn faces_of_cubes_and_where_they_are_met() {
    let directions =
        [[2, 1, 0], [-2, 1, 0], [1, 4, 2], [1, -4, 2], [1, 0, 2], [1, 0, -2], [3, -3, 3], [1, 1, 0]];
    let calls: String = directions
        .iter()
        .enumerate()
        .map(|(i, [x, y, z])| {
            let p = format!("vec3({x}, {y}, {z})");
            format!("o[{i}] = uint(cubeFaceIndexAMD({p}) * 10000.0 + dot(cubeFaceCoordAMD({p}), vec2(1000, 100)));")
        })
        .collect();
    let clock = "uint64_t before = timeAMD(); for (uint i = 0; i < o[9]; i++) o[9] = i; o[8] = uint(before < timeAMD());";
    let found = evaluate("", &format!("o[9] = 3u; {calls} {clock} o[9] = 0u;"), 10);
    // The face, and in thousandths and hundredths the coordinates 0.5 + s / (2 |major|).
    assert_eq!(found, [525, 10525, 20700, 30650, 40800, 50300, 41100, 21050, 1, 0]);
}

#[test]
fn one_of_three() {
    let found = evaluate(
        "",
        "o[0] = min3(7u, 5u, 4000000000u); o[1] = max3(7u, 5u, 4000000000u); o[2] = mid3(7u, 5u, 4000000000u);
        ivec2 m = mid3(ivec2(-3, 9), ivec2(4, 9), ivec2(-8, 1)); o[3] = uint(m.x); o[4] = uint(m.y);
        o[5] = uint(min3(-3, 4, -8)); o[6] = floatBitsToUint(mid3(0.5, -1.0, 0.25)); o[7] = uint(max3(1.0, 3.0, 2.0));",
        8,
    );
    let wanted = [5, 4_000_000_000, 7, -3i32 as u32, 9, -8i32 as u32, 0.25f32.to_bits(), 3];
    assert_eq!(found, wanted);
}

#[test]
fn integer_dot_products() {
    let found = evaluate(
        "",
        "o[0] = uint(dotPacked4x8EXT(0x01fe03fcu, 0x01010101u)); o[1] = uint(dotPacked4x8EXT(int(0x01fe03fc), int(0x01010101)));
        o[2] = uint(dotEXT(i8vec4(-1, 2, -3, 4), i8vec4(10))); o[3] = uint(dotPacked4x8AccSatEXT(int(0x7f7f7f7f), int(0x7f7f7f7f), 2147483647));",
        4,
    );
    let sum = 1 + 0xfe + 3 + 0xfc;
    assert_eq!(found, [sum, -2i32 as u32, 20, i32::MAX as u32]);
}

/// Each function of GL_INTEL_shader_integer_functions2 in each of its types, beside Rust's own.
#[test]
fn integer_functions() {
    let counts = evaluate(
        "",
        "o[0] = countLeadingZeros(0u); o[1] = countLeadingZeros(1u); o[2] = countTrailingZeros(0u); o[3] = countTrailingZeros(0x50u);
        uvec2 two = countLeadingZeros(uvec2(0x80000000u, 0xffu)); o[4] = two.x; o[5] = two.y;",
        6,
    );
    assert_eq!(counts, [32, 31, 32, 4, 0, 24]);

    macro_rules! holds {
        ($scalar:literal, $unsigned:literal, $rust:ty, $bits:literal) => {{
            const VALUES: [$rust; 7] = [0, 1, 2, 5, 100, <$rust>::MIN, <$rust>::MAX];
            let literal = |value: $rust| match value == <$rust>::MIN {
                true => format!("({}({}{}) - {}(1))", $scalar, value + 1, $bits, $scalar),
                false => format!("{}({value}{})", $scalar, $bits),
            };
            for a in VALUES {
                let mut body = String::new();
                let mut wanted: Vec<u32> = Vec::new();
                for b in VALUES {
                    let (x, y) = (i128::from(a), i128::from(b));
                    let clamped = |value: i128| value.clamp(<$rust>::MIN.into(), <$rust>::MAX.into());
                    for (function, ty, value) in [
                        ("absoluteDifference", $unsigned, (x - y).abs()),
                        ("addSaturate", $scalar, clamped(x + y)),
                        ("subtractSaturate", $scalar, clamped(x - y)),
                        ("average", $scalar, (x + y).div_euclid(2)),
                        ("averageRounded", $scalar, (x + y + 1).div_euclid(2)),
                    ] {
                        let (at, x, y) = (wanted.len(), literal(a), literal(b));
                        body += &format!("{{ {ty} r = {function}({x}, {y}); o[{at}] = uint(r); o[{}] = uint(uint64_t(r) >> 32); }}\n", at + 1);
                        wanted.extend([value as u32, (value as u64 >> 32) as u32]);
                    }
                }
                assert_eq!(evaluate("", &body, wanted.len()), wanted, "{} {a}", $scalar);
            }
        }};
    }
    holds!("int16_t", "uint16_t", i16, "");
    holds!("uint16_t", "uint16_t", u16, "u");
    holds!("int", "uint", i32, "");
    holds!("uint", "uint", u32, "u");
    holds!("int64_t", "uint64_t", i64, "L");
    holds!("uint64_t", "uint64_t", u64, "UL");

    let products = evaluate(
        "",
        "o[0] = multiply32x16(0x10001u, 0x7ffffu); o[1] = uint(multiply32x16(-3, 0x1ffff)); o[2] = uint(multiply32x16(1 << 20, 1 << 15));
        o[3] = multiply32x16(70000u, uint16_t(65535)); o[4] = uint(multiply32x16(70000, int16_t(-2)));
        ivec2 two = multiply32x16(ivec2(5, 7), i16vec2(-1, 3)); o[5] = uint(two.x); o[6] = uint(two.y);",
        7,
    );
    let wanted = [
        0x1_0001u32.wrapping_mul(0xffff),
        3,
        ((1i64 << 20) * -(1 << 15)) as u32,
        70000u32.wrapping_mul(65535),
        -140_000i32 as u32,
        -5i32 as u32,
        21,
    ];
    assert_eq!(products, wanted);
}

#[test]
fn results_are_the_same_for_every_subgroup_size() {
    let source = "
        layout(local_size_x = 128) in;
        layout(binding = 0) buffer Out { uint o[]; };
        void main() {
            uint i = gl_LocalInvocationIndex; float x = float(i) * 0.37;
            for (uint k = 0u; k < i % 7u; k++) x = sin(x) * 3.0 + float(k);
            o[i] = floatBitsToUint(x);
        }";
    let first = Run::new(source).subgroup_size(4).zeros(128).run().words(0);
    for size in [8, 16, 32, 64, 128] {
        assert_eq!(Run::new(source).subgroup_size(size).zeros(128).run().words(0), first);
    }
}
