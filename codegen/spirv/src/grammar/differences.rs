//! Where this grammar differs from Khronos' machine-readable one on purpose.

/// What `cargo xtask grammar` tells, word for word, and why it may stay so. A row that nothing needs any more is told, too.
pub static DIFFERENCES: &[(&str, &str)] = &[
    (
        "GatherModes: no such kind of operand here",
        "rspirv's kinds end with its version, and no operand is of this kind: OpImageGatherQCOM takes the mode as an id",
    ),
    (
        "NonSemantic.Shader.DebugInfo.101 DebugTypeBasic: operands IdRef IdRef IdRef IdRef IdRef?, here IdRef IdRef IdRef IdRef",
        "rspirv has version 100 alone; operands of debug information are read as ids, however many there are",
    ),
];
