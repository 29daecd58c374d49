//! Loops, branches, calls and barriers: lanes diverge and meet again.

use crate::support::{Run, words};
use coopmat_spirv::{dr, spirv::Op};

/// `main` of 32 invocations, each of which writes `o[i]`.
fn each(declarations: &str, body: &str) -> Vec<u32> {
    let source = format!(
        "layout(local_size_x = 32) in;
layout(binding = 0) buffer Out {{ uint o[]; }};
{declarations}
void main() {{ uint i = gl_LocalInvocationIndex; {body} }}"
    );
    words(&source, 32)
}

fn expect(found: Vec<u32>, wanted: impl Fn(u32) -> u32) {
    let wanted: Vec<u32> = (0..32).map(wanted).collect();
    assert_eq!(found, wanted);
}

#[test]
fn invocations_know_their_index() {
    expect(each("", "o[i] = i * 3u;"), |i| i * 3);
}

#[test]
fn lanes_take_different_branches() {
    expect(each("", "if (i % 3u == 0u) o[i] = 1u; else if (i % 3u == 1u) o[i] = 2u; else o[i] = 3u;"), |i| {
        i % 3 + 1
    });
}

#[test]
fn loops_run_as_often_as_each_lane_asks() {
    expect(each("", "uint sum = 0u; for (uint k = 0u; k < i; k++) sum += k; o[i] = sum;"), |i| {
        i * i.saturating_sub(1) / 2
    });
}

#[test]
fn break_and_continue_in_nested_loops() {
    let body = "
        uint count = 0u;
        for (uint a = 0u; a < 8u; a++) {
            if (a == i % 4u) continue;
            uint b = 0u;
            while (true) {
                b++;
                if (b > a) break;
                if (b % 2u == 0u) continue;
                count += b;
            }
            if (a > i) break;
        }
        o[i] = count;";
    expect(each("", body), |i| {
        let mut count = 0;
        for a in 0..8 {
            if a == i % 4 {
                continue;
            }
            count += (1..=a).filter(|b| b % 2 == 1).sum::<u32>();
            if a > i {
                break;
            }
        }
        count
    });
}

#[test]
fn do_while_runs_once_at_least() {
    expect(each("", "uint k = i; do { k += 10u; } while (k < 20u); o[i] = k;"), |i| {
        let mut k = i;
        loop {
            k += 10;
            if k >= 20 {
                return k;
            }
        }
    });
}

#[test]
fn switch_falls_through() {
    let body = "
        uint v = 0u;
        switch (i % 5u) {
            case 0u: v += 1u;
            case 1u: v += 10u; break;
            case 2u: case 3u: v += 100u; break;
            default: v += 1000u;
        }
        o[i] = v;";
    expect(each("", body), |i| match i % 5 {
        0 => 11,
        1 => 10,
        2 | 3 => 100,
        _ => 1000,
    });
}

#[test]
fn functions_return_early() {
    let functions = "
        uint collatz(uint n) {
            uint steps = 0u;
            while (true) {
                if (n <= 1u) return steps;
                n = n % 2u == 0u ? n / 2u : 3u * n + 1u;
                steps++;
            }
            return 0u;
        }";
    expect(each(functions, "o[i] = collatz(i);"), |i| {
        let (mut n, mut steps) = (i, 0);
        while n > 1 {
            n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
            steps += 1;
        }
        steps
    });
}

#[test]
fn arguments_come_back_through_inout_and_out() {
    let functions = "
        void swap(inout uint a, inout uint b) { uint t = a; a = b; b = t; }
        void split(uint v, out uint high, out uint low) { if (v > 15u) { high = 1u; low = v - 16u; return; } high = 0u; low = v; }";
    let body = "
        uint high, low; split(i, high, low);
        uint pair[2]; pair[0] = high; pair[1] = low;
        swap(pair[0], pair[1]);
        o[i] = pair[0] * 100u + pair[1];";
    expect(each(functions, body), |i| i % 16 * 100 + i / 16);
}

#[test]
fn what_a_lane_wrote_before_it_returned_stays() {
    expect(
        each("", "o[i] = 7u; if (i > 10u) return; o[i] = 8u; if (i > 5u) return; o[i] = 9u;"),
        |i| match i {
            0..=5 => 9,
            6..=10 => 8,
            _ => 7,
        },
    );
}

#[test]
fn arrays_are_indexed_by_each_lane() {
    let body = "
        uint table[8];
        for (uint k = 0u; k < 8u; k++) table[k] = k * k;
        table[i % 8u] += 100u;
        uvec4 v = uvec4(1, 2, 3, 4);
        v[i % 4u] = 50u;
        o[i] = table[(i + 1u) % 8u] + table[i % 8u] + v.x + v[3 - i % 4u];";
    expect(each("", body), |i| {
        let square = |k: u32| k * k + if k == i % 8 { 100 } else { 0 };
        let mut v = [1, 2, 3, 4];
        v[i as usize % 4] = 50;
        square((i + 1) % 8) + square(i % 8) + v[0] + v[3 - i as usize % 4]
    });
}

#[test]
fn constant_tables_are_indexed() {
    let declarations = "const uint table[4] = uint[](3u, 1u, 4u, 1u);";
    expect(each(declarations, "o[i] = table[i & 3u];"), |i| [3, 1, 4, 1][i as usize % 4]);
}

#[test]
fn private_variables_are_each_lane_s_own() {
    let declarations = "uint counter = 5u; void bump(uint by) { if (by > 3u) counter += by; }";
    expect(each(declarations, "bump(i % 6u); bump(10u); o[i] = counter;"), |i| {
        15 + if i % 6 > 3 { i % 6 } else { 0 }
    });
}

#[test]
fn shared_memory_and_barriers_join_subgroups() {
    let source = "
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer Out { uint o[]; };
        shared uint tile[64];
        void main() {
            uint i = gl_LocalInvocationIndex;
            tile[i] = i * i;
            for (uint step = 32u; step > 0u; step >>= 1) {
                barrier();
                if (i < step) tile[i] += tile[i + step];
            }
            barrier();
            o[i] = tile[0];
        }";
    for size in [4, 8, 16, 32, 64, 128] {
        let found = Run::new(source).subgroup_size(size).zeros(64).run().words(0);
        assert_eq!(found, vec![(0..64).map(|i| i * i).sum::<u32>(); 64], "subgroups of {size}");
    }
}

#[test]
fn workgroups_and_builtins() {
    let source = "
        layout(local_size_x = 2, local_size_y = 3) in;
        layout(binding = 0) buffer Out { uint o[]; };
        void main() {
            uvec3 g = gl_GlobalInvocationID;
            uint row = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
            o[g.y * row + g.x] = gl_WorkGroupID.x * 1000u + gl_WorkGroupID.y * 100u + gl_LocalInvocationIndex;
        }";
    let found = Run::new(source).groups(3, 2, 1).zeros(36).run().words(0);
    let wanted: Vec<u32> = (0..36)
        .map(|at| {
            let (x, y) = (at % 6, at / 6);
            x / 2 * 1000 + y / 3 * 100 + y % 3 * 2 + x % 2
        })
        .collect();
    assert_eq!(found, wanted);
}

#[test]
fn a_run_goes_on_after_a_slice() {
    let source = "
        layout(local_size_x = 8) in;
        layout(binding = 0) buffer Out { uint o[]; };
        shared uint s;
        void main() {
            if (gl_LocalInvocationIndex == 0u) s = 0u;
            for (uint k = 0u; k < 100u; k++) { barrier(); if (gl_LocalInvocationIndex == k % 8u) s += k; }
            barrier();
            o[gl_GlobalInvocationID.x] = s;
        }";
    let (mut execution, _) = Run::new(source).groups(3, 1, 1).subgroup_size(4).zeros(24).execution();
    let mut slices = 0;
    while execution.run(50).expect("runs") != coopmat_simulator::Progress::Finished {
        slices += 1;
    }
    assert!(slices > 20, "{slices}");
    let bytes = execution.into_resources();
    let _ = bytes;
}

#[test]
fn a_loop_without_end_meets_the_step_limit() {
    let source = "
        layout(local_size_x = 8) in;
        layout(binding = 0) buffer Out { uint o[]; };
        void main() { while (o[0] == 0u) { o[1] += 1u; } }";
    let mut run = Run::new(source).zeros(4);
    run.settings.step_limit = 10_000;
    let (mut execution, _) = run.execution();
    let error = execution.run(u64::MAX).expect_err("never ends");
    assert_eq!(error.kind, coopmat_simulator::RunErrorKind::Steps);
}

#[test]
fn specialization_constants_size_workgroups_and_arrays() {
    let source = "
        layout(local_size_x_id = 1) in;
        layout(constant_id = 2) const uint N = 3;
        layout(constant_id = 3) const bool twice = false;
        layout(binding = 0) buffer Out { uint o[]; };
        const uint M = N * 2u + 1u;
        shared uint tile[M];
        void main() {
            uint i = gl_LocalInvocationIndex;
            for (uint k = i; k < M; k += gl_WorkGroupSize.x) tile[k] = k;
            barrier();
            o[i] = tile[M - 1u - i] * (twice ? 2u : 1u) + uint(tile.length()) * 100u;
        }";
    let run = |specialization: &[(u32, u64)]| {
        let run = Run::new(source).zeros(4);
        specialization.iter().fold(run, |run, &(id, bits)| run.specialize(id, bits)).run().words(0)
    };
    assert_eq!(run(&[(1, 4)]), [706, 705, 704, 703]);
    assert_eq!(run(&[(1, 2), (2, 1), (3, 1)]), [304, 302, 0, 0]);
}

#[test]
fn recursion_is_refused_by_depth_not_by_the_stack() {
    // GLSL cannot write it; the limit is seen from the other side: deep calls are fine.
    let functions: String = (0..100)
        .map(|n| match n {
            0 => "uint f0(uint v) { return v; }\n".to_owned(),
            n => format!("uint f{n}(uint v) {{ return f{}(v + 1u); }}\n", n - 1),
        })
        .collect();
    expect(each(&functions, "o[i] = f99(i);"), |i| i + 99);
}

/// Other compilers write lines between functions and between blocks; the reader keeps them as a function without a definition and a block
/// without a label.
#[test]
fn lines_between_functions_and_blocks_are_passed_over() {
    let source = "layout(local_size_x = 4) in;
layout(binding = 0) buffer Out { uint o[]; };
uint twice(uint x) { uint y = x; if (x > 1u) { y += x; } return y; }
void main() { o[gl_LocalInvocationIndex] = twice(gl_LocalInvocationIndex); }";
    let mut module = crate::support::module(source);
    let class = coopmat_spirv::class(Op::NoLine as u16).expect("an instruction that is known");
    let line = || dr::Instruction { class, result_type: None, result_id: None, operands: Vec::new() };
    for function in &mut module.functions {
        for at in (0..=function.blocks.len()).rev() {
            function.blocks.insert(at, dr::Block { label: None, instructions: vec![line(); 2] });
        }
    }
    for at in (0..=module.functions.len()).rev() {
        let between = dr::Function { def: None, end: None, parameters: vec![line()], blocks: Vec::new() };
        module.functions.insert(at, between);
    }
    let outcome = Run::of(module).zeros(4).run();
    assert_eq!(outcome.words(0), [0, 1, 4, 6]);
}
