//! Where matrices, layouts and views may be declared.

use coopmat_analysis::extensions::{ExtensionId, ids};
use coopmat_analysis::types::Scalar;

use crate::parts::{Layout, Matrix, USE_A, USE_ACCUMULATOR, View};
use crate::shader::{Shader, marked};
use crate::suite::Suite;
use crate::valid::types_nv;

pub fn add(suite: &mut Suite) {
    let mut types: Vec<(String, ExtensionId, &str)> = Vec::new();
    for matrix in [
        Matrix::new(Scalar::Float16, 16, 16, USE_A),
        Matrix::new(Scalar::Float32, 16, 16, USE_ACCUMULATOR),
        Matrix::new(Scalar::Int8, 16, 16, USE_A).of_workgroup(),
    ] {
        types.push((matrix.to_string(), ids::GL_KHR_COOPERATIVE_MATRIX, "coopmat-storage"));
    }
    for matrix in types_nv() {
        types.push((matrix.to_string(), ids::GL_NV_INTEGER_COOPERATIVE_MATRIX, "coopmat-storage"));
    }
    let layout = Layout::new(&[16, 16]).ty();
    let view = View { dimensions: 2, own_dimensions: None, permutation: None }.ty();
    types.push((layout, ids::GL_NV_COOPERATIVE_MATRIX2, "type-storage"));
    types.push((view, ids::GL_NV_COOPERATIVE_MATRIX2, "type-storage"));
    for (ty, extension, id) in types {
        let shader = |lines: &[String]| {
            let mut shader = Shader::default();
            shader.require(ids::GL_NV_COOPERATIVE_MATRIX);
            shader.require(extension);
            shader.require(ids::GL_EXT_BUFFER_REFERENCE);
            shader.top.extend(lines.iter().cloned());
            shader
        };
        let structure = format!("struct Holder {{ {ty} member; }};");
        let valid = shader(&[
            structure.clone(),
            format!("{ty} global;"),
            format!("{ty} several[2];"),
            "Holder held;".to_owned(),
            format!(
                "{ty} through({ty} value, inout {ty} other, out {ty} written) {{ written = value; return other; }}"
            ),
        ]);
        let name = ty.split('<').next().unwrap_or(&ty).to_owned();
        let twin = suite.twin(&name, valid.text(), valid.settings);
        let mut broken = |rule, lines: &[String]| {
            let broken = shader(lines);
            suite.case(twin, rule, &[id], broken.text(), broken.settings);
        };
        let value = marked("value");
        let memory = "not in uniform, buffer or shared memory";
        broken(memory, &[format!("shared {ty} {value};")]);
        broken(memory, &[format!("shared {ty} {value}[4];")]);
        broken(memory, &[structure.clone(), format!("shared Holder {value};")]);
        for block in [
            "layout(binding = 0) buffer",
            "layout(binding = 0) readonly buffer",
            "layout(binding = 0) uniform",
            "layout(push_constant) uniform",
            "layout(buffer_reference, std430) buffer",
        ] {
            broken(memory, &[format!("{block} Block {{ {ty} {value}; }};")]);
            broken(memory, &[format!("{block} Block {{ float first; {ty} {value}[2]; }};")]);
            broken(memory, &[structure.clone(), format!("{block} Block {{ Holder {value}; }};")]);
        }
    }
}
