//! Tensor layouts and views: where loads and stores through them go.

use super::support::*;

const NV2: &str = "#extension GL_NV_cooperative_matrix2 : require\n";

/// Each clamp mode, in a slice that hangs over every edge of a tensor of two dimensions.
#[test]
fn clamp_modes() {
    let (rows, columns) = (9i32, 7i32);
    let input: Vec<f64> = (1..=63).map(f64::from).collect();
    let mirror = |c: i32, size: i32| {
        let c = c.rem_euclid(2 * size - 2);
        if c >= size { 2 * size - 2 - c } else { c }
    };
    type Map<'a> = Box<dyn Fn(i32, i32) -> Option<i32> + 'a>;
    let modes: [(&str, Map); 4] = [
        ("Constant", Box::new(|c, size| (0..size).contains(&c).then_some(c))),
        ("ClampToEdge", Box::new(|c, size| Some(c.clamp(0, size - 1)))),
        ("Repeat", Box::new(|c, size| Some(c.rem_euclid(size)))),
        ("MirrorRepeat", Box::new(|c, size| Some(mirror(c, size)))),
    ];
    for (mode, map) in &modes {
        for scope in ["Subgroup", "Workgroup"] {
            let source = format!(
                "{NV2}layout(local_size_x = 64) in;
                layout(binding = 0) buffer A {{ float16_t a[]; }};
                layout(binding = 1) buffer B {{ float16_t b[]; }};
                layout(binding = 2) buffer C {{ float16_t c[]; }};
                void main() {{
                    coopmat<float16_t, gl_Scope{scope}, 16, 16, gl_MatrixUseA> m = coopmat<float16_t, gl_Scope{scope}, 16, 16, gl_MatrixUseA>(7);
                    tensorLayoutNV<2, gl_CooperativeMatrixClampMode{mode}NV> t = createTensorLayoutNV(2, gl_CooperativeMatrixClampMode{mode}NV);
                    t = setTensorLayoutDimensionNV(t, {rows}, {columns});
                    t = setTensorLayoutClampValueNV(t, 0x3c00);
                    t = sliceTensorLayoutNV(t, -3, 16, -4, 16);
                    coopMatLoadTensorNV(m, a, 0, t);
                    coopMatStore(m, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
                    coopMatStoreTensorNV(m, c, 0, t);
                }}"
            );
            let result = run(&source, &[bytes(F16, input.clone()), vec![0; 512], vec![0; 126]]);
            let (loaded, stored) = (numbers(F16, &result[1]), numbers(F16, &result[2]));
            for row in 0..16 {
                for column in 0..16 {
                    let place = map(row - 3, rows).zip(map(column - 4, columns));
                    let expected =
                        place.map_or(1.0, |(row, column)| input[(row * columns + column) as usize]);
                    assert_eq!(loaded[(row * 16 + column) as usize], expected, "{mode} ({row}, {column})");
                }
            }
            // Stores outside are dropped in every mode; inside, what was loaded comes back.
            assert_eq!(stored, input);
        }
    }
}

/// From one dimension to five, with strides of their own.
#[test]
fn dimensions() {
    for dimensions in 1..=5usize {
        let sizes = &[3u32, 4, 3, 5, 6][5 - dimensions..];
        let spans = &[1u32, 2, 2, 2, 4][5 - dimensions..];
        let count: u32 = spans.iter().product();
        let mut strides = vec![2u32; dimensions];
        for dim in (0..dimensions - 1).rev() {
            strides[dim] = strides[dim + 1] * (sizes[dim + 1] + 1);
        }
        let list = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let slices: Vec<String> = spans.iter().map(|span| format!("1, {span}")).collect();
        let source = format!(
            "{NV2}layout(local_size_x = 64) in;
            layout(binding = 0) buffer A {{ int a[]; }};
            layout(binding = 1) buffer B {{ int b[]; }};
            void main() {{
                coopmat<int, gl_ScopeSubgroup, 1, {count}, gl_MatrixUseAccumulator> m;
                tensorLayoutNV<{dimensions}> t = createTensorLayoutNV({dimensions});
                t = setTensorLayoutDimensionNV(t, {});
                t = setTensorLayoutStrideNV(t, {});
                t = sliceTensorLayoutNV(t, {});
                coopMatLoadTensorNV(m, a, 0, t);
                coopMatStore(m, b, 0, {count}, gl_CooperativeMatrixLayoutRowMajor);
            }}",
            list(sizes),
            list(&strides),
            slices.join(", ")
        );
        let input: Vec<f64> = (0..strides[0] * sizes[0] + 8).map(f64::from).collect();
        let result = run(&source, &[bytes(S32, input), vec![0; count as usize * 4]]);
        let output = numbers(S32, &result[1]);
        for index in 0..count {
            let (mut rest, mut expected) = (index, 0);
            for dim in (0..dimensions).rev() {
                expected += (rest % spans[dim] + 1) * strides[dim];
                rest /= spans[dim];
            }
            assert_eq!(
                output[index as usize],
                f64::from(expected),
                "{dimensions} dimensions, element {index}"
            );
        }
    }
}

/// A view turns a slice, and clips what is loaded and stored; the rest of the matrix stays.
#[test]
fn views_transpose_and_clip() {
    let source = format!(
        "{NV2}layout(local_size_x = 64) in;
        layout(binding = 0) buffer A {{ float a[]; }};
        layout(binding = 1) buffer B {{ float b[]; }};
        layout(binding = 2) buffer C {{ float c[]; }};
        void main() {{
            coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator> m = coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator>(-1.0);
            tensorLayoutNV<2> t = createTensorLayoutNV(2);
            t = setTensorLayoutDimensionNV(t, 16, 8);
            tensorViewNV<2, false, 1, 0> turned = createTensorViewNV(2, false, 1, 0);
            coopMatLoadTensorNV(m, a, 0, t, turned);
            coopMatStore(m, b, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
            m = coopmat<float, gl_ScopeSubgroup, 8, 16, gl_MatrixUseAccumulator>(-1.0);
            tensorViewNV<2> clipped = setTensorViewClipNV(createTensorViewNV(2), 2, 3, 4, 8);
            coopMatLoadTensorNV(m, a, 0, t, clipped);
            coopMatStore(m, b, 128, 16, gl_CooperativeMatrixLayoutRowMajor);
            coopMatStoreTensorNV(m, c, 0, t, clipped);
        }}"
    );
    let input: Vec<f64> = (0..128).map(f64::from).collect();
    let result = run(&source, &[bytes(F32, input), vec![0; 1024], bytes(F32, vec![-5.0; 128])]);
    let (loaded, stored) = (numbers(F32, &result[1]), numbers(F32, &result[2]));
    for row in 0..8 {
        for column in 0..16 {
            assert_eq!(loaded[row * 16 + column], (column * 8 + row) as f64);
            let inside = (2..5).contains(&row) && (4..12).contains(&column);
            // Within the region, elements count from its own corner.
            let expected = if inside { ((row - 2) * 8 + column - 4) as f64 } else { -1.0 };
            assert_eq!(loaded[128 + row * 16 + column], expected);
        }
    }
    for (index, value) in stored.iter().enumerate() {
        assert_eq!(*value, if index < 24 { index as f64 } else { -5.0 });
    }
}

/// Space to depth: the view's dimensions take 2x2 neighbourhoods of an image as channels.
#[test]
fn space_to_depth() {
    let source = format!(
        "{NV2}layout(local_size_x = 64) in;
        layout(binding = 0) buffer A {{ float16_t a[]; }};
        layout(binding = 1) buffer B {{ float16_t b[]; }};
        void main() {{
            const uint H = 16, W = 16, D = 4;
            coopmat<float16_t, gl_ScopeSubgroup, (H / 2 * W / 2), (D * 4), gl_MatrixUseA> m;
            tensorLayoutNV<3> t = createTensorLayoutNV(3);
            t = setTensorLayoutDimensionNV(t, H, W, D);
            t = sliceTensorLayoutNV(t, 0, H, 0, W, 0, D);
            tensorViewNV<5, true, 0, 2, 1, 3, 4> v = createTensorViewNV(5, true, 0, 2, 1, 3, 4);
            v = setTensorViewDimensionsNV(v, H / 2, 2, W / 2, 2, D);
            coopMatLoadTensorNV(m, a, 0, t, v);
            coopMatStore(m, b, 0, D * 4, gl_CooperativeMatrixLayoutRowMajor);
        }}"
    );
    let input: Vec<f64> = (0..1024).map(f64::from).collect();
    let output = numbers(F16, &run(&source, &[bytes(F16, input), vec![0; 2048]])[1]);
    for (index, &element) in output.iter().enumerate().take(1024) {
        let (row, column) = (index / 16, index % 16);
        let (y, x) = (row / 8 * 2 + column / 8, row % 8 * 2 + column / 4 % 2);
        assert_eq!(element, ((y * 16 + x) * 4 + column % 4) as f64);
    }
}
