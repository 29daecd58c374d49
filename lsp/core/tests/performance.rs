//! What is known of a shader's speed before it runs.

use coopmat_analysis::analyze;
use coopmat_analysis::config::Configuration;
use coopmat_analysis::fixture::{Reported, compare, page_examples};
use coopmat_analysis::sources::NoFiles;
use coopmat_server::performance::{Found, performance};

/// The examples of each page get what they mark of that page.
#[test]
fn the_pages_get_what_they_mark() {
    for code in coopmat_analysis::PERFORMANCE_CODES {
        let (wrong, right) = page_examples(code.page);
        for example in wrong.iter().chain(&right) {
            let result = compare(example, |path, text, config, loader| {
                let analysis = analyze(path, text, config, loader, None);
                let mut found = performance(&analysis).diagnostics;
                found.retain(|one| one.code == code);
                Reported::new(analysis.files(), found)
            });
            assert_eq!(result, Ok(()), "{}", code.id);
        }
    }
}

fn found(device: &str, stride: &str) -> Found {
    let source = format!(
        "#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint PADDING = 0;
layout(push_constant) uniform Parameters {{ uint given; }};
layout(binding = 0) buffer Data {{ float16_t data[]; }};
shared float16_t staged[1024];
void main() {{
coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
coopMatLoad(a, staged, 0, {stride}, gl_CooperativeMatrixLayoutRowMajor);
coopMatStore(a, data, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}}"
    );
    let device = Some(device.to_owned()).filter(|name| name != "none");
    let config = Configuration { device, ..Configuration::default() };
    performance(&analyze("x.comp", source.into(), &config, &NoFiles, None))
}

/// A stride that depends on a specialization constant has its value; one that is given when the shader runs is not looked at, and that is told.
#[test]
fn strides_are_constants_of_the_configuration() {
    let messages = |found: Found| found.diagnostics.into_iter().map(|one| one.message).collect::<Vec<_>>();
    let specialized = messages(found("nvidia-h200", "16 + PADDING"));
    assert_eq!(
        specialized,
        [
            "the load takes 8 passes of shared memory instead of 4 on nvidia-h200, with a stride of 16 (2-way conflicts); without conflicts: a stride of 24 or 40 or 56"
        ]
    );
    assert_eq!(messages(found("nvidia-h200", "24 + PADDING")), [""; 0]);
    let given = found("nvidia-h200", "given");
    assert_eq!(given.notes, ["some matrices in shared memory have a stride that is no constant"]);
}

#[test]
fn what_a_device_does_not_say_is_told() {
    let of = |device| found(device, "16").notes;
    assert_eq!(of("none"), ["no device is set, use --device NAME"]);
    assert_eq!(of("amd-rdna3"), ["the profile of amd-rdna3 does not say how its banks are"]);
    assert_eq!(of("nvk-ada"), ["it is not known which invocation of nvk-ada owns which element of a matrix"]);
}
