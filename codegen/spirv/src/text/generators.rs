//! The registry of generators: which tool has made a module.

/// The tools of the registry, by number.
const TOOLS: [&str; 32] = [
    "Khronos",
    "LunarG",
    "Valve",
    "Codeplay",
    "NVIDIA",
    "ARM",
    "Khronos LLVM/SPIR-V Translator",
    "Khronos SPIR-V Tools Assembler",
    "Khronos Glslang Reference Front End",
    "Qualcomm",
    "AMD",
    "Intel",
    "Imagination",
    "Google Shaderc over Glslang",
    "Google spiregg",
    "Google rspirv",
    "X-LEGEND Mesa-IR/SPIR-V Translator",
    "Khronos SPIR-V Tools Linker",
    "Wine VKD3D Shader Compiler",
    "Tellusim Clay Shader Compiler",
    "W3C WebGPU Group WHLSL Shader Translator",
    "Google Clspv",
    "LLVM MLIR SPIR-V Serializer",
    "Google Tint Compiler",
    "Google ANGLE Shader Compiler",
    "Netease Games Messiah Shader Compiler",
    "Xenia Xenia Emulator Microcode Translator",
    "Embark Studios Rust GPU Compiler Backend",
    "gfx-rs community Naga",
    "Mikkosoft Productions MSP Shader Compiler",
    "SpvGenTwo community SpvGenTwo SPIR-V IR Tools",
    "Google Skia SkSL",
];

/// The name of a tool.
pub(super) fn generator(tool: u32) -> Option<&'static str> {
    TOOLS.get(tool as usize).copied()
}

/// The number of a tool, by its name or as a listing has it where it has none, `Unknown(41)`.
pub(crate) fn generator_number(name: &str) -> Option<u32> {
    let number = || name.strip_prefix("Unknown(")?.strip_suffix(')')?.parse::<u16>().ok().map(u32::from);
    TOOLS.iter().position(|tool| *tool == name).map(|at| at as u32).or_else(number)
}
