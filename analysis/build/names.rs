//! Names of the tables' entries as Rust constants, so that code which knows an extension, a constant, a variable or an instruction
//! by name does not compile once the tables call it otherwise.

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// `gl_MatrixUseA` -> `GL_MATRIX_USE_A`, `GL_EXT_float_e4m3` -> `GL_EXT_FLOAT_E4M3`, `OpFOrdEqual` -> `OP_F_ORD_EQUAL`
pub fn screaming(name: &str) -> String {
    let mut out = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (index, &c) in chars.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| chars[before]);
        let follows_word = before.is_some_and(|c| c.is_ascii_lowercase() || c.is_ascii_digit());
        let begins_word = chars.get(index + 1).is_some_and(char::is_ascii_lowercase)
            && before.is_some_and(|c| c.is_ascii_uppercase());
        if c.is_ascii_uppercase() && (follows_word || begins_word) {
            out.push('_');
        }
        out.push(if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    }
    out
}

/// A module of constants; each item is a name, a type and a value.
pub fn module(
    out: &mut String,
    name: &str,
    doc: &str,
    items: impl Iterator<Item = (String, String, String)>,
) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    let _ = writeln!(out, "#[doc = {doc:?}]\npub mod {name} {{\n#[allow(unused_imports)]\nuse super::*;");
    for (item, ty, value) in items {
        let constant = screaming(&item);
        if !seen.insert(constant.clone()) {
            return Err(format!("{name}: `{item}` and another name both become {constant}"));
        }
        let _ = writeln!(out, "#[doc = \"`{item}`\"]\npub const {constant}: {ty} = {value};");
    }
    out.push_str("}\n");
    Ok(())
}
