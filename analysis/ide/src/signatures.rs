//! Declarations in one line, as lists and signature help show them.

use crate::builtin_pages;
use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_type;
use coopmat_analysis::extensions::{BuiltinParameter, BuiltinVariable, ParameterDirection};
use coopmat_analysis::hir::{Direction, Function, Parameter};
use coopmat_analysis::preprocess::MacroDefinition;

/// `const in float16_t a`
pub fn parameter(analysis: &Analysis, parameter: &Parameter) -> String {
    let module = &analysis.module;
    let constant = if parameter.is_const { "const " } else { "" };
    let direction = match parameter.direction {
        Direction::In if parameter.is_const => "in ",
        Direction::In => "",
        Direction::Out => "out ",
        Direction::InOut => "inout ",
    };
    let space = if parameter.name.is_empty() { "" } else { " " };
    let ty = display_type(&module.types, &module.structs, parameter.ty);
    format!("{constant}{direction}{ty}{space}{}", parameter.name)
}

/// `out coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> m`: a parameter of a built-in that takes many types, with the one of a call.
pub fn builtin_parameter(parameter: &BuiltinParameter, ty: &str) -> String {
    let direction = match parameter.direction {
        ParameterDirection::In => "",
        ParameterDirection::Out => "out ",
        ParameterDirection::InOut => "inout ",
    };
    format!("{direction}{ty} {}", parameter.name)
}

/// `in uvec3 gl_WorkGroupID`, `const uvec3 gl_WorkGroupSize`: a variable of the language.
pub fn builtin_variable(variable: &BuiltinVariable) -> String {
    let qualifier = match (variable.decoration, variable.writable) {
        // GLSL 4.60, section 7.1.5: the one that is a constant.
        ("WorkgroupSize", _) => "const",
        (_, true) => "out",
        (_, false) => "in",
    };
    format!("{qualifier} {}", builtin_pages::declared(&variable.pattern, variable.name))
}

/// `float f(float a, out uint b)`
pub fn user_line(analysis: &Analysis, function: &Function) -> String {
    let module = &analysis.module;
    let parameters: Vec<String> =
        function.parameters.iter().map(|declared| parameter(analysis, declared)).collect();
    let result = display_type(&module.types, &module.structs, function.return_type);
    format!("{result} {}({})", function.name, parameters.join(", "))
}

/// `#define NAME(a, b) ...`, cut to one short line.
pub fn macro_line(analysis: &Analysis, definition: &MacroDefinition) -> String {
    const LONGEST: usize = 80;
    let parameters = match definition.parameters() {
        Some(parameters) => {
            let names: Vec<&str> = parameters.map(|parameter| parameter.as_str()).collect();
            format!("({})", names.join(", "))
        }
        None => String::new(),
    };
    let given = || {
        let mut defines = analysis.config.defines.iter();
        defines.find(|(name, _)| name == definition.name()).and_then(|(_, value)| value.as_deref())
    };
    let body = match definition.body() {
        Some(body) => {
            let text = &analysis.files()[body.file].text;
            text.get(std::ops::Range::<usize>::from(body.range)).unwrap_or_default()
        }
        None => given().unwrap_or_default(),
    };
    let mut words: String =
        body.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ");
    if let Some((cut, _)) = words.char_indices().nth(LONGEST) {
        words.truncate(cut);
        words.push('…');
    }
    format!("#define {}{parameters} {words}", definition.name()).trim_end().to_owned()
}
