//! Both tiers give the same bits: every recipe of the examples, and small shaders for what is hard.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_native::{Ended, Left, Machine};
use coopmat_recipe::modes::first;
use coopmat_recipe::report::Modes;
use coopmat_recipe::{Files, Overrides, Plan, parse, resources_before};
use coopmat_simulator::{Class, Execution, Pool, Program, Progress, Resources, Settings};
use coopmat_spirv::dr;
use expect_test::expect;

struct Beside(PathBuf);

impl Files for Beside {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(self.0.join(path)).map_err(|error| error.to_string())
    }
}

fn module(path: &str, source: &str, device: Option<String>) -> dr::Module {
    let mut config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    config.device = device;
    let analysis = coopmat_analysis::analyze(path, source.into(), &config, &NoFiles, None);
    let compiled = coopmat_codegen::compile(&analysis, &Default::default());
    compiled.unwrap_or_else(|errors| panic!("{path} does not compile: {:?}", errors.first())).module
}

fn interpreted(execution: &mut Execution) -> Result<(), String> {
    while execution.run(1 << 24).map_err(|error| error.message)? != Progress::Finished {}
    Ok(())
}

/// What a run did, but for bytes: those are counted once where a tier knows that all invocations have the address in common.
fn work(execution: &Execution) -> (u64, [u64; Class::ALL.len()], [u64; Class::ALL.len()], u64) {
    let counts = execution.counts();
    (counts.steps, counts.instructions, counts.lane_instructions, counts.matrix_multiplies)
}

/// The same of each instruction.
fn executed(execution: &Execution) -> Vec<(u32, u64, u64)> {
    execution.executed().into_iter().map(|counts| (counts.instruction, counts.times, counts.lanes)).collect()
}

/// Whether a recipe ran compiled, or why not; an error where the tiers differ.
fn compare(path: &Path) -> Result<Option<Left>, String> {
    let text = std::fs::read_to_string(path).unwrap();
    let recipe = parse(&text).map_err(|error| error.message)?;
    let folder = path.parent().unwrap().to_owned();
    let name = path.to_str().unwrap();
    let shader = match &recipe.shader {
        Some(shader) => folder.join(shader).to_str().unwrap().to_owned(),
        None => name.replace(".run.toml", ".comp"),
    };
    let shaders = recipe.all_dispatches().into_iter().map(|dispatch| match dispatch.shader {
        Some(shader) => folder.join(shader).to_str().unwrap().to_owned(),
        None => shader.clone(),
    });
    let modules: Vec<_> = shaders
        .map(|path| module(&path, &std::fs::read_to_string(&path).unwrap(), recipe.device.clone()))
        .collect();
    let modules: Vec<_> = modules.iter().map(Into::into).collect();
    let plan = Plan::new(&recipe, &text, &modules, &Beside(folder), &Overrides::default())
        .map_err(|error| format!("{error:?}"))?;
    let modes = Modes { checked: false, ..first(&recipe, plan.subgroup_size) };
    let settings = plan.settings(&modes)?;
    let (_, held) = plan.resources();
    for (number, dispatch) in plan.dispatches.iter().enumerate() {
        let machine = match Machine::new(&dispatch.program, &settings) {
            Ok(machine) => machine,
            Err(left) => return Ok(Some(left)),
        };
        let before = resources_before(&plan, &modes, number).map_err(|(_, error)| error.message)?;
        let begin = || {
            let settings = settings.clone();
            Execution::new(&dispatch.program, before.clone(), settings, dispatch.workgroups).unwrap()
        };
        let mut compiled = begin();
        match machine.run(&mut compiled, None, &mut |_, _| true) {
            Ok(Ended::Finished) => {}
            Ok(Ended::Stopped) => return Err("nobody stopped it".to_owned()),
            Err(left) => return Ok(Some(left)),
        }
        let mut other = begin();
        interpreted(&mut other)?;
        if work(&compiled) != work(&other) {
            return Err(format!("other work: {:?}, {:?}", work(&compiled), work(&other)));
        }
        if executed(&compiled) != executed(&other) {
            return Err("other counts of instructions".to_owned());
        }
        // Machine code counts the bytes of all instructions together: what each moved is not told then.
        let (moved, all) = (compiled.counts(), compiled.executed());
        if moved.bytes_read + moved.bytes_written > 0 && all.iter().any(|counts| counts.bytes.is_some()) {
            return Err("bytes of single instructions of machine code".to_owned());
        }
        if other.executed().iter().any(|counts| counts.bytes.is_none()) {
            return Err("no bytes of an instruction that was interpreted".to_owned());
        }
        if plan.left(compiled.resources(), &held) != plan.left(other.resources(), &held) {
            return Err("other bits".to_owned());
        }
    }
    Ok(None)
}

fn recipes(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            recipes(&path, found);
        } else if path.to_str().unwrap().ends_with(".run.toml") {
            found.insert(path);
        }
    }
}

#[test]
fn every_example_has_the_same_bits_in_both_tiers() {
    let mut found = BTreeSet::new();
    recipes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples"), &mut found);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut failed = Vec::new();
    for path in &found {
        let tier = match compare(path) {
            Ok(None) => "compiled".to_owned(),
            Ok(Some(left)) => format!("interpreted: {left}"),
            Err(error) => {
                failed.push(format!("{}: {error}", path.file_name().unwrap().to_string_lossy()));
                continue;
            }
        };
        *counts.entry(tier).or_default() += 1;
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), found.len(), failed.join("\n"));
    let lines: Vec<String> = counts.iter().map(|(tier, count)| format!("{count} {tier}")).collect();
    expect![[r#"
        70 compiled
        1 interpreted: the shader takes descriptors from a heap
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

/// The parts of a shader: declarations, and the body of `main`, which writes to `result`.
struct Small {
    name: &'static str,
    declarations: &'static str,
    body: &'static str,
}

const SMALL: &[Small] = &[
    Small { name: "arithmetic", declarations: "", body: "
        uint x = input_words[i] * 3u + (i >> 2u) - (i << 3u) % 7u / 3u;
        int y = int(x) / 5 - int(i) % 3;
        float f = uintBitsToFloat(input_words[i + 1u]) * 1.5 + float(y);
        result[i] = x ^ uint(y) ^ floatBitsToUint(sqrt(abs(f)) / 3.0 - floor(f) * min(f, 2.0))
            ^ floatBitsToUint(fma(f, 1.0000001, f * 1e-9)) ^ uint(clamp(f, -1e9, 1e9));" },
    Small { name: "divergence", declarations: "", body: "
        uint sum = 0u;
        if (i % 3u == 0u) { sum = input_words[i]; } else if (i % 5u == 1u) { sum = 17u; }
        for (uint k = 0u; k < i % 7u; k++) {
            if (k == 3u) { continue; }
            sum += input_words[k] * k;
            if (sum % 11u == 4u) { break; }
        }
        result[i] = sum;" },
    Small { name: "a switch", declarations: "", body: "
        uint sum = i;
        for (uint k = 0u; k < 4u; k++) {
            switch ((i + k) % 6u) {
                case 0u: sum += 5u; break;
                case 1u: case 4u: sum *= 3u;
                case 2u: sum ^= input_words[i]; break;
                case 3u: if (i > 40u) { result[i] = sum; return; } sum -= 7u; break;
                default: sum += subgroupAdd(k + i);
            }
        }
        result[i] = sum;" },
    Small { name: "early return", declarations: "", body: "
        if (i % 4u == 1u) { return; }
        uint sum = 0u;
        for (uint k = 0u; k < 5u; k++) { sum += input_words[(i + k) % 64u]; }
        result[i] = sum;" },
    Small { name: "calls", declarations: "
        uint twice(uint x, inout uint count) { if (x % 2u == 0u) { count += 1u; return x; } count += 2u; return x * 2u; }
        uint both(uint x, inout uint count) { uint y = twice(x, count); return y + twice(y + 1u, count); }", body: "
        uint count = 0u;
        uint x = both(input_words[i] % 100u, count);
        if (i > 20u) { x += both(i, count); }
        result[i] = x * 1000u + count;" },
    Small { name: "shared memory", declarations: "shared uint tile[64]; shared float sums[4];", body: "
        uint l = gl_LocalInvocationIndex;
        tile[l] = input_words[i];
        barrier();
        for (uint step = 32u; step > 0u; step >>= 1u) {
            if (l < step) { tile[l] += tile[l + step]; }
            barrier();
        }
        if (l < 4u) { sums[l] = float(tile[l]); }
        barrier();
        result[i] = tile[0] ^ floatBitsToUint(sums[l % 4u]) ^ tile[63u - l];" },
    Small { name: "places in arrays of variables", declarations: "", body: "
        uint words[8];
        for (uint k = 0u; k < 8u; k++) { words[k] = input_words[i + k] >> k; }
        words[i % 8u] += 5u;
        uint sum = 0u;
        for (uint k = 0u; k < 8u; k++) { sum = sum * 3u + words[(k * i) % 8u]; }
        result[i] = sum;" },
    Small { name: "outside of buffers", declarations: "", body: "
        result[i] = input_words[i * 1000u] + input_words[0u - i];
        result[i + 1000000u] = 5u;
        result[0xfffffff0u - i] = 6u;" },
    Small { name: "subgroups", declarations: "", body: "
        uint sum = subgroupAdd(input_words[i]);
        if (i % 3u == 0u) { sum += subgroupExclusiveAdd(i) + subgroupBallot(i % 2u == 0u).x; }
        float most = subgroupMax(float(input_words[i] % 1000u));
        result[i] = sum ^ floatBitsToUint(most) ^ subgroupShuffle(sum, (i + 1u) % 4u);" },
    Small { name: "atomics", declarations: "shared uint counter;", body: "
        if (gl_LocalInvocationIndex == 0u) { counter = 0u; }
        barrier();
        uint mine = atomicAdd(counter, i + 1u);
        barrier();
        result[i] = mine ^ counter;" },
    Small { name: "functions of numbers", declarations: "", body: "
        float x = float(input_words[i] % 1000u) / 100.0;
        vec3 v = vec3(x, exp(-x), sin(x));
        mat3 m = mat3(v, v.yzx * 2.0, vec3(1.0, x, -x));
        vec3 w = m * v + vec3(dot(v, v));
        result[i] = floatBitsToUint(w.x) ^ floatBitsToUint(w.y * pow(x, 0.3)) ^ floatBitsToUint(log(x + 1.0) * w[i % 3u]);" },
    Small { name: "more functions of numbers", declarations: "", body: "
        float x = uintBitsToFloat(input_words[i]);
        float y = float(int(input_words[i + 1u]) % 120000) / 1000.0;
        float z = uintBitsToFloat(input_words[i] & 0x807fffffu | 0x38000000u);
        result[i] = floatBitsToUint(exp(y)) ^ floatBitsToUint(exp(x)) * 3u ^ floatBitsToUint(exp(z)) * 5u
            ^ floatBitsToUint(inversesqrt(abs(y))) * 7u ^ floatBitsToUint(mix(y, z, x)) * 9u
            ^ floatBitsToUint(clamp(x, -1.0, y)) * 11u ^ floatBitsToUint(fract(y)) * 13u
            ^ floatBitsToUint(sign(y) + step(y, z) + radians(y) + degrees(z)) * 15u
            ^ packHalf2x16(vec2(x, y)) * 17u ^ floatBitsToUint(unpackHalf2x16(input_words[i]).y) * 19u;" },
    Small { name: "halves and bytes", declarations: "", body: "
        uint word = input_words[i];
        float16_t h = float16_t(uintBitsToFloat(word));
        float16_t k = h * float16_t(1.25) + float16_t(word % 100u);
        u8vec4 bytes = unpack8(word);
        int16_t s = int16_t(word >> 7u);
        halves[i] = k;
        result[i] = floatBitsToUint(float(k)) ^ uint(bytes.x + bytes.y) ^ pack32(bytes.wzyx) ^ uint(int(s) * 3);" },
    Small { name: "divisions", declarations: "", body: "
        uint word = input_words[i];
        uint by = input_words[i + 1u] >> (i % 32u);
        int signed_by = int(word) >> int(i % 31u);
        int low = i % 5u == 0u ? int(0x80000000u) : int(input_words[i + 1u]);
        result[i] = word / by ^ word % by * 3u ^ uint(low / signed_by) * 5u ^ uint(low % signed_by) * 7u
            ^ (i / max(gl_WorkGroupID.x, 1u)) ^ uint(uint16_t(word) / uint16_t(by)) * 9u;" },
    Small { name: "arrays of arrays", declarations: "", body: "
        uint words[3][5];
        for (uint k = 0u; k < 15u; k++) { words[k / 5u][k % 5u] = input_words[i + k] ^ k; }
        uint which = input_words[i] % 3u;
        words[which][i % 5u] += 11u;
        uint sum = 0u;
        for (uint k = 0u; k < 5u; k++) { sum = sum * 7u + words[(which + k) % 3u][k]; }
        for (uint k = 0u; k < 3u; k++) { sum ^= words[k][gl_WorkGroupID.x]; }
        result[i] = sum;" },
    Small { name: "dot products of bytes", declarations: "", body: "
        uint a = input_words[i];
        uint b = input_words[i + 1u];
        int both = dotPacked4x8EXT(int(a), int(b));
        result[i] = uint(both) ^ dotPacked4x8EXT(a, b) * 3u ^ uint(dotPacked4x8EXT(int(a), b)) * 5u
            ^ uint(dotPacked4x8AccSatEXT(int(b), int(a), 7)) * 7u
            ^ uint(bitfieldExtract(int(a), int(i % 40u), int(b % 40u))) * 9u
            ^ bitfieldInsert(a, b, int(i % 33u), int(b % 33u)) * 11u ^ uint(dotPacked4x8EXT(int(0x80808080u), int(0x80808080u)));" },
    Small { name: "bits and dot products", declarations: "", body: "
        uint word = input_words[i];
        uint sum = bitfieldExtract(word, int(i % 20u), 7) + uint(bitfieldExtract(int(word), 3, int(i % 9u)));
        sum ^= bitfieldInsert(sum, word, 5, int(i % 13u)) + bitfieldReverse(word);
        sum += uint(findMSB(word)) + uint(findLSB(word)) * 3u + uint(bitCount(word));
        sum ^= subgroupAdd(sum) * 2u;
        vec4 v = vec4(float(word % 100u), 2.0, float(i), -0.5);
        result[i] = sum ^ floatBitsToUint(dot(v, v.wzyx)) ^ floatBitsToUint(dot(v.xy, v.zw));" },
    Small { name: "functions over elements", declarations: "
        uint base;
        uint placed(const in uint row, const in uint column, const in uint element) {
            result[row * 8u + column] = element + base;
            return element * base;
        }", body: "
        base = input_words[gl_WorkGroupID.x] + gl_SubgroupID;
        coopmat<uint, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> m;
        m = coopmat<uint, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(7u);
        coopMatPerElementNV(m, m, placed);
        base += m[0];
        coopMatPerElementNV(m, m, placed);
        coopMatStore(m, result, 64u, 8u, gl_CooperativeMatrixLayoutRowMajor);" },
    Small { name: "loops that are unrolled", declarations: "uint turns;
        uint of_four(uint x) { uint t[4]; for (uint k = 0u; k < 4u; k++) { t[k] = x >> k; turns++; } return t[x % 4u] ^ t[3]; }", body: "
        uint words[6];
        turns = 0u;
        for (uint k = 0u; k < 6u; k++) { words[k] = input_words[i + k] + k; }
        for (uint j = 0u; j < 3u; j++) {
            for (uint k = j; k < 6u; k += 2u) {
                if (words[k] % 5u == j) { continue; }
                if (words[k] % 7u == 6u) { break; }
                words[(k + j) % 6u] += of_four(words[k]) * 3u;
                if (i == 13u && k == 4u) { result[i] = words[k]; return; }
            }
            switch (j) { case 0u: words[2] ^= i; break; case 1u: words[3] += subgroupAdd(i); default: words[4] -= 1u; }
        }
        uint sum = turns;
        for (int k = 5; k >= 0; --k) { sum = sum * 3u + words[k]; }
        result[i] = sum;" },
    Small { name: "matrices of arrays", declarations: "", body: "
        coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseA> a[2];
        coopmat<float16_t, gl_ScopeSubgroup, 8, 8, gl_MatrixUseB> b[3];
        coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator> sums[2][3];
        for (uint r = 0u; r < 2u; r++) { for (uint c = 0u; c < 3u; c++) {
            sums[r][c] = coopmat<float, gl_ScopeSubgroup, 8, 8, gl_MatrixUseAccumulator>(float(r) - float(c));
        } }
        for (uint k = 0u; k < gl_NumWorkGroups.x; k++) {
            for (uint r = 0u; r < 2u; r++) {
                coopMatLoad(a[r], input_words, k * 8u + r * 16u, 4u, gl_CooperativeMatrixLayoutRowMajor);
                a[r][0] = float16_t(r);
            }
            for (uint c = 0u; c < 3u; c++) { coopMatLoad(b[c], input_words, k + c * 9u, 4u, gl_CooperativeMatrixLayoutRowMajor); }
            for (uint r = 0u; r < 2u; r++) { for (uint c = 0u; c < 3u; c++) {
                if (c == 1u && gl_SubgroupID > 0u) { continue; }
                sums[r][c] = coopMatMulAdd(a[r], b[c], sums[r][c]);
            } }
            sums[0][k] = sums[1][k + 1u];
        }
        for (uint r = 0u; r < 2u; r++) { for (uint c = 0u; c < 3u; c++) {
            coopMatStore(sums[r][c], result, (r * 3u + c) * 16u, 8u, gl_CooperativeMatrixLayoutRowMajor);
        } }" },
    Small { name: "vectors in memory", declarations: "shared u16vec4 pairs[40]; shared uvec4 fours[17]; shared u8vec4 bytes[64]; shared uvec2 twos[64];
        layout(binding = 0) readonly buffer Vectors { uvec4 vectors[]; };
        layout(binding = 0) readonly buffer Shorts { u16vec4 shorts[]; };
        layout(binding = 1) buffer Written { u16vec2 written[]; };
        layout(binding = 1) buffer Pairs { uvec2 written_pairs[]; };", body: "
        uint l = gl_LocalInvocationIndex;
        pairs[l] = shorts[i * 2u];
        fours[l] = vectors[i];
        bytes[l] = unpack8(input_words[i]);
        twos[63u - l] = uvec2(i, input_words[i]);
        barrier();
        u16vec4 p = pairs[(l * 7u) % 41u];
        uvec4 f = fours[l % 3u == 0u ? 16u : l / 3u];
        if (i % 3u == 1u) { twos[l] += f.xy; pairs[l] = p.wzyx; }
        barrier();
        written[i * 3u] = u16vec2(p.x ^ p.w, uint16_t(f.w));
        if (i % 5u != 2u) { written_pairs[l + 30u] = twos[l] ^ uvec2(pairs[l].x, bytes[l].z); }
        written_pairs[l / 2u + 62u] = f.zw;" },
    Small { name: "vectors that overlap", declarations: "
        struct Odd { uint16_t first; u16vec2 rest; };
        layout(binding = 1, scalar) buffer Written { Odd odd[]; };", body: "
        odd[i].rest = u16vec2(i, input_words[i]);
        odd[i / 2u].first = uint16_t(odd[i].rest.y + 1us);" },
    Small { name: "two lanes' stores to one place", declarations: "", body: "
        result[i / 3u] = input_words[i];
        result[40u] = i;" },
    // The buffer is a part of the result, from word 32 to word 64: what is beyond it is not written.
    Small { name: "parts of one buffer", declarations: "layout(binding = 3) buffer Part { uint part[]; };", body: "
        if (i < 16u) {
            result[32u + i] = input_words[i];
            part[16u + i] = part[i] + part.length();
            part[32u + i] = result[48u + i];
            result[i] = part[32u + i];
        }" },
];

fn small(shader: &Small) -> String {
    format!(
        "#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_scalar_block_layout : require
#extension GL_EXT_integer_dot_product : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_cooperative_matrix : require
#extension GL_NV_cooperative_matrix2 : require
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer Input {{ uint input_words[]; }};
layout(binding = 1) buffer Result {{ uint result[]; }};
layout(binding = 2) buffer Halves {{ float16_t halves[]; }};
{}
void main() {{
    uint i = gl_GlobalInvocationID.x;{}
}}
",
        shader.declarations, shader.body
    )
}

/// What a small shader leaves in its buffers, with subgroups of this size.
fn begin(program: &Program, subgroup_size: u32) -> Execution {
    let mut resources = Resources::new();
    let words = (0..136u32).map(|index| index.wrapping_mul(0x9e37_79b9) ^ index << 9);
    let input: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let input = resources.buffer(&input);
    let (result, halves) = (resources.buffer(&[7; 512]), resources.buffer(&[0; 256]));
    for (binding, buffer) in (0..).zip([input, result, halves]) {
        resources.bind(0, binding, 0, buffer);
    }
    let part = resources.part(result, 128..256);
    resources.bind(0, 3, 0, part);
    let settings = Settings { subgroup_size, ..Settings::default() };
    Execution::new(program, resources, settings, [2, 1, 1]).unwrap()
}

fn left(execution: Execution) -> Vec<Vec<u8>> {
    // They are numbered as they were added.
    let mut others = Resources::new();
    let ids: Vec<_> = (0..3).map(|_| others.buffer(&[])).collect();
    let resources = execution.into_resources();
    ids.into_iter().map(|id| resources.bytes(id)).collect()
}

#[test]
fn small_shaders_have_the_same_bits_in_both_tiers() {
    let mut failed = Vec::new();
    for shader in SMALL {
        let module = module("small.comp", &small(shader), None);
        let program = Program::new(&module, &Default::default()).unwrap();
        for subgroup_size in [4, 32, 64] {
            let settings = Settings { subgroup_size, ..Settings::default() };
            let mut compiled = begin(&program, subgroup_size);
            let ran = Machine::new(&program, &settings)
                .and_then(|machine| machine.run(&mut compiled, None, &mut |_, _| true));
            if ran != Ok(Ended::Finished) {
                failed.push(format!("{} of {subgroup_size}: {ran:?}", shader.name));
                continue;
            }
            let mut other = begin(&program, subgroup_size);
            interpreted(&mut other).unwrap();
            if work(&compiled) != work(&other) {
                failed.push(format!(
                    "{} of {subgroup_size}: {:?}, not {:?}",
                    shader.name,
                    work(&compiled),
                    work(&other)
                ));
            }
            let (made, wanted) = (left(compiled), left(other));
            for (buffer, (made, wanted)) in made.iter().zip(&wanted).enumerate() {
                if let Some(at) = (0..made.len()).find(|&at| made[at] != wanted[at]) {
                    failed.push(format!(
                        "{} of {subgroup_size}: buffer {buffer} differs at byte {at}",
                        shader.name
                    ));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn a_run_ends_at_its_limit_of_steps_in_the_interpreter_s_words() {
    let endless = Small { name: "", declarations: "", body: "while (result[0] != 1u) { result[1] = i; }" };
    let module = module("small.comp", &small(&endless), None);
    let program = Program::new(&module, &Default::default()).unwrap();
    let settings = Settings { step_limit: 100_000, ..Settings::default() };
    let machine = Machine::new(&program, &settings).unwrap();
    let resources = begin(&program, 32).into_resources();
    let mut execution = Execution::new(&program, resources, settings, [2, 1, 1]).unwrap();
    let ran = machine.run(&mut execution, None, &mut |_, _| true);
    expect!["the run fails: the run takes more than 100000 steps"].assert_eq(&ran.unwrap_err().to_string());
    assert!(execution.run(u64::MAX).is_err());
}

#[test]
fn a_run_that_nobody_wants_any_more_is_stopped() {
    let endless = Small { name: "", declarations: "", body: "while (result[0] != 1u) { result[1] = i; }" };
    let module = module("small.comp", &small(&endless), None);
    let program = Program::new(&module, &Default::default()).unwrap();
    let machine = Machine::new(&program, &Settings::default()).unwrap();
    let mut execution = begin(&program, 32);
    assert_eq!(machine.run(&mut execution, None, &mut |_, _| false), Ok(Ended::Stopped));
    assert!(execution.counts().steps > 0);
}

/// Every job on a thread of its own.
struct Threads;

impl Pool for Threads {
    fn at_once(&self) -> usize {
        2
    }

    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync)) {
        std::thread::scope(|scope| {
            for number in 0..count {
                scope.spawn(move || job(number));
            }
        });
    }
}

#[test]
fn workgroups_at_the_same_time_and_after_the_interpreter_s_have_the_same_bits() {
    let shader = Small {
        name: "",
        declarations: "shared uint tile[64];",
        body: "
        tile[gl_LocalInvocationIndex] = input_words[i] + i;
        barrier();
        if (i % 2u == 0u) { result[i] = tile[63u - gl_LocalInvocationIndex] + gl_WorkGroupID.x; }",
    };
    let module = module("small.comp", &small(&shader), None);
    let program = Program::new(&module, &Default::default()).unwrap();
    let machine = Machine::new(&program, &Settings::default()).unwrap();
    let mut other = begin(&program, 32);
    interpreted(&mut other).unwrap();
    let (wanted, counted) = (work(&other), left(other));
    for (first, pool) in [(0, Some(&Threads as &dyn Pool)), (1, None)] {
        let mut execution = begin(&program, 32);
        for _ in 0..first {
            execution.run_workgroup(u64::MAX).unwrap();
        }
        assert_eq!(machine.run(&mut execution, pool, &mut |_, _| true), Ok(Ended::Finished));
        assert_eq!((work(&execution), left(execution)), (wanted, counted.clone()));
    }
}

#[test]
fn a_run_in_the_middle_of_a_workgroup_is_left_to_the_interpreter() {
    let module = module("small.comp", &small(&SMALL[0]), None);
    let program = Program::new(&module, &Default::default()).unwrap();
    let machine = Machine::new(&program, &Settings::default()).unwrap();
    let mut execution = begin(&program, 32);
    execution.run(3).unwrap();
    let ran = machine.run(&mut execution, None, &mut |_, _| true);
    expect!["the run is watched, or in the middle of a workgroup"].assert_eq(&ran.unwrap_err().to_string());
}
