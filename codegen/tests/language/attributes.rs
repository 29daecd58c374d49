//! Attributes of statements and functions, and `switch`.

use expect_test::expect;

use super::check;

#[test]
fn branches_are_flattened_or_not() {
    check(
        "#extension GL_EXT_control_flow_attributes : require
        layout(binding = 0) buffer B { int o[]; };
        void main() {
            [[flatten]] if (o[0] > 1) o[1] = 1; else [[dont_flatten]] if (o[0] > 2) o[1] = 2;
            if (o[0] > 3) o[1] = 3;
            [[branch]] switch (o[0]) { case 1: o[2] = 1; }
        }",
        &["SelectionMerge"],
        expect![[r#"
            OpSelectionMerge %18 Flatten
            OpSelectionMerge %26 DontFlatten
            OpSelectionMerge %33 None
            OpSelectionMerge %37 DontFlatten
        "#]],
    );
}

#[test]
fn loops_have_all_their_hints() {
    check(
        "#extension GL_EXT_control_flow_attributes : require
        #extension GL_EXT_control_flow_attributes2 : require
        layout(binding = 0) buffer B { int o[]; };
        void main() {
            [[unroll, dependency_length(4)]] for (int i = 0; i < 4; ++i) o[i] = i;
            [[dont_unroll, min_iterations(1), max_iterations(8)]] while (o[0] > 1) o[0]--;
            [[dependency_infinite, peel_count(2), partial_count(3), iteration_multiple(5)]] do o[1]--; while (o[1] > 0);
        }",
        &["LoopMerge"],
        expect![[r#"
            OpLoopMerge %12 %11 Unroll|DependencyLength 4
            OpLoopMerge %31 %30 DontUnroll|MinIterations|MaxIterations 1 8
            OpLoopMerge %41 %40 DependencyInfinite|IterationMultiple|PeelCount|PartialCount 5 2 3
        "#]],
    );
}

#[test]
fn functions_are_inlined_or_not() {
    check(
        "#extension GL_EXT_function_control_attributes : require
        layout(binding = 0) buffer B { int o[]; };
        [[inline]] int a(int i);
        int a(int i) { return i + 1; }
        [[noinline]] int b(int i) { return i + 2; }
        int c(int i) [[inline]] { return i + 3; }
        int d(int i) { return i + 4; }
        void main() { o[0] = a(1) + b(2) + c(3) + d(4); }",
        &["OpFunction "],
        expect![[r#"
            %main = OpFunction %void None %3
            %a = OpFunction %int Inline %28
            %b = OpFunction %int DontInline %28
            %c = OpFunction %int Inline %28
            %d = OpFunction %int None %28
        "#]],
    );
}

#[test]
fn the_entry_point_says_how_invocations_come_together() {
    let main = "layout(binding = 0) buffer B { int o[]; };
        void main() [[maximally_reconverges, subgroup_uniform_control_flow]] { o[0] = 1; }";
    check(
        &format!(
            "#extension GL_EXT_maximal_reconvergence : require
            #extension GL_EXT_subgroup_uniform_control_flow : require
            {main}"
        ),
        &["OpExecutionMode", "OpExtension"],
        expect![[r#"
            OpExtension "SPV_KHR_maximal_reconvergence"
            OpExtension "SPV_KHR_subgroup_uniform_control_flow"
            OpExecutionMode %main LocalSize 1 1 1
            OpExecutionMode %main MaximallyReconvergesKHR
            OpExecutionMode %main SubgroupUniformControlFlowKHR
        "#]],
    );
    // Without its extension an attribute is unknown, and says nothing.
    check(
        main,
        &["OpExecutionMode", "OpExtension"],
        expect![[r#"
        OpExecutionMode %main LocalSize 1 1 1
    "#]],
    );
}

#[test]
fn labels_that_depend_on_specialization_are_numbered() {
    check(
        "layout(constant_id = 0) const int K = 3;
        layout(binding = 0) buffer B { uint i; uint o[]; };
        void main() { switch (i) { case 1: o[0] = 1; case K: o[1] = 2; break; default: o[2] = 3; } }",
        &["OpSwitch", "OpIEqual", "OpSelect "],
        expect![[r#"
            %19 = OpIEqual %bool %18 %int_1
            %20 = OpSelect %int %19 %int_0 %int_n1
            %22 = OpIEqual %bool %18 %K
            %23 = OpSelect %int %22 %int_1 %20
            OpSwitch %23 %27 0 %25 1 %26
        "#]],
    );
}
