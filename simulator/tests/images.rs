//! Images that are sampled: filters, what is outside, levels of detail. What they should give is computed here, from the sentences of Vulkan's "Texel
//! Input Operations".

use coopmat_simulator::{AddressMode, Border, Channel, Filter, Image, ProgramOptions, Sampler};
use coopmat_spirv::spirv::ImageFormat;

use crate::support::{Run, module};

/// What a shader writes to eight places of a buffer; `image` is at binding 1, `textures` with a sampler.
fn sampled(declared: &str, image: Image, sampler: Sampler, body: &str) -> Vec<f32> {
    let mut run = Run::new(&format!(
        "layout(local_size_x = 8) in;
        layout(binding = 0) buffer Out {{ float o[8]; }};
        layout(binding = 1) uniform {declared} image;
        void main() {{ uint i = gl_LocalInvocationIndex; {body} }}"
    ));
    let image = run.resources.image(image);
    run.resources.bind_image(0, 1, 0, image);
    run.resources.bind_sampler(0, 1, 0, sampler);
    run.zeros(8).run().floats(0)
}

/// An image whose texels say where they are: x + 10 y + 100 z, and 1000 for each level.
fn numbered(size: [u32; 3], levels: u32, dimensions: usize) -> Image {
    let image = Image::with_levels(size, levels, dimensions);
    for level in 0..levels {
        let [width, height, depth] = image.size_of(level).map(i64::from);
        for (x, y, z) in
            (0..width).flat_map(|x| (0..height).flat_map(move |y| (0..depth).map(move |z| (x, y, z))))
        {
            let value = (x + 10 * y + 100 * z + 1000 * i64::from(level)) as f32;
            image.set_texel_of(level, [x, y, z], [value.to_bits(), 0, 0, 1f32.to_bits()]);
        }
    }
    image
}

const LINEAR: Sampler = Sampler {
    magnify: Filter::Linear,
    minify: Filter::Linear,
    between_levels: Filter::Nearest,
    address: [AddressMode::ClampToEdge; 3],
    border: Border::TransparentBlack,
    bias: 0.0,
    levels: [0.0, 1000.0],
    normalized: true,
};

#[test]
fn outside_of_an_image_each_address_mode_reads_something_else() {
    let row = |mode: AddressMode| {
        let sampler = Sampler { address: [mode; 3], border: Border::OpaqueWhite, ..Sampler::default() };
        let body = "o[i] = textureLod(image, (float(i) * 2.0 - 4.5) / 4.0, 0.0).x;";
        sampled("sampler1D", numbered([4, 1, 1], 1, 1), sampler, body)
    };
    // Texels -5, -3, -1, 1, 3, 5, 7, 9 of a row of four.
    assert_eq!(row(AddressMode::ClampToEdge), [0.0, 0.0, 0.0, 1.0, 3.0, 3.0, 3.0, 3.0]);
    assert_eq!(row(AddressMode::Repeat), [3.0, 1.0, 3.0, 1.0, 3.0, 1.0, 3.0, 1.0]);
    assert_eq!(row(AddressMode::MirroredRepeat), [3.0, 2.0, 0.0, 1.0, 3.0, 2.0, 0.0, 1.0]);
    assert_eq!(row(AddressMode::ClampToBorder), [1.0, 1.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0]);
    assert_eq!(row(AddressMode::MirrorClampToEdge), [3.0, 2.0, 0.0, 1.0, 3.0, 3.0, 3.0, 3.0]);
}

#[test]
fn a_linear_filter_blends_the_texels_around_a_place() {
    let body = "o[i] = textureLod(image, vec2(0.5 + float(i) * 0.25, 1.25) / vec2(4.0, 2.0), 0.0).x;";
    let found = sampled("sampler2D", numbered([4, 2, 1], 1, 2), LINEAR, body);
    let expected: Vec<f32> = (0..8).map(|i| i as f32 * 0.25 + 10.0 * 0.75).collect();
    assert_eq!(found, expected);
    let body = "o[i] = textureLod(image, vec3(1.0, 1.0, 0.5 + float(i) * 0.125) / 2.0, 0.0).x;";
    let found = sampled("sampler3D", numbered([2, 2, 2], 1, 3), LINEAR, body);
    let expected: Vec<f32> = (0..8).map(|i| 0.5 + 5.0 + 100.0 * i as f32 * 0.125).collect();
    assert_eq!(found, expected);
    // Layers are not blended.
    let body = "o[i] = textureLod(image, vec3(0.25, 0.25, float(i) * 0.4), 0.0).x;";
    let found = sampled("sampler2DArray", numbered([2, 2, 3], 1, 2), LINEAR, body);
    assert_eq!(found, [0.0, 0.0, 100.0, 100.0, 200.0, 200.0, 200.0, 200.0]);
    // Nor are integers.
    let body = "o[i] = textureLod(image, float(i) / 8.0, 0.0).x;";
    let ones = sampled("usampler1D", numbered([1, 1, 1], 1, 1), LINEAR, body);
    assert_eq!(ones, [0.0; 8]);
}

#[test]
fn a_border_has_the_components_of_the_image() {
    let sampler = Sampler { address: [AddressMode::ClampToBorder; 3], border: Border::OpaqueWhite, ..LINEAR };
    let image = || numbered([4, 1, 1], 1, 1).stored_as(ImageFormat::R32f, 1);
    let body = "vec4 t = textureLod(image, -1.0, 0.0); o[i] = t[i % 4u];";
    assert_eq!(sampled("sampler1D", image(), sampler, body)[..4], [1.0, 0.0, 0.0, 1.0]);
    let swizzled = image().swizzled([Channel::Zero, Channel::One, Channel::Of(0), Channel::Of(3)]);
    assert_eq!(sampled("sampler1D", swizzled, sampler, body)[..4], [0.0, 1.0, 1.0, 1.0]);
    // Half of the border and half of the first texel, which is 0.
    let body = "o[i] = textureLod(image, 0.0, 0.0).x;";
    assert_eq!(sampled("sampler1D", image(), sampler, body)[0], 0.5);
}

#[test]
fn levels_of_detail_are_chosen_blended_and_clamped() {
    let image = || numbered([8, 8, 1], 4, 2);
    let levels = |sampler, body| sampled("sampler2D", image(), sampler, body);
    let body = "o[i] = textureLod(image, vec2(0.0), float(i) * 0.5 - 0.5).x;";
    // The lower one where two are equally near.
    let nearest = [0.0, 0.0, 0.0, 1000.0, 1000.0, 2000.0, 2000.0, 3000.0];
    assert_eq!(levels(Sampler::default(), body), nearest);
    let both = Sampler { between_levels: Filter::Linear, ..Sampler::default() };
    assert_eq!(levels(both, body), [0.0, 0.0, 500.0, 1000.0, 1500.0, 2000.0, 2500.0, 3000.0]);
    let clamped = Sampler { levels: [0.5, 2.0], bias: 0.5, ..both };
    assert_eq!(levels(clamped, body), [500.0, 500.0, 1000.0, 1500.0, 2000.0, 2000.0, 2000.0, 2000.0]);
    // Four texels from one invocation to the next are two levels.
    let body = "o[i] = textureGrad(image, vec2(0.0), vec2(0.5, 0.0), vec2(0.0, 0.125)).x;";
    assert_eq!(levels(both, body)[0], 2000.0);
    let body = "o[i] = float(textureSize(image, int(i)).x * 10 + textureQueryLevels(image));";
    assert_eq!(levels(both, body), [84.0, 44.0, 24.0, 14.0, 4.0, 4.0, 4.0, 4.0]);
    let body = "o[i] = texelFetch(image, ivec2(1, 0), int(i)).x;";
    assert_eq!(levels(both, body), [1.0, 1001.0, 2001.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
}

#[test]
fn an_offset_is_in_texels() {
    let image = || numbered([8, 8, 1], 1, 2);
    let body = "o[i] = textureLodOffset(image, vec2(0.0), 0.0, ivec2(3, 2)).x + 1000.0 * texelFetchOffset(image, ivec2(1, 1), 0, ivec2(2, -1)).x;";
    assert_eq!(sampled("sampler2D", image(), Sampler::default(), body)[0], 23.0 + 3000.0);
    let sampler = Sampler { normalized: false, ..LINEAR };
    assert_eq!(
        sampled("sampler2D", image(), sampler, "o[i] = textureLod(image, vec2(1.0, 2.5), 0.0).x;")[0],
        20.5
    );
}

#[test]
fn what_an_image_is_stored_as_counts_where_the_shader_has_no_format() {
    let mut run = Run::new(
        "layout(local_size_x = 1) in;
        layout(binding = 0) buffer Out { float o[8]; };
        layout(binding = 1) writeonly uniform image2D to;
        layout(binding = 2, rgb10_a2) uniform image2D other;
        void main() {
            imageStore(to, ivec2(0), vec4(0.3));
            imageStore(other, ivec2(0), vec4(0.3, 2.0, -1.0, 0.3));
            vec4 t = imageLoad(other, ivec2(0)); o[0] = t.x; o[1] = t.y; o[2] = t.z; o[3] = t.w;
        }",
    );
    let to = run.resources.image(Image::new([1; 3]).stored_as(ImageFormat::Rg8, 2));
    run.resources.bind_image(0, 1, 0, to);
    let other = run.resources.image(Image::new([1; 3]));
    run.resources.bind_image(0, 2, 0, other);
    let outcome = run.zeros(8).run();
    let texel = outcome.execution.resources().image_of(to).unwrap().texel([0; 3]).map(f32::from_bits);
    assert_eq!(texel, [76.0 / 255.0, 76.0 / 255.0, 0.0, 1.0]);
    assert_eq!(outcome.floats(0)[..4], [307.0 / 1023.0, 1.0, 0.0, 1.0 / 3.0]);
}

#[test]
fn what_is_not_there_is_refused_in_words() {
    let refused = |declared: &str, body: &str| {
        let source = format!(
            "layout(local_size_x = 1) in; layout(binding = 0) uniform {declared} s; layout(binding = 1) buffer O {{ vec4 o; }}; void main() {{ o = {body}; }}"
        );
        coopmat_simulator::Program::new(&module(&source), &ProgramOptions::default()).err().unwrap().message
    };
    let cube = refused("samplerCube", "textureGrad(s, vec3(1.0), vec3(0.0), vec3(0.0))");
    assert_eq!(cube, "cube images are not sampled by gradients, but by a level of detail");
    let gathered = refused("samplerCube", "textureGather(s, vec3(1.0))");
    assert_eq!(gathered, "only images of two dimensions are gathered from");
    assert!(refused("sampler2DMS", "texelFetch(s, ivec2(0), 1)").contains("several samples"));
}

#[test]
fn a_gather_gives_the_four_texels_that_a_filter_would_blend() {
    let at = |x: f32, y: f32| format!("vec2({x:?}, {y:?})");
    let gathered = |sampler: Sampler, call: &str| {
        let body = format!("o[i] = float(textureGather({call})[i % 4u]);");
        sampled("sampler2D", numbered([4, 3, 1], 2, 2), sampler, &body)[..4].to_vec()
    };
    // In the order left below, right below, right above, left above, where y grows downwards. Filters do not matter, nor do levels.
    let between = at(2.0 / 4.0, 2.0 / 3.0);
    for sampler in [Sampler::default(), LINEAR, Sampler { levels: [1.0, 1.0], ..LINEAR }] {
        assert_eq!(gathered(sampler, &format!("image, {between}")), [21.0, 22.0, 12.0, 11.0]);
        assert_eq!(gathered(sampler, &format!("image, {between}, 3")), [1.0; 4]);
    }
    let repeat = Sampler { address: [AddressMode::Repeat; 3], ..LINEAR };
    assert_eq!(gathered(repeat, &format!("image, {}", at(0.0, 0.0))), [3.0, 0.0, 20.0, 23.0]);
    let border = Sampler { address: [AddressMode::ClampToBorder; 3], border: Border::OpaqueWhite, ..LINEAR };
    assert_eq!(gathered(border, &format!("image, {}", at(0.0, 0.0))), [1.0, 0.0, 1.0, 1.0]);
}

#[test]
fn projected_coordinates_are_divided_by_the_last_one() {
    let body = "o[i] = textureProjLod(image, vec3(0.5, 1.5, 0.5 * float(i + 1u)), 0.0).x;";
    let found = sampled("sampler2D", numbered([8, 4, 1], 1, 2), Sampler::default(), body);
    let expected = (1..=8).map(|i| {
        let q = 0.5 * i as f32;
        let texel = |at: f32, size: f32| (at / q * size).floor().clamp(0.0, size - 1.0);
        texel(0.5, 8.0) + 10.0 * texel(1.5, 4.0)
    });
    assert_eq!(found, expected.collect::<Vec<_>>());
}

#[test]
fn a_cube_is_sampled_by_a_direction_and_across_its_edges() {
    let faces = || numbered([4, 4, 6], 2, 2);
    let directions = "vec3[8](vec3(1, 0.1, 0.1), vec3(-1, 0.1, 0.1), vec3(0.1, 1, 0.1), vec3(0.1, -1, 0.1), vec3(0.1, 0.1, 1), vec3(0.1, 0.1, -1), vec3(2, 2, 2), vec3(0.1, 0.7, -1))";
    let body = format!("o[i] = textureLod(image, {directions}[i], 0.0).x;");
    // Faces in the order +x, -x, +y, -y, +z, -z, each 100 more; x and y of the texel follow from Vulkan's table.
    let nearest = sampled("samplerCube", faces(), Sampler::default(), &body);
    assert_eq!(nearest, [11.0, 112.0, 222.0, 312.0, 412.0, 511.0, 403.0, 501.0]);
    // The second level has two by two texels. An array has its cubes' faces one after the other.
    let body = format!("o[i] = textureLod(image, {directions}[i], 1.0).x;");
    assert_eq!(sampled("samplerCube", faces(), Sampler::default(), &body)[..2], [1000.0, 1101.0]);
    let body = format!("o[i] = textureLod(image, vec4({directions}[i], 1.2), 0.0).x;");
    let two = sampled("samplerCubeArray", numbered([4, 4, 12], 1, 2), Sampler::default(), &body);
    assert_eq!(two[..2], [611.0, 712.0]);
    // In the middle of the edge between +x (its left side) and +z (its right side): half of each.
    let body = "o[i] = textureLod(image, vec3(1.0, -0.25, 1.0), 0.0).x;";
    assert_eq!(sampled("samplerCube", faces(), LINEAR, body)[0], (20.0 + 423.0) / 2.0);
    // At a corner, the three texels that meet there.
    let body = "o[i] = textureLod(image, vec3(1.0, 1.0, 1.0), 0.0).x;";
    let corner = sampled("samplerCube", faces(), LINEAR, body)[0];
    assert!((corner - (0.0 + 233.0 + 403.0) / 3.0).abs() < 1e-3, "{corner}");
}
