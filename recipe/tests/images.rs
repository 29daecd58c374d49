//! Images in recipes: samplers, levels of detail, formats, components; and in words what does not fit.

use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_recipe::modes::first;
use coopmat_recipe::{Files, Host, Overrides, Plan, PlanError, Report, parse, run};
use coopmat_spirv::dr::Module;

struct NoFile;

impl Files for NoFile {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("no {path}"))
    }
}

fn module(shader: &str) -> Module {
    let source = format!(
        "#version 460
        #extension GL_EXT_samplerless_texture_functions : require
        #extension GL_EXT_buffer_reference : require
        #extension GL_EXT_scalar_block_layout : require
        #extension GL_EXT_shader_explicit_arithmetic_types : require
        #extension GL_EXT_shader_image_load_formatted : require
        {shader}"
    );
    let config = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = coopmat_analysis::analyze("/test.comp", source.as_str().into(), &config, &NoFiles, None);
    coopmat_codegen::compile(&analysis, &Default::default()).unwrap().module
}

fn plan(shader: &str, recipe: &str) -> Result<Plan, String> {
    let parsed = parse(recipe).map_err(|error| error.message)?;
    Plan::new(&parsed, recipe, &[(&module(shader)).into()], &NoFile, &Overrides::default()).map_err(|error| {
        match error {
            PlanError::Recipe(error) => error.message,
            PlanError::Program(_, error) => error.to_string(),
        }
    })
}

/// Runs in checked mode.
fn report(shader: &str, recipe: &str) -> Report {
    let plan = plan(shader, recipe).unwrap_or_else(|error| panic!("{error}"));
    let recipe = parse(recipe).unwrap();
    let mut modes = first(&recipe, plan.subgroup_size);
    modes.checked = true;
    let host =
        Host { pool: None, tier: None, observers: Vec::new(), place: &|_, _| None, go_on: &mut |_, _| true };
    run(&plan, &recipe, &modes, host).report
}

fn assert_met(shader: &str, recipe: &str) {
    let report = report(shader, recipe);
    assert!(report.error.is_none() && report.met, "{:#?}", (report.error, report.expectations));
    assert!(report.findings.is_empty(), "{:#?}", report.findings);
}

fn refusal(shader: &str, recipe: &str) -> String {
    plan(shader, recipe).expect_err("a recipe that does not fit")
}

/// Four texels of a row, sampled between them.
const BETWEEN: &str = "
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer Out { float found[5]; };
void main() {
    for (int i = 0; i < 5; i++) found[i] = textureLod(picture, vec2(float(i) / 4.0, 0.5), 0.0).r;
}";

const BETWEEN_RECIPE: &str = r#"
buffers = [
    { name = "picture", shape = [1, 4, 1], fill.values = [10, 20, 30, 40] },
    { name = "found", shape = [5] },
]
samplers = [{ name = "picture", mag-filter = "linear", address-mode = "repeat" }]
expect = [{ buffer = "found", equals.values = [25, 15, 25, 35, 25] }]
"#;

#[test]
fn a_sampler_with_a_linear_filter_blends_and_repeats() {
    assert_met(BETWEEN, BETWEEN_RECIPE);
}

#[test]
fn without_a_sampler_the_nearest_texel_is_taken_and_the_one_at_the_edge() {
    let recipe = BETWEEN_RECIPE.lines().filter(|line| !line.starts_with("samplers")).collect::<Vec<_>>();
    assert_met(BETWEEN, &recipe.join("\n").replace("[25, 15, 25, 35, 25]", "[10, 20, 30, 40, 40]"));
}

#[test]
fn the_border_has_the_colour_that_the_sampler_says() {
    let sampler = r#"mag-filter = "linear", address-mode = "clamp-to-border", border-color = "opaque-white""#;
    let recipe = BETWEEN_RECIPE
        .replace(r#"mag-filter = "linear", address-mode = "repeat""#, sampler)
        .replace("[25, 15, 25, 35, 25]", "[5.5, 15, 25, 35, 20.5]");
    assert_met(BETWEEN, &recipe);
}

/// A sampler by itself, in an array of two, and coordinates that count texels.
const ALONE: &str = "
layout(local_size_x = 1) in;
layout(set = 1, binding = 0) uniform texture2D picture;
layout(set = 1, binding = 3) uniform sampler ways[2];
layout(binding = 1) buffer Out { float found[2]; };
void main() {
    found[0] = textureLod(sampler2D(picture, ways[0]), vec2(1.5, 0.5), 0.0).r;
    found[1] = textureLod(sampler2D(picture, ways[1]), vec2(1.5, 0.5), 0.0).r;
}";

#[test]
fn samplers_alone_are_bound_by_name_or_by_number() {
    assert_met(
        ALONE,
        r#"
buffers = [
    { name = "picture", shape = [1, 4, 1], fill.values = [10, 20, 30, 40] },
    { name = "found", shape = [2] },
]
samplers = [
    { name = "ways", address-mode = ["repeat", "clamp-to-edge", "mirrored-repeat"] },
    { name = "other", set = 1, binding = 3, index = 1, unnormalized-coordinates = true },
]
expect = [{ buffer = "found", equals.values = [30, 20] }]
"#,
    );
}

#[test]
fn each_of_several_dispatches_has_its_samplers() {
    assert_met(
        BETWEEN,
        r#"
buffers = [
    { name = "picture", shape = [1, 4, 1], fill.values = [10, 20, 30, 40] },
    { name = "found", shape = [5] },
]
samplers = [{ name = "smooth", mag-filter = "linear", address-mode = "repeat" }]
dispatches = [{ samplers = { "0.0" = "smooth" } }]
expect = [{ buffer = "found", equals.values = [25, 15, 25, 35, 25] }]
"#,
    );
}

/// The level that a level of detail of 1.25 is of, and what a fetch finds in the last one.
const LEVELS: &str = "
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2D picture;
layout(binding = 1) buffer Out { float found[4]; };
void main() {
    found[0] = textureLod(picture, vec2(0.5), 1.25).r;
    found[1] = texelFetch(picture, ivec2(0, 0), 2).r;
    found[2] = float(textureQueryLevels(picture));
    found[3] = float(textureSize(picture, 1).x);
}";

const LEVELS_RECIPE: &str = r#"
buffers = [
    { name = "picture", shape = [4, 4, 1], fill.constant = 1 },
    { name = "half", mip-level = { of = "picture", level = 1 }, fill.constant = 2 },
    { name = "quarter", mip-level = { of = "picture", level = 2 }, fill.constant = 4 },
    { name = "found", shape = [4] },
]
samplers = [{ name = "picture", mipmap-mode = "linear" }]
expect = [{ buffer = "found", equals.values = [2.5, 4, 3, 2] }, { buffer = "half", equals.value = "half" }]
"#;

#[test]
fn levels_of_detail_are_buffers_of_the_recipe() {
    assert_met(LEVELS, LEVELS_RECIPE);
    let biased = LEVELS_RECIPE.replace(r#"mipmap-mode = "linear""#, r#"mip-lod-bias = 1.0, max-lod = 1.75"#);
    assert_met(LEVELS, &biased.replace("[2.5, ", "[4, "));
}

#[test]
fn levels_that_do_not_fit_are_refused() {
    let with = |old: &str, new: &str| {
        assert!(LEVELS_RECIPE.contains(old));
        refusal(LEVELS, &LEVELS_RECIPE.replace(old, new))
    };
    assert_eq!(
        with("level = 2 }", "level = 3 }"),
        "expected level 2 of `picture`, found 3: levels come in their order"
    );
    assert_eq!(
        with("of = \"picture\", level = 1 }", "of = \"found\", level = 1 }"),
        "there is no image `found` before `half`: levels follow their image"
    );
    assert_eq!(
        with("level = 1 }", "level = 1 }, shape = [2, 3, 1]"),
        "level 1 of `picture` has the shape [2, 2, 1], found [2, 3, 1]: leave `shape` out"
    );
    assert_eq!(
        with("fill.constant = 2", "fill = \"uninitialised\""),
        "`picture` and its levels are `uninitialised` together or not at all: whether texels were written is known of a whole image"
    );
    assert_eq!(
        with("shape = [4, 4, 1]", "shape = [2, 3, 1]"),
        "`picture` has no level 2: the last one, of a single texel, is 1"
    );
    assert_eq!(
        with("level = 1 }", "level = 1 }, binding = 4"),
        "a level is bound with its image, `picture`: it has no place of its own"
    );
}

/// An image whose format the shader leaves open.
const OPEN: &str = "
layout(local_size_x = 1) in;
layout(binding = 0) uniform image2D to;
layout(binding = 1) uniform texture2D from;
void main() { imageStore(to, ivec2(0, 0), texelFetch(from, ivec2(0, 0), 0) * 0.5); }";

#[test]
fn the_format_rounds_and_components_are_moved() {
    assert_met(
        OPEN,
        r#"
buffers = [
    { name = "to", shape = [1, 1, 4], format = "R8G8B8A8_UNORM" },
    { name = "from", shape = [1, 1, 4], format = "VK_FORMAT_R8G8B8A8_SNORM", components = "bgr1", fill.values = [0.2, 0.4, 0.6, 0.8] },
]

[[expect]]
buffer = "to"
equals.values = ["76 / 255", "51 / 255", "25 / 255", "128 / 255"]
tolerance.absolute = 1e-7
"#,
    );
}

#[test]
fn formats_and_components_that_do_not_fit_are_refused() {
    let recipe = |to: &str, from: &str| {
        let text = format!(
            "buffers = [{{ name = \"to\", shape = [1, 1, 4]{to} }}, {{ name = \"from\", shape = [1, 1, 4]{from} }}]"
        );
        refusal(OPEN, &text)
    };
    assert_eq!(
        recipe(", format = \"R8G8B8A8_SRGB\"", ""),
        "shaders store to no image of the format R8G8B8A8_SRGB"
    );
    assert_eq!(recipe("", ", format = \"R8_UINT\""), "`from` holds floats, and the format R8_UINT does not");
    let unknown = recipe("", ", format = \"R8\"");
    assert!(unknown.contains("`R8` is not a format of texels that recipes have; expected one of R8_UNORM, "));
    let components = recipe("", ", components = \"xyz\"");
    assert!(components.contains("expected four of r, g, b, a, 0 and 1, such as \"bgra\", found `xyz`"));
}

#[test]
fn samplers_that_do_not_fit_are_refused() {
    let with = |sampler: &str| {
        let lines = BETWEEN_RECIPE.lines().map(|line| match line.starts_with("samplers") {
            true => format!("samplers = [{sampler}]"),
            false => line.to_owned(),
        });
        refusal(BETWEEN, &lines.collect::<Vec<_>>().join("\n"))
    };
    assert_eq!(
        with("{ name = \"other\" }"),
        "the shader has no sampler `other`: it has picture (set 0, binding 0); choose one with `binding = N`"
    );
    assert_eq!(with("{ name = \"other\", binding = 1 }"), "the shader takes no sampler at set 0, binding 1");
    assert_eq!(
        with("{ name = \"picture\", min-lod = 2, max-lod = 1 }"),
        "the smallest level of detail is 2, the largest 1: expected it to be as large or larger"
    );
    assert_eq!(
        with("{ name = \"picture\" }, { name = \"again\", binding = 0 }"),
        "`picture` and `again` are both at set 0, binding 0: only one sampler can be there"
    );
    let mode = with("{ name = \"picture\", address-mode = \"wrap\" }");
    assert!(mode.contains("expected `repeat`, `mirrored-repeat`, `clamp-to-edge`"), "{mode}");
}

/// A buffer that is bound twice, from different bytes on, and one that holds an address of it.
const PARTS: &str = "
layout(local_size_x = 1) in;
layout(buffer_reference, scalar) readonly buffer Floats { float at[]; };
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2, scalar) readonly buffer Where { uint before; Floats floats; };
layout(binding = 3) buffer Out { float found[4]; };
void main() { found = float[4](a[0], b[0], floats.at[0], float(a.length() - b.length())); }";

const PARTS_RECIPE: &str = r#"
dispatches = [{ buffers = { A = "all", B = { buffer = "all", offset = 256 } } }]
buffers = [
    { name = "all", shape = [128], fill.iota = {} },
    { name = "Where", type = "u8", shape = [16], addresses = [{ offset = 8, address = "all", plus = 8 }] },
    { name = "found", shape = [4] },
]
expect = [{ buffer = "found", equals.values = [0, 64, 2, 64] }]
"#;

#[test]
fn a_part_of_a_buffer_is_bound_and_addresses_are_at_any_place() {
    assert_met(PARTS, PARTS_RECIPE);
    let beyond = PARTS_RECIPE.replace("offset = 256", "offset = 512");
    assert_eq!(
        refusal(PARTS, &beyond),
        "`all` has 512 bytes, and what is bound begins at byte 512: expected it to begin inside"
    );
    let beyond = PARTS_RECIPE.replace("offset = 8", "offset = 9");
    assert_eq!(refusal(PARTS, &beyond), "an address takes 8 bytes, and `Where` has 16");
}
