//! Parts of values: they share the registers of the whole, which has to stay what it was.

use std::collections::HashMap;

use crate::support::Run;
use coopmat_spirv::dr::{Module, Operand};
use coopmat_spirv::inst;
use coopmat_spirv::spirv::{Op, StorageClass};

/// The same module with parts of variables loaded as optimisers do it: the whole variable, of which a part is extracted.
fn with_extracts(mut module: Module) -> Module {
    let mut constants = HashMap::new();
    let mut pointees = HashMap::new();
    for source in &module.types_global_values {
        match (source.class.opcode, &source.operands[..]) {
            (Op::Constant, [Operand::LiteralBit32(word)]) => {
                constants.insert(source.result_id, *word);
            }
            (Op::TypePointer, [Operand::StorageClass(StorageClass::Function), Operand::IdRef(pointee)]) => {
                pointees.insert(source.result_id, *pointee);
            }
            _ => {}
        }
    }
    let mut bound = module.header.as_ref().expect("a header").bound;
    let first = bound;
    let (mut variables, mut chains) = (HashMap::new(), HashMap::new());
    for block in module.functions.iter_mut().flat_map(|function| &mut function.blocks) {
        let mut made = Vec::new();
        for source in std::mem::take(&mut block.instructions) {
            match (source.class.opcode, &source.operands[..]) {
                (Op::Variable, _) => {
                    variables.insert(source.result_id, pointees[&source.result_type]);
                }
                (Op::AccessChain, [Operand::IdRef(base), Operand::IdRef(index)])
                    if variables.contains_key(&Some(*base)) && constants.contains_key(&Some(*index)) =>
                {
                    chains.insert(source.result_id, (*base, constants[&Some(*index)]));
                }
                (Op::Load, [Operand::IdRef(pointer)]) if chains.contains_key(&Some(*pointer)) => {
                    let (base, index) = chains[&Some(*pointer)];
                    let type_ = Some(variables[&Some(base)]);
                    made.push(inst(Op::Load, type_, Some(bound), vec![Operand::IdRef(base)]));
                    let operands = vec![Operand::IdRef(bound), Operand::LiteralBit32(index)];
                    made.push(inst(Op::CompositeExtract, source.result_type, source.result_id, operands));
                    bound += 1;
                    continue;
                }
                _ => {}
            }
            made.push(source);
        }
        block.instructions = made;
    }
    assert!(bound > first, "nothing was extracted");
    if let Some(header) = &mut module.header {
        header.bound = bound;
    }
    module
}

#[test]
fn parts_stay_what_they_were_when_the_whole_changes() {
    let source = "
        layout(local_size_x = 1) in;
        layout(binding = 0) buffer O { uint o[]; };
        struct S { uint a, b; };
        void main() {
            S s = S(o[0], o[1]);
            uvec3 v = uvec3(o[0], o[1], o[2]);
            uint x = v.x, y = v.y, z = v.z, a = s.a, b = s.b;
            v = uvec3(90u, 91u, 92u); s.a = 93u; s.b = 94u;
            o[3] = x; o[4] = y; o[5] = z; o[6] = a; o[7] = b;
            o[8] = v.x + v.y + v.z + s.a + s.b;
        }";
    let module = with_extracts(crate::support::module(source));
    assert_eq!(
        Run::of(module).words(&[3, 4, 5, 0, 0, 0, 0, 0, 0]).run().words(0),
        [3, 4, 5, 3, 4, 5, 3, 4, 460]
    );
}

#[test]
fn a_matrix_stays_in_the_structure_that_it_was_taken_from() {
    let source = "#extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        layout(local_size_x = 32) in;
        layout(binding = 0) readonly buffer A { float a[]; };
        layout(binding = 1) buffer C { float c[]; };
        #define M coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
        struct S { float f; M m; };
        void main() {
            S s; coopMatLoad(s.m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            M x = s.m;
            if (a[0] > 0.0) { x = x + x; }
            coopMatStore(x, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(s.m, c, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let module = with_extracts(crate::support::module(source));
    let ones: Vec<f32> = vec![1.0; 256];
    let found = Run::of(module).subgroup_size(32).floats(&ones).zeros(512).run().floats(1);
    assert_eq!([found[0], found[256]], [2.0, 1.0]);
}

#[test]
fn matrices_of_a_structure_are_taken_twice() {
    let source = "#extension GL_KHR_cooperative_matrix : require
        #extension GL_KHR_memory_scope_semantics : require
        layout(local_size_x = 32) in;
        layout(binding = 0) readonly buffer A { float a[]; };
        layout(binding = 1) buffer C { float c[]; };
        #define M coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>
        struct S { float f; M m; };
        S f() { M m; coopMatLoad(m, a, 0, 16, gl_CooperativeMatrixLayoutRowMajor); return S(1.0, m); }
        void main() {
            S s = f();
            M x = s.m;
            M y = s.m;
            S t = s;
            x = x + x;
            if (a[0] > 0.0) { y = y + x; t.m = t.m + y; }
            coopMatStore(x, c, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(y, c, 256, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(t.m, c, 512, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStore(s.m, c, 768, 16, gl_CooperativeMatrixLayoutRowMajor);
        }";
    let ones: Vec<f32> = vec![1.0; 256];
    let found = Run::new(source).subgroup_size(32).floats(&ones).zeros(1024).run().floats(1);
    assert_eq!([found[0], found[256], found[512], found[768]], [2.0, 3.0, 4.0, 1.0]);
}
