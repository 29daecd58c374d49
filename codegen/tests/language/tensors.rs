//! GL_ARM_tensors.

use expect_test::expect;

use super::check;

#[test]
fn tensors_are_read_and_written_by_coordinates() {
    check(
        "#extension GL_ARM_tensors : require
        layout(binding = 0) uniform tensorARM<int, 2> t;
        layout(binding = 1) buffer B { int one; uint size; };
        uint rows(readonly tensorARM<int, 2> of) { return tensorSizeARM(of, 0); }
        void main() {
            int several[4];
            tensorReadARM(t, uint[](1, 2), several);
            tensorReadARM(t, uint[](3, 4), one, gl_TensorOperandsOutOfBoundsValueARM, 7);
            tensorWriteARM(t, uint[](5, 6), several, gl_TensorOperandsNonTemporalARM);
            size = rows(t);
        }",
        &["OpCapability", "OpExtension", "Tensor"],
        expect![[r#"
            OpCapability Shader
            OpCapability TensorsARM
            OpExtension "SPV_ARM_tensors"
            %12 = OpTypeTensorARM %int %uint_2
            %19 = OpTensorReadARM %_arr_int_uint_4 %15 %18
            %24 = OpTensorReadARM %int %20 %22 OutOfBoundsValueARM %int_7
            OpTensorWriteARM %31 %34 %35 NontemporalARM
            %45 = OpTensorQuerySizeARM %uint %44 %int_0
        "#]],
    );
}
