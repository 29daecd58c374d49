//! The specifications' notation for types and function declarations, as the data files use it, to Rust expressions.

/// One overload: names, and Rust expressions of the crate's `Pattern` type.
pub struct Declaration {
    pub name: String,
    pub result: String,
    pub parameters: Vec<Parameter>,
    pub variadic: bool,
}

pub struct Parameter {
    pub name: String,
    pub pattern: String,
    pub direction: &'static str,
    pub constant: bool,
    pub memory: bool,
    pub default: Option<i64>,
}

/// Variant of `Scalar`, the scalar's names, prefixes of its vectors, prefixes of its matrices, names of its `gen` family.
type ScalarRow = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const SCALARS: &[ScalarRow] = &[
    ("Bool", &["bool"], &["bvec"], &[], &["genBType"]),
    ("Int8", &["int8_t"], &["i8vec"], &[], &["genI8Type"]),
    ("Int16", &["int16_t"], &["i16vec"], &[], &["genI16Type"]),
    ("Int32", &["int", "int32_t"], &["ivec", "i32vec"], &[], &["genIType", "genI32Type"]),
    ("Int64", &["int64_t"], &["i64vec"], &[], &["genI64Type"]),
    ("Uint8", &["uint8_t"], &["u8vec"], &[], &["genU8Type"]),
    ("Uint16", &["uint16_t"], &["u16vec"], &[], &["genU16Type"]),
    ("Uint32", &["uint", "uint32_t"], &["uvec", "u32vec"], &[], &["genUType", "genU32Type"]),
    ("Uint64", &["uint64_t"], &["u64vec"], &[], &["genU64Type"]),
    ("Float16", &["float16_t"], &["f16vec"], &["f16mat"], &["genF16Type"]),
    ("Float32", &["float", "float32_t"], &["vec", "f32vec"], &["mat", "f32mat"], &["genFType", "genF32Type"]),
    (
        "Float64",
        &["double", "float64_t"],
        &["dvec", "f64vec"],
        &["dmat", "f64mat"],
        &["genDType", "genF64Type"],
    ),
    ("BFloat16", &["bfloat16_t"], &["bf16vec"], &[], &["genBFType"]),
    ("FloatE4M3", &["floate4m3_t"], &["fe4m3vec"], &[], &["genFE4M3Type"]),
    ("FloatE5M2", &["floate5m2_t"], &["fe5m2vec"], &[], &["genFE5M2Type"]),
    ("FloatE2M1", &["floate2m1_t"], &["fe2m1vec"], &[], &["genFE2M1Type"]),
    ("FloatE3M2", &["floate3m2_t"], &["fe3m2vec"], &[], &["genFE3M2Type"]),
    ("FloatE2M3", &["floate2m3_t"], &["fe2m3vec"], &[], &["genFE2M3Type"]),
    ("FloatUE8M0", &["floatue8m0_t"], &["fue8m0vec"], &[], &["genFUE8M0Type"]),
    ("FloatMxInt8", &["floatmxint8_t"], &["fmxint8vec"], &[], &["genFMxInt8Type"]),
];

/// The `Scalar` variant of a scalar type's name.
pub fn scalar(name: &str) -> Option<&'static str> {
    SCALARS.iter().find(|row| row.1.contains(&name)).map(|row| row.0)
}

/// The `Pattern` of a type's name; `structs` are the structures that the data declares.
pub fn pattern(name: &str, structs: &[String]) -> Option<String> {
    let fixed = match name {
        "void" => "Void",
        "AnyType" => "AnyType",
        "AnyCoopmat" | "coopmat" => "AnyCoopmat",
        "AnyCoopmatNv" | "coopmatNV" => "AnyCoopmatNv",
        "coopvecNV" => "AnyCoopvec",
        "tensorLayoutNV" => "AnyTensorLayout",
        "tensorViewNV" => "AnyTensorView",
        "FunctionName" => "FunctionName",
        "String" => "String",
        _ => "",
    };
    if !fixed.is_empty() {
        return Some(format!("Pattern::{fixed}"));
    }
    if let Some(component) = name.strip_prefix("coopvecNV<").and_then(|rest| rest.strip_suffix('>')) {
        return Some(format!("Pattern::Coopvec(Scalar::{})", scalar(component)?));
    }
    for (variant, names, vectors, matrices, families) in SCALARS {
        if names.contains(&name) {
            return Some(format!("Pattern::Scalar(Scalar::{variant})"));
        }
        if families.contains(&name) {
            return Some(format!("Pattern::Gen(Scalar::{variant})"));
        }
        for prefix in *vectors {
            match name.strip_prefix(prefix) {
                Some("") => return Some(format!("Pattern::GenVector(Scalar::{variant})")),
                // 8 and 16 stand for `vector<T, 8>` and `vector<T, 16>`.
                Some(length @ ("2" | "3" | "4" | "8" | "16")) => {
                    return Some(format!("Pattern::Vector(Scalar::{variant}, {length})"));
                }
                _ => {}
            }
        }
        for prefix in *matrices {
            let (columns, rows) = match name.strip_prefix(prefix) {
                Some("") => return Some(format!("Pattern::AnyMatrix(Scalar::{variant})")),
                Some(size @ ("2" | "3" | "4")) => (size, size),
                Some(size) => match size.split_once('x') {
                    Some((columns @ ("2" | "3" | "4"), rows @ ("2" | "3" | "4"))) => (columns, rows),
                    _ => continue,
                },
                None => continue,
            };
            return Some(format!(
                "Pattern::Matrix {{ component: Scalar::{variant}, columns: {columns}, rows: {rows} }}"
            ));
        }
    }
    if structs.iter().any(|structure| structure == name) {
        return Some(format!("Pattern::Struct({name:?})"));
    }
    opaque(name).map(|opaque| format!("Pattern::Opaque({opaque})"))
}

/// `usampler2DMSArray` and its kin.
fn opaque(name: &str) -> Option<String> {
    let build = |class: &str, dim: &str, arrayed: bool, multisampled: bool, shadow: bool, component: &str| {
        Some(format!(
            "Opaque {{ class: OpaqueClass::{class}, dim: ImageDim::{dim}, arrayed: {arrayed}, \
             multisampled: {multisampled}, shadow: {shadow}, component: Scalar::{component}, rank: 0 }}"
        ))
    };
    match name {
        "sampler" => return build("Sampler", "D2", false, false, false, "Float32"),
        "samplerShadow" => return build("Sampler", "D2", false, false, true, "Float32"),
        "atomic_uint" => return build("AtomicCounter", "Buffer", false, false, false, "Uint32"),
        "accelerationStructureEXT" | "accelerationStructureNV" => {
            return build("AccelerationStructure", "Buffer", false, false, false, "Float32");
        }
        "rayQueryEXT" => return build("RayQuery", "Buffer", false, false, false, "Float32"),
        "hitObjectEXT" => return build("HitObject", "Buffer", false, false, false, "Float32"),
        "hitObjectNV" => return build("HitObjectNv", "Buffer", false, false, false, "Float32"),
        _ => {}
    }
    let classes = [("sampler", "SampledImage"), ("texture", "Texture"), ("image", "Image")];
    let prefixes = [
        ("", "Float32"),
        ("i64", "Int64"),
        ("u64", "Uint64"),
        ("f16", "Float16"),
        ("i", "Int32"),
        ("u", "Uint32"),
    ];
    for (prefix, component) in prefixes {
        let Some(rest) = name.strip_prefix(prefix) else { continue };
        if rest == "attachmentEXT" {
            return build("TileAttachment", "D2", false, false, false, component);
        }
        if let Some(rest) = rest.strip_prefix("subpassInput") {
            return match rest {
                "" => build("SubpassInput", "SubpassInput", false, false, false, component),
                "MS" => build("SubpassInput", "SubpassInput", false, true, false, component),
                _ => None,
            };
        }
        for (word, class) in classes {
            let Some(rest) = rest.strip_prefix(word) else { continue };
            let (rest, shadow) = match rest.strip_suffix("Shadow") {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            let (rest, arrayed) = match rest.strip_suffix("Array") {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            let (rest, multisampled) = match rest.strip_suffix("MS") {
                Some(rest) => (rest, true),
                None => (rest, false),
            };
            let dim = match rest {
                "1D" => "D1",
                "2D" => "D2",
                "3D" => "D3",
                "Cube" => "Cube",
                "2DRect" => "Rect",
                "Buffer" => "Buffer",
                _ => return None,
            };
            return build(class, dim, arrayed, multisampled, shadow, component);
        }
    }
    None
}

/// Splits a text into the declarations that end in `;`.
pub fn declarations(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|declaration| !declaration.is_empty())
}

/// `f(a [, b])` stands for `f(a)` and `f(a, b)`: the texts without optional parameters.
pub fn optional(text: &str) -> Vec<String> {
    // `[` opens an optional part only before a comma or between parameters; array brackets follow a name or hold a number.
    let Some(start) = text.find("[,") else { return vec![text.to_owned()] };
    let Some(end) = text[start..].find(']').map(|end| start + end) else { return vec![text.to_owned()] };
    let (before, inside, after) = (&text[..start], &text[start + 1..end], &text[end + 1..]);
    let mut all = optional(&format!("{before}{after}"));
    all.extend(optional(&format!("{before}{inside}{after}")));
    all
}

/// The component types that `gvec4` and `gsampler2D` stand for, by prefix.
pub fn generic_prefixes(text: &str) -> Vec<String> {
    const WORDS: [&str; 6] = ["vec", "sampler", "texture", "image", "subpassInput", "attachment"];
    let generic = |word: &str| {
        word.strip_prefix('g').is_some_and(|rest| WORDS.iter().any(|known| rest.starts_with(known)))
    };
    if !words(text).any(generic) {
        return vec![text.to_owned()];
    }
    ["", "i", "u"]
        .iter()
        .map(|prefix| {
            let mut out = String::new();
            let mut rest = text;
            while !rest.is_empty() {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let end = if rest.starts_with(is_word) {
                    rest.find(|c| !is_word(c)).unwrap_or(rest.len())
                } else {
                    rest.find(is_word).unwrap_or(rest.len())
                };
                let (piece, tail) = rest.split_at(end);
                if generic(piece) {
                    out.push_str(prefix);
                    out.push_str(&piece[1..]);
                } else {
                    out.push_str(piece);
                }
                rest = tail;
            }
            out
        })
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// Parses `genFType clamp(genFType x, float minVal, float maxVal)`.
pub fn declaration(text: &str, structs: &[String]) -> Result<Declaration, String> {
    let (head, rest) = text.split_once('(').ok_or("expected `type name(parameters)`, found no `(`")?;
    let inside = rest.trim_end().strip_suffix(')').ok_or("expected `)` at the end of the declaration")?;
    let mut head = head.split_whitespace();
    let (Some(result), Some(name), None) = (head.next(), head.next(), head.next()) else {
        return Err(format!("expected a type and a name before `(` in `{text}`"));
    };
    let mut parameters = Vec::new();
    let mut variadic = false;
    for part in inside.split(',').map(str::trim).filter(|part| !part.is_empty() && *part != "void") {
        if variadic {
            return Err(format!("expected `...` as the last parameter, found it in `{inside}`"));
        }
        if part == "..." {
            variadic = true;
        } else {
            parameters.push(parameter(part, structs)?);
        }
    }
    let result = pattern(result, structs)
        .ok_or_else(|| format!("result: expected a type of the notation, found `{result}`"))?;
    Ok(Declaration { name: name.to_owned(), result, parameters, variadic })
}

fn parameter(text: &str, structs: &[String]) -> Result<Parameter, String> {
    let (text, default) = match text.split_once('=') {
        Some((text, value)) => {
            let value = value.trim();
            let value =
                value.parse().map_err(|_| format!("expected a number as the default, found `{value}`"))?;
            (text.trim(), Some(value))
        }
        None => (text, None),
    };
    let mut direction = "In";
    let (mut constant, mut memory) = (false, false);
    let mut rest = text;
    let ty = loop {
        let (word, tail) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = tail.trim_start();
        match word {
            "in" => {}
            "out" => direction = "Out",
            "inout" => direction = "InOut",
            "constant" => constant = true,
            "memory" => memory = true,
            "const" | "highp" | "mediump" | "lowp" | "coherent" | "volatile" | "restrict" | "readonly"
            | "writeonly" | "nonuniform" => {}
            "" => return Err(format!("expected a type and a name, found the parameter `{text}`")),
            word => break word,
        }
    };
    let (base, ty_dims) = match ty.split_once('[') {
        Some((base, dims)) => (base, format!("[{dims}")),
        None => (ty, String::new()),
    };
    let (name, name_dims) = match rest.split_once('[') {
        Some((name, dims)) => (name, format!("[{dims}")),
        None => (rest, String::new()),
    };
    // `T[3] a[2]` is an array of 2 of arrays of 3.
    let dims = name_dims + &ty_dims;
    let (base, name) = (base.trim(), name.trim());
    if name.chars().any(|c| !(c.is_ascii_alphanumeric() || c == '_')) {
        return Err(format!("expected a parameter's name, found `{name}` in `{text}`"));
    }
    let mut pattern = pattern(base, structs)
        .ok_or_else(|| format!("expected a type of the notation, found `{base}` in `{text}`"))?;
    for dim in dims.split('[').skip(1).collect::<Vec<_>>().into_iter().rev() {
        let length = dim
            .trim_end()
            .strip_suffix(']')
            .ok_or_else(|| format!("expected a `]` for each `[`, found `{text}`"))?;
        let length = match length.trim() {
            "" => "None".to_owned(),
            length => {
                format!(
                    "Some({})",
                    length
                        .parse::<u32>()
                        .map_err(|_| format!("expected a length between `[` and `]`, found `{length}`"))?
                )
            }
        };
        pattern = format!("Pattern::Array(&{pattern}, {length})");
    }
    Ok(Parameter { name: name.to_owned(), pattern, direction, constant, memory, default })
}

/// `vec4 gl_Position` or `float gl_ClipDistance[]` as in a structure or a variable: pattern and name.
pub fn variable(text: &str, structs: &[String]) -> Result<(String, String), String> {
    let parsed = parameter(text.trim(), structs)?;
    if parsed.name.is_empty() {
        return Err(format!("expected a type and a name, found `{text}`"));
    }
    Ok((parsed.pattern, parsed.name))
}
