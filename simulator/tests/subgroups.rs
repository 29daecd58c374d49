//! Operations between the lanes of a subgroup.

use crate::support::Run;

/// Each of 16 invocations in subgroups of 8 writes one word.
fn each(expression: &str) -> Vec<u32> {
    let source = format!(
        "layout(local_size_x = 16) in;
        layout(binding = 0) buffer Out {{ uint o[]; }};
        void main() {{ uint i = gl_LocalInvocationIndex, l = gl_SubgroupInvocationID; uint v = i * i + 1u; {expression} }}"
    );
    Run::new(&source).subgroup_size(8).zeros(16).run().words(0)
}

fn value(i: usize) -> u32 {
    (i * i + 1) as u32
}

fn check(expression: &str, wanted: impl Fn(usize) -> u32) {
    let wanted: Vec<u32> = (0..16).map(wanted).collect();
    assert_eq!(each(expression), wanted, "{expression}");
}

/// The lanes of an invocation's subgroup.
fn group(i: usize) -> std::ops::Range<usize> {
    i / 8 * 8..i / 8 * 8 + 8
}

#[test]
fn votes_and_election() {
    check("o[i] = uint(subgroupElect());", |i| u32::from(i % 8 == 0));
    check("if (l > 2u) o[i] = uint(subgroupElect());", |i| u32::from(i % 8 == 3));
    check(
        "o[i] = uint(subgroupAll(i < 8u)) + 2u * uint(subgroupAny(i == 3u));",
        |i| if i < 8 { 3 } else { 0 },
    );
    check("o[i] = uint(subgroupAllEqual(i / 8u)) + 2u * uint(subgroupAllEqual(i / 4u));", |_| 1);
}

#[test]
fn ballots() {
    check("o[i] = subgroupBallot(i % 3u == 0u).x;", |i| {
        group(i).filter(|n| n % 3 == 0).fold(0, |mask, n| mask | 1 << (n % 8))
    });
    check(
        "uvec4 b = subgroupBallot(l > 1u); o[i] = subgroupBallotBitCount(b) + 10u * subgroupBallotExclusiveBitCount(b) + 100u * subgroupBallotFindLSB(b) + 1000u * subgroupBallotFindMSB(b) + 10000u * uint(subgroupInverseBallot(b)) + 100000u * uint(subgroupBallotBitExtract(b, 2u));",
        |i| {
            let l = i as u32 % 8;
            6 + 10 * l.saturating_sub(2) + 200 + 7000 + 10000 * u32::from(l > 1) + 100_000
        },
    );
    check("o[i] = gl_SubgroupEqMask.x + (gl_SubgroupLtMask.x << 8) + (gl_SubgroupGeMask.x << 16);", |i| {
        let l = i % 8;
        1 << l | ((1 << l) - 1) << 8 | (0xff & (0xffu32 << l)) << 16
    });
}

#[test]
fn shuffles() {
    check("o[i] = subgroupBroadcast(v, 5u);", |i| value(group(i).start + 5));
    check("o[i] = subgroupBroadcastFirst(v);", |i| value(group(i).start));
    check("o[i] = subgroupShuffle(v, 7u - l);", |i| value(group(i).start + 7 - i % 8));
    check("o[i] = subgroupShuffleXor(v, 3u);", |i| value(i ^ 3));
    check("o[i] = l < 7u ? subgroupShuffleDown(v, 1u) : 0u;", |i| {
        if i % 8 < 6 { value(i + 1) } else { each("o[i] = l < 7u ? subgroupShuffleDown(v, 1u) : 0u;")[i] }
    });
    check("uint u = subgroupShuffleUp(v, 2u); o[i] = l < 2u ? 0u : u;", |i| {
        if i % 8 < 2 { 0 } else { value(i - 2) }
    });
    check("o[i] = subgroupRotate(v, 3u);", |i| value(group(i).start + (i + 3) % 8));
    check("o[i] = subgroupClusteredRotate(v, 1u, 4u);", |i| value(i / 4 * 4 + (i + 1) % 4));
    check("o[i] = subgroupQuadBroadcast(v, 2u) + subgroupQuadSwapHorizontal(v) * 1000u;", |i| {
        value(i / 4 * 4 + 2) + value(i ^ 1) * 1000
    });
    check("o[i] = subgroupQuadSwapVertical(v) + subgroupQuadSwapDiagonal(v) * 1000u;", |i| {
        value(i ^ 2) + value(i ^ 3) * 1000
    });
}

#[test]
fn sums_and_scans_of_amd() {
    check("o[i] = addInvocationsAMD(v);", |i| group(i).map(value).sum());
    check(
        "uvec2 both = addInvocationsInclusiveScanAMD(uvec2(v, 1u)); o[i] = both.x + both.y * 10000u;",
        |i| (group(i).start..=i).map(value).sum::<u32>() + (i as u32 % 8 + 1) * 10000,
    );
    check("o[i] = minInvocationsExclusiveScanAMD(100u - l);", |i| match i % 8 {
        0 => u32::MAX,
        l => 101 - l as u32,
    });
    check("if (l > 2u) o[i] = uint(maxInvocationsNonUniformAMD(int(l) - 20) + 100);", |i| {
        if i % 8 > 2 { 87 } else { 0 }
    });
    check("if (l > 2u) o[i] = uint(addInvocationsInclusiveScanNonUniformAMD(0.5) * 2.0);", |i| {
        (i as u32 % 8).saturating_sub(2)
    });
}

#[test]
fn exchanges_of_amd() {
    check("o[i] = swizzleInvocationsAMD(v, uvec4(3, 0, 0, 2));", |i| value(i / 4 * 4 + [3, 0, 0, 2][i % 4]));
    check("if (l % 4u > 0u) o[i] = swizzleInvocationsAMD(v, uvec4(0, 0, 3, 1));", |i| match i % 4 {
        0 | 1 => 0,
        2 => value(i + 1),
        _ => value(i - 2),
    });
    check("o[i] = swizzleInvocationsMaskedAMD(v, uvec3(6, 1, 2));", |i| {
        value(group(i).start + (((i % 8) & 6 | 1) ^ 2))
    });
    check("o[i] = uint(swizzleInvocationsMaskedAMD(vec2(l, 1), uvec3(0, 0, 8)).y);", |_| 0);
    check("o[i] = writeInvocationAMD(v, 7u, 3u);", |i| if i % 8 == 3 { 7 } else { value(i) });
    check("o[i] = mbcntAMD(0xf0000000fful << 4) + 100u * mbcntAMD(~0ul);", |i| {
        (i as u32 % 8).saturating_sub(4) + 100 * (i as u32 % 8)
    });
}

#[test]
fn sums_scans_and_clusters() {
    check("o[i] = subgroupAdd(v);", |i| group(i).map(value).sum());
    check("o[i] = subgroupMax(v) + subgroupMin(v) * 1000u;", |i| {
        value(group(i).end - 1) + value(group(i).start) * 1000
    });
    check("o[i] = subgroupInclusiveAdd(v);", |i| (group(i).start..=i).map(value).sum());
    check("o[i] = subgroupExclusiveAdd(v);", |i| (group(i).start..i).map(value).sum());
    check("o[i] = subgroupClusteredAdd(v, 4u);", |i| (i / 4 * 4..i / 4 * 4 + 4).map(value).sum());
    check("o[i] = uint(subgroupMul(1.5) * 1000.0);", |_| (1.5f32.powi(8) * 1000.0) as u32);
    check("o[i] = subgroupAnd(v | 1u) + subgroupXor(v) * 100u;", |i| {
        group(i).map(|n| value(n) | 1).fold(u32::MAX, |a, b| a & b)
            + group(i).map(value).fold(0, |a, b| a ^ b) * 100
    });
    check("if (l % 2u == 0u) o[i] = subgroupAdd(v); else o[i] = subgroupExclusiveMul(2u);", |i| {
        if i % 2 == 0 { group(i).filter(|n| n % 2 == 0).map(value).sum() } else { 1 << (i % 8 / 2) }
    });
}

#[test]
fn partitions() {
    check("o[i] = subgroupPartitionNV(l % 3u).x;", |i| {
        (0..8).filter(|n| n % 3 == i % 8 % 3).fold(0, |mask, n| mask | 1 << n)
    });
    check("o[i] = subgroupPartitionedAddNV(v, subgroupPartitionNV(l % 3u));", |i| {
        group(i).filter(|n| n % 8 % 3 == i % 8 % 3).map(value).sum()
    });
}

#[test]
fn a_workgroup_that_does_not_fill_its_last_subgroup() {
    let source = "
        layout(local_size_x = 11) in;
        layout(binding = 0) buffer Out { uint o[]; };
        void main() { o[gl_LocalInvocationIndex] = subgroupAdd(1u) + gl_NumSubgroups * 100u + gl_SubgroupID * 1000u; }";
    let found = Run::new(source).subgroup_size(8).zeros(11).run().words(0);
    assert_eq!(found, [[208; 8].to_vec(), vec![1203; 3]].concat());
}
