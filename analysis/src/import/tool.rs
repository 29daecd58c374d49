//! The compilers whose calls are read, by their names.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Shaderc's.
    Glslc,
    /// `glslangValidator`, which is called `glslang` by now.
    Glslang,
    /// Slang's, which brings no configuration: its calls are told.
    Slangc,
}

impl Tool {
    /// By the program's name or path.
    pub fn of(program: &str) -> Option<Tool> {
        if program.starts_with('-') || program.contains('=') {
            return None;
        }
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
        Some(match name.strip_suffix(".exe").unwrap_or(&name) {
            "glslc" => Tool::Glslc,
            "glslang" | "glslangvalidator" => Tool::Glslang,
            "slangc" => Tool::Slangc,
            _ => return None,
        })
    }
}

/// Whether a text has the name of a compiler, at all.
pub fn mentions_a_compiler(text: &str) -> bool {
    ["glslc", "glslang", "slangc"]
        .iter()
        .any(|name| memchr::memmem::find(text.as_bytes(), name.as_bytes()).is_some())
}
