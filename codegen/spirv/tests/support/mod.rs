//! The modules that the tests read: what glslang makes of shaders in `examples/`, plain, with lines (`-g`), and with
//! debugging instructions (`-gVS`).

/// Each module's name and bytes.
pub const MODULES: &[(&str, &[u8])] = &[
    ("bitcast", include_bytes!("../modules/bitcast.spv")),
    ("components", include_bytes!("../modules/components.spv")),
    ("gemm", include_bytes!("../modules/gemm.spv")),
    ("q8_0_decode_vector", include_bytes!("../modules/q8_0_decode_vector.spv")),
    ("rows_and_columns", include_bytes!("../modules/rows_and_columns.spv")),
    ("sub_array_debug", include_bytes!("../modules/sub_array_debug.spv")),
    ("sub_array_lines", include_bytes!("../modules/sub_array_lines.spv")),
    ("tensor_loads", include_bytes!("../modules/tensor_loads.spv")),
];
