//! Directives of the preprocessor, and the behaviours of `#extension`: what each does.

/// A directive's name, what is inserted where tab stops are known, and what it does.
pub const DIRECTIVES: &[(&str, &str, &str)] = &[
    ("define", "define ${1:NAME} $0", "Defines a macro."),
    ("undef", "undef $0", "Undefines a macro."),
    ("if", "if ${1:CONDITION}\n$0\n#endif", "Keeps what follows when a constant expression is not 0."),
    ("ifdef", "ifdef ${1:NAME}\n$0\n#endif", "Keeps what follows when a macro is defined."),
    ("ifndef", "ifndef ${1:NAME}\n$0\n#endif", "Keeps what follows when a macro is not defined."),
    ("elif", "elif $0", "Another condition, tested when those before were false."),
    ("else", "", "Keeps what follows when all conditions before were false."),
    ("endif", "", "Ends a conditional."),
    ("error", "error $0", "Reports its text as an error."),
    ("pragma", "pragma $0", "Gives the compiler an instruction that the language does not define."),
    ("extension", "extension $0", "Enables or disables an extension."),
    ("version", "version ${1:460}", "The version of GLSL; the first line of a shader."),
    (
        "include",
        "include \"$0\"",
        "Includes another file here (GL_GOOGLE_include_directive, GL_ARB_shading_language_include).",
    ),
    ("line", "line $0", "Sets the line number of the next line."),
];

/// Behaviours of an `#extension` line.
pub const BEHAVIORS: &[(&str, &str)] = &[
    ("require", "Enables the extension; without support for it the shader does not compile."),
    ("enable", "Enables the extension, with a warning if it is not supported."),
    ("warn", "Enables the extension, and warns about its uses."),
    ("disable", "Disables the extension."),
];

/// What a directive does, by its name.
pub fn directive_about(name: &str) -> Option<&'static str> {
    DIRECTIVES.iter().find(|(known, ..)| *known == name).map(|(_, _, about)| *about)
}

/// What a behaviour of an `#extension` line does.
pub fn behavior_about(word: &str) -> Option<&'static str> {
    BEHAVIORS.iter().find(|(known, _)| *known == word).map(|(_, about)| *about)
}
