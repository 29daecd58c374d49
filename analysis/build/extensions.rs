//! `extensions/*.toml` -> `extension_tables.rs`: static tables of what GLSL and its extensions provide.
//!
//! The format of the files is described in `extensions/README.md`. Whatever is wrong in one fails the build with the file,
//! the entry and the reason.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::files::{self, alternatives};
use super::schema::{Extension, File, For, ForItem, OneOrManyNumbers, Row, Version};
use super::{names, notation};

const STAGES: [(&str, &str); 14] = [
    ("vertex", "Vertex"),
    ("tess-control", "TessControl"),
    ("tess-evaluation", "TessEvaluation"),
    ("geometry", "Geometry"),
    ("fragment", "Fragment"),
    ("compute", "Compute"),
    ("task", "Task"),
    ("mesh", "Mesh"),
    ("ray-generation", "RayGeneration"),
    ("intersection", "Intersection"),
    ("any-hit", "AnyHit"),
    ("closest-hit", "ClosestHit"),
    ("miss", "Miss"),
    ("callable", "Callable"),
];

const TYPE_KINDS: [(&str, &str); 10] = [
    ("coopmat", "Coopmat"),
    ("fcoopmat-nv", "FCoopmatNv"),
    ("icoopmat-nv", "ICoopmatNv"),
    ("ucoopmat-nv", "UCoopmatNv"),
    ("long-vector", "LongVector"),
    ("coop-vec", "CoopVec"),
    ("tensor-layout", "TensorLayout"),
    ("tensor-view", "TensorView"),
    ("tensor-arm", "TensorArm"),
    ("not-analysed", "Opaque"),
];

/// A file with the name that its entries' errors carry.
struct Loaded {
    name: String,
    file: File,
    /// The extension whose entries these are; `None` for the core language.
    provider: Option<String>,
}

struct Tables {
    extensions: Vec<Extension>,
    /// What declares them, by name: for messages.
    origins: HashMap<String, String>,
    ids: HashMap<String, usize>,
    structs: Vec<String>,
    rules: HashSet<String>,
    operands: HashSet<String>,
    /// In kebab-case.
    changes: HashSet<String>,
    /// Prefixes of the sets of constants.
    sets: BTreeSet<String>,
    families: BTreeMap<String, Vec<ForItem>>,
}

pub fn generate() -> Result<(), String> {
    println!("cargo::rerun-if-changed=extensions");
    let manifest = files::folder("CARGO_MANIFEST_DIR")?;
    let source = manifest.join("src/extensions/rules.rs");
    println!("cargo::rerun-if-changed={}", source.display());
    files::write("extension_tables.rs", &tables(&manifest.join("extensions"), &source)?)
}

/// The source of all tables. `source` declares the variants that entries name.
pub fn tables(folder: &Path, source: &Path) -> Result<String, String> {
    let mut files = load(folder)?;
    // The language's own overloads come first, where nothing tells which one is meant.
    files.sort_by_key(|loaded| !loaded.name.starts_with("extensions/core-"));
    let mut tables = Tables {
        extensions: vec![Extension {
            name: "GLSL".to_owned(),
            summary: "The OpenGL Shading Language itself.".to_owned(),
            r#macro: Some(0),
            requires: Vec::new(),
            enables: Vec::new(),
            version: Version::Since(110),
            vulkan: None,
            es: Version::Since(100),
            keywords: Vec::new(),
            url: "https://registry.khronos.org/OpenGL/specs/gl/GLSLangSpec.4.60.html".to_owned(),
            analysed: Some(true),
            stages: Vec::new(),
            changes: Vec::new(),
            attributes: Vec::new(),
            doc: String::new(),
        }],
        origins: HashMap::from([("GLSL".to_owned(), "the build script".to_owned())]),
        ids: HashMap::new(),
        structs: Vec::new(),
        rules: variants(source, "Rule")?,
        operands: variants(source, "FixedOperand")?,
        changes: variants(source, "Change")?,
        sets: BTreeSet::new(),
        families: BTreeMap::new(),
    };
    for loaded in &files {
        let file = &loaded.file;
        for extension in file.extension.iter().chain(&file.extensions) {
            if let Some(first) = tables.origins.insert(extension.name.clone(), loaded.name.clone()) {
                return Err(format!(
                    "{}: extension `{}`: {first} declares it, too",
                    loaded.name, extension.name
                ));
            }
            tables.extensions.push(extension.clone());
        }
        for set in &file.sets {
            if !tables.sets.insert(set.prefix.clone()) {
                return Err(format!("{}: the set `{}` is declared twice", loaded.name, set.prefix));
            }
        }
        tables.structs.extend(file.structs.iter().map(|structure| structure.name.clone()));
        for (name, rows) in &file.families {
            if tables.families.insert(name.clone(), rows.clone()).is_some() {
                return Err(format!("{}: family `{name}` is declared twice", loaded.name));
            }
        }
    }
    tables.extensions.sort_by(|a, b| a.name.cmp(&b.name));
    for (index, extension) in tables.extensions.iter().enumerate() {
        tables.ids.insert(extension.name.clone(), index);
    }

    let mut out = String::new();
    tables.emit_extensions(&mut out)?;
    tables.emit_structs(&files, &mut out)?;
    tables.emit_types(&files, &mut out)?;
    tables.emit_constants(&files, &mut out)?;
    tables.emit_variables(&files, &mut out)?;
    tables.emit_functions(&files, &mut out)?;
    Ok(out)
}

fn load(folder: &Path) -> Result<Vec<Loaded>, String> {
    let files = files::read(folder, "toml")?;
    let loaded = files.into_iter().map(|file| {
        let stem = file.stem;
        let name = format!("extensions/{stem}.toml");
        let file: File = toml::from_str(&file.text).map_err(|error| format!("{name}: {error}"))?;
        let provider = file.extension.as_ref().map(|extension| extension.name.clone());
        match &provider {
            Some(provider) if *provider != stem => {
                Err(format!("{name}: expected the file of `{stem}` by its name, found `{provider}`"))
            }
            _ => Ok(Loaded { name, file, provider }),
        }
    });
    loaded.collect()
}

/// The variants of an enum in kebab-case, read from the crate so that the list is written once.
fn variants(source: &Path, name: &str) -> Result<HashSet<String>, String> {
    let text = fs::read_to_string(source)
        .map_err(|error| format!("{}: cannot be read: {error}", source.display()))?;
    let body = text
        .split_once(&format!("pub enum {name} {{"))
        .and_then(|(_, rest)| rest.split_once('}'))
        .ok_or_else(|| format!("{}: expected a `pub enum {name}`, found none", source.display()))?
        .0;
    Ok(body
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//"))
        .filter_map(|line| line.strip_suffix(','))
        .map(kebab)
        .collect())
}

fn kebab(camel: &str) -> String {
    let mut out = String::new();
    for c in camel.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn camel(kebab: &str) -> String {
    kebab
        .split('-')
        .map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_ascii_uppercase() + rest
        })
        .collect()
}

impl Tables {
    /// `&[ExtensionId(3)]`
    fn provider_list(&self, names: &[String]) -> Result<String, String> {
        let mut out = "&[".to_owned();
        for name in names {
            let id = self.ids.get(name).ok_or_else(|| {
                format!("expected the name of an extension that a file declares, found `{name}`")
            })?;
            let _ = write!(out, "ExtensionId({id}), ");
        }
        Ok(out + "]")
    }

    fn providers(&self, loaded: &Loaded, own: &Option<Vec<String>>) -> Result<(Vec<String>, bool), String> {
        let names = match own {
            Some(names) => names.clone(),
            None => loaded.provider.iter().cloned().collect(),
        };
        self.provider_list(&names)?;
        // An entry of a core file stays core, whatever extension brings it to lower versions.
        let core = loaded.provider.is_none() && own.as_ref().is_none_or(Vec::is_empty);
        Ok((names, core))
    }

    fn stages(&self, names: &[String]) -> Result<String, String> {
        if names.is_empty() {
            return Ok("0".to_owned());
        }
        let bits: Result<Vec<_>, String> = names
            .iter()
            .map(|name| {
                let variant = STAGES.iter().find(|stage| stage.0 == name).map(|stage| stage.1);
                variant.map(|variant| format!("(1 << Stage::{variant} as u32)")).ok_or_else(|| {
                    let known = alternatives(STAGES.iter().map(|stage| stage.0));
                    format!("expected the stage {known}, found `{name}`")
                })
            })
            .collect();
        Ok(bits?.join(" | "))
    }

    fn emit_extensions(&self, out: &mut String) -> Result<(), String> {
        let _ = writeln!(out, "pub static EXTENSIONS: [Extension; {}] = [", self.extensions.len());
        for extension in &self.extensions {
            let fail = |error: String| {
                let file = self.origins.get(&extension.name).map_or("", String::as_str);
                format!("{file}: extension `{}`: {error}", extension.name)
            };
            let mut requires = String::new();
            for choice in &extension.requires {
                let _ = write!(requires, "{}, ", self.provider_list(&choice.list()).map_err(fail)?);
            }
            let enables = self.provider_list(&extension.enables).map_err(fail)?;
            let version = |version: Version| match version {
                Version::Since(version) => format!("Some({version})"),
                Version::Unstated => "Some(0)".to_owned(),
                Version::None => "None".to_owned(),
            };
            let quoted = |words: &[String]| {
                words.iter().map(|word| format!("{word:?}")).collect::<Vec<_>>().join(", ")
            };
            let mut changes = String::new();
            for change in &extension.changes {
                if !self.changes.contains(change) {
                    return Err(fail(format!(
                        "changes: expected a variant of Change in kebab-case, found `{change}`"
                    )));
                }
                let _ = write!(changes, "Change::{}, ", camel(change));
            }
            let stages = self.stages(&extension.stages).map_err(fail)?;
            let vulkan = match &extension.vulkan {
                None => 0,
                Some(version) => version
                    .strip_prefix("1.")
                    .and_then(|minor| minor.parse::<u8>().ok())
                    .ok_or_else(|| fail(format!("vulkan: expected a version as `1.1`, found `{version}`")))?,
            };
            let _ = writeln!(
                out,
                "Extension {{ name: {:?}, summary: {:?}, macro_value: {}, requires: &[{requires}], enables: {enables}, \
                 min_version: {}, min_es_version: {}, min_vulkan: {vulkan}, keywords: &[{}], url: {:?}, analysed: {}, stages: {stages}, changes: &[{changes}], attributes: &[{}], doc: {:?} }},",
                extension.name,
                extension.summary,
                match extension.r#macro.unwrap_or(1) {
                    0 => "None".to_owned(),
                    value => format!("Some({value})"),
                },
                version(extension.version),
                version(extension.es),
                quoted(&extension.keywords),
                extension.url,
                extension.analysed.unwrap_or(true),
                quoted(&extension.attributes),
                extension.doc.trim(),
            );
        }
        out.push_str("];\n");
        names::module(
            out,
            "ids",
            "Every extension by its name.",
            self.extensions.iter().enumerate().map(|(index, extension)| {
                (extension.name.clone(), "ExtensionId".to_owned(), format!("ExtensionId({index})"))
            }),
        )
    }

    fn emit_structs(&self, files: &[Loaded], out: &mut String) -> Result<(), String> {
        let mut entries = BTreeMap::new();
        for loaded in files {
            for structure in &loaded.file.structs {
                let mut members = String::new();
                for member in notation::declarations(&structure.members) {
                    let (pattern, name) = notation::variable(member, &self.structs)
                        .map_err(|error| format!("{}: struct `{}`: {error}", loaded.name, structure.name))?;
                    let _ = write!(members, "BuiltinMember {{ name: {name:?}, pattern: {pattern} }}, ");
                }
                let text =
                    format!("BuiltinStruct {{ name: {:?}, members: &[{members}] }},\n", structure.name);
                if entries.insert(structure.name.clone(), text).is_some() {
                    return Err(format!("{}: struct `{}` is declared twice", loaded.name, structure.name));
                }
            }
        }
        emit_table(out, "STRUCTS", "BuiltinStruct", entries.into_values());
        Ok(())
    }

    fn emit_types(&self, files: &[Loaded], out: &mut String) -> Result<(), String> {
        let mut entries = BTreeMap::new();
        for loaded in files {
            for entry in &loaded.file.types {
                let (providers, core) = self
                    .providers(loaded, &entry.providers)
                    .map_err(|error| format!("{}: types `{}`: {error}", loaded.name, entry.names))?;
                for name in entry.names.split_whitespace().flat_map(notation::generic_prefixes) {
                    let fail = |error: String| format!("{}: type `{name}`: {error}", loaded.name);
                    let kind = match &entry.kind {
                        Some(kind) => TYPE_KINDS
                            .iter()
                            .find(|known| known.0 == kind)
                            .map(|known| format!("BuiltinTypeKind::{}", known.1))
                            .ok_or_else(|| {
                                let known = alternatives(TYPE_KINDS.iter().map(|known| known.0));
                                fail(format!("expected the kind {known}, found `{kind}`"))
                            })?,
                        None => notation::pattern(&name, &self.structs)
                            .map(|pattern| format!("BuiltinTypeKind::Pattern({pattern})"))
                            .ok_or_else(|| {
                                fail(
                                    "expected a `kind`, or the name of a type of the notation; found neither"
                                        .to_owned(),
                                )
                            })?,
                    };
                    let text = format!(
                        "BuiltinType {{ name: {name:?}, kind: {kind}, providers: {}, storage: {}, min_version: {}, \
                         min_es_version: {}, doc: {:?}, section: {:?} }},\n",
                        self.provider_list(&providers).map_err(&fail)?,
                        self.provider_list(&entry.storage).map_err(&fail)?,
                        entry.version.lowest(core),
                        entry.es.lowest(core),
                        entry.doc.trim(),
                        section(loaded, &entry.section),
                    );
                    if entries.insert(name.clone(), text).is_some() {
                        return Err(fail("declared twice".to_owned()));
                    }
                }
            }
        }
        emit_table(out, "TYPES", "BuiltinType", entries.into_values());
        Ok(())
    }

    fn emit_constants(&self, files: &[Loaded], out: &mut String) -> Result<(), String> {
        let mut entries = BTreeMap::new();
        for loaded in files {
            for entry in &loaded.file.constants {
                let fail = |error: String| format!("{}: constant `{}`: {error}", loaded.name, entry.name);
                let (providers, core) = self.providers(loaded, &entry.providers).map_err(fail)?;
                let ty = entry.r#type.as_deref().unwrap_or("int");
                let scalar = notation::scalar(ty)
                    .ok_or_else(|| fail(format!("type: expected a scalar type, found `{ty}`")))?;
                let (value, components) = match &entry.value {
                    OneOrManyNumbers::One(value) => (*value, Vec::new()),
                    OneOrManyNumbers::Many(values) => {
                        let first = values.first().ok_or_else(|| {
                            fail("value: expected a number or a list of them, found an empty list".to_owned())
                        })?;
                        (*first, values.clone())
                    }
                };
                let text = format!(
                    "BuiltinConstant {{ name: {:?}, scalar: Scalar::{scalar}, value: {value}, components: &{components:?}, \
                     providers: {}, min_version: {}, min_es_version: {}, doc: {:?}, section: {:?} }},\n",
                    entry.name,
                    self.provider_list(&providers).map_err(fail)?,
                    entry.version.lowest(core),
                    entry.es.lowest(core),
                    entry.doc.trim(),
                    section(loaded, &entry.section),
                );
                let scalar_value = entry.value.one();
                if entries.insert(entry.name.clone(), (scalar_value, text)).is_some() {
                    return Err(fail("declared twice".to_owned()));
                }
            }
        }
        self.emit_sets(&entries.keys().collect::<Vec<_>>(), out)?;
        names::module(
            out,
            "constants",
            "Every built-in constant by its name.",
            entries.keys().enumerate().map(|(index, name)| {
                (name.clone(), "BuiltinConstantId".to_owned(), format!("BuiltinConstantId({index})"))
            }),
        )?;
        names::module(
            out,
            "values",
            "The value of every built-in constant that is a scalar, by its name.",
            entries.iter().filter_map(|(name, (value, _))| {
                Some((name.clone(), "i64".to_owned(), (*value)?.to_string()))
            }),
        )?;
        emit_table(out, "CONSTANTS", "BuiltinConstant", entries.into_values().map(|entry| entry.1));
        Ok(())
    }

    /// The constants of a set are neighbours in the table, as the table is sorted by name.
    fn emit_sets(&self, constants: &[&String], out: &mut String) -> Result<(), String> {
        let mut items = Vec::new();
        for prefix in &self.sets {
            let first = constants.partition_point(|name| *name < prefix);
            let count =
                constants[first..].iter().take_while(|name| name.starts_with(prefix.as_str())).count();
            if count == 0 {
                return Err(format!(
                    "sets: expected constants whose names begin with `{prefix}`, found none"
                ));
            }
            let value =
                format!("ConstantSet {{ prefix: {prefix:?}, first: {first}, end: {} }}", first + count);
            items.push((prefix.clone(), "ConstantSet".to_owned(), value));
        }
        let list: Vec<_> =
            items.iter().map(|(prefix, ..)| format!("sets::{}", names::screaming(prefix))).collect();
        let _ = writeln!(out, "pub static SETS: &[ConstantSet] = &[{}];", list.join(", "));
        names::module(out, "sets", "The sets of constants, by the prefix of their names.", items.into_iter())
    }

    fn emit_variables(&self, files: &[Loaded], out: &mut String) -> Result<(), String> {
        let mut entries = Vec::new();
        for loaded in files {
            for entry in &loaded.file.variables {
                let builtins: Vec<&str> = entry.builtin.split(';').map(str::trim).collect();
                for (place, declaration) in notation::declarations(&entry.declarations).enumerate() {
                    let fail = |error: String| format!("{}: variable `{declaration}`: {error}", loaded.name);
                    let (providers, core) = self.providers(loaded, &entry.providers).map_err(fail)?;
                    let (writable, bare) = match declaration.split_once(char::is_whitespace) {
                        Some(("out" | "inout", rest)) => (true, rest),
                        Some(("in", rest)) => (false, rest),
                        _ => (false, declaration),
                    };
                    let (pattern, name) = notation::variable(bare, &self.structs).map_err(fail)?;
                    let builtin = match builtins.get(place).or(builtins.last()).copied().unwrap_or_default() {
                        "" => name.strip_prefix("gl_").unwrap_or_default(),
                        builtin => builtin,
                    };
                    let text = format!(
                        "BuiltinVariable {{ name: {name:?}, pattern: {pattern}, providers: {}, min_version: {}, \
                         min_es_version: {}, stages: {}, writable: {writable}, decoration: {builtin:?}, doc: {:?}, section: {:?} }},\n",
                        self.provider_list(&providers).map_err(fail)?,
                        entry.version.lowest(core),
                        entry.es.lowest(core),
                        self.stages(&entry.stages).map_err(fail)?,
                        entry.doc.trim(),
                        section(loaded, &entry.section),
                    );
                    entries.push((name, text));
                }
            }
        }
        // Stable: entries of one name stay in the order of the files.
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        let once = |name: &String| entries.iter().filter(|entry| entry.0 == *name).count() == 1;
        names::module(
            out,
            "variables",
            "The built-in variables that have one entry, by their names.",
            entries.iter().enumerate().filter(|(_, entry)| once(&entry.0)).map(|(index, entry)| {
                (entry.0.clone(), "BuiltinVariableId".to_owned(), format!("BuiltinVariableId({index})"))
            }),
        )?;
        emit_table(out, "VARIABLES", "BuiltinVariable", entries.into_iter().map(|entry| entry.1));
        Ok(())
    }

    /// The rows of a family; those of the families that it names come one after another.
    fn family(&self, name: &str, depth: u32) -> Result<Vec<Row>, String> {
        let items =
            self.families.get(name).filter(|_| depth < 4).ok_or_else(|| {
                format!("expected the name of a family (at most four deep), found `{name}`")
            })?;
        let mut rows = Vec::new();
        for item in items {
            match item {
                ForItem::Family(name) => rows.extend(self.family(name, depth + 1)?),
                ForItem::Rows(more) => rows.extend(more.iter().cloned()),
                ForItem::Row(row) => rows.push(row.clone()),
            }
        }
        Ok(rows)
    }

    /// Every combination of the rows of an entry's families.
    fn rows(&self, families: &Option<For>) -> Result<Vec<Row>, String> {
        let named = |name: &String| self.family(name, 0);
        let lists = match families {
            None => Vec::new(),
            Some(For::Family(name)) => vec![named(name)?],
            Some(For::List(items)) => {
                let mut lists: Vec<Vec<Row>> = Vec::new();
                let mut own = Vec::new();
                for item in items {
                    match item {
                        ForItem::Family(name) => lists.push(named(name)?),
                        ForItem::Rows(rows) => lists.push(rows.clone()),
                        ForItem::Row(row) => own.push(row.clone()),
                    }
                }
                if !own.is_empty() {
                    lists.push(own);
                }
                lists
            }
        };
        let mut rows = vec![Row::new()];
        for list in lists {
            rows = rows
                .iter()
                .flat_map(|row| {
                    list.iter().map(move |more| {
                        let mut row = row.clone();
                        row.extend(more.clone());
                        row
                    })
                })
                .collect();
        }
        Ok(rows)
    }

    /// `FixedOperand::Workgroup, FixedOperand::Shared`
    fn operands(&self, words: &str) -> Result<String, String> {
        let variant = |word: &str| match self.operands.contains(word) {
            true => Ok(format!("FixedOperand::{}", camel(word))),
            false => {
                Err(format!("operands: expected variants of FixedOperand in kebab-case, found `{word}`"))
            }
        };
        Ok(words.split_whitespace().map(variant).collect::<Result<Vec<_>, String>>()?.join(", "))
    }

    fn emit_functions(&self, files: &[Loaded], out: &mut String) -> Result<(), String> {
        let mut parameter_lists: HashMap<String, usize> = HashMap::new();
        let mut families: HashMap<String, usize> = HashMap::new();
        let mut seen: HashMap<String, String> = HashMap::new();
        let mut entries = Vec::new();
        let mut instructions = BTreeSet::new();
        for loaded in files {
            for entry in &loaded.file.functions {
                let whole = |error: String| {
                    format!("{}: functions `{}`: {error}", loaded.name, entry.declarations.trim())
                };
                let (file_providers, core) = self.providers(loaded, &entry.providers).map_err(whole)?;
                if let Some(rule) = &entry.rule
                    && !self.rules.contains(rule)
                {
                    return Err(whole(format!(
                        "rule: expected a variant of Rule in kebab-case, found `{rule}`"
                    )));
                }
                for prefix in entry.constants.values() {
                    if !self.sets.contains(prefix) {
                        return Err(whole(format!(
                            "constants: expected the prefix of one of the `[[sets]]`, found `{prefix}`"
                        )));
                    }
                }
                for row in self.rows(&entry.r#for).map_err(whole)? {
                    let text = substitute(&entry.declarations, &row).map_err(whole)?;
                    let list = |key: &str| -> Vec<String> {
                        row.get(key)
                            .map(|names| names.split_whitespace().map(str::to_owned).collect())
                            .unwrap_or_default()
                    };
                    let mut needs = entry.needs.clone();
                    needs.extend(list("needs"));
                    let mut providers = list("providers");
                    if providers.is_empty() {
                        providers.clone_from(&file_providers);
                    }
                    for written in notation::declarations(&text) {
                        let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
                        let signature = match &entry.signature {
                            Some(signature) => substitute(signature, &row).map_err(whole)?,
                            None => plain(&written),
                        };
                        let overloads = notation::optional(&written);
                        for overload in overloads.iter().flat_map(|text| notation::generic_prefixes(text)) {
                            let fail =
                                |error: String| format!("{}: function `{overload}`: {error}", loaded.name);
                            let parsed = notation::declaration(&overload, &self.structs).map_err(fail)?;
                            let mut parameters = String::new();
                            let mut shape = format!("{}(", parsed.name);
                            for parameter in &parsed.parameters {
                                let constants = match entry.constants.get(&parameter.name) {
                                    Some(prefix) => format!("Some(sets::{})", names::screaming(prefix)),
                                    None => "None".to_owned(),
                                };
                                let memory = parameter.memory
                                    || entry.rule.as_deref() == Some("atomic")
                                        && parameter.direction == "InOut";
                                let _ = write!(
                                    parameters,
                                    "BuiltinParameter {{ name: {:?}, pattern: {}, direction: ParameterDirection::{}, \
                                     constant: {}, memory: {memory}, default: {:?}, constants: {constants} }}, ",
                                    parameter.name,
                                    parameter.pattern,
                                    parameter.direction,
                                    parameter.constant,
                                    parameter.default,
                                );
                                let _ = write!(shape, "{},", parameter.pattern);
                            }
                            if let Some(first) = seen.insert(shape, loaded.name.clone()) {
                                return Err(fail(format!("the same parameters are declared in {first}")));
                            }
                            let count = parameter_lists.len();
                            let parameters = *parameter_lists.entry(parameters).or_insert(count);
                            let instruction = substitute(&entry.instruction, &row).map_err(fail)?;
                            let family = format!(
                                "FunctionFamily {{ name: {:?}, variadic: {}, providers: {}, needs: {}, min_version: {}, min_es_version: {}, \
                                 stages: {}, rule: {}, constant: {}, instruction: {instruction:?}, operands: &[{}], vulkan: {}, doc: {:?}, \
                                 section: {:?} }},\n",
                                parsed.name,
                                parsed.variadic,
                                self.provider_list(&providers).map_err(fail)?,
                                self.provider_list(&needs).map_err(fail)?,
                                entry.version.lowest(core && !row.contains_key("providers")),
                                entry.es.lowest(core && !row.contains_key("providers")),
                                self.stages(&entry.stages).map_err(fail)?,
                                match &entry.rule {
                                    Some(rule) => format!("Some(Rule::{})", camel(rule)),
                                    None => "None".to_owned(),
                                },
                                entry.constant,
                                self.operands(&substitute(&entry.operands, &row).map_err(fail)?)
                                    .map_err(fail)?,
                                entry.vulkan.unwrap_or(true),
                                substitute(entry.doc.trim(), &row).map_err(fail)?,
                                section(loaded, &entry.section),
                            );
                            let count = families.len();
                            let family = *families.entry(family).or_insert(count);
                            let text = format!(
                                "BuiltinFunction {{ signature: {signature:?}, result: {}, parameters: &PARAMETERS_{parameters}, family: {family} }},\n",
                                parsed.result,
                            );
                            if !instruction.is_empty() {
                                instructions.insert(instruction);
                            }
                            entries.push((parsed.name, text));
                        }
                    }
                }
            }
        }
        for (index, text) in in_order(parameter_lists).into_iter().enumerate() {
            let count = text.matches("BuiltinParameter {").count();
            let _ = writeln!(out, "static PARAMETERS_{index}: [BuiltinParameter; {count}] = [{text}];");
        }
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        names::module(
            out,
            "instructions",
            "What functions become, as the tables write it, for code that depends on the instruction.",
            instructions.into_iter().map(|name| (name.clone(), "&str".to_owned(), format!("{name:?}"))),
        )?;
        emit_table(out, "FAMILIES", "FunctionFamily", in_order(families).into_iter());
        emit_table(out, "FUNCTIONS", "BuiltinFunction", entries.into_iter().map(|entry| entry.1));
        Ok(())
    }
}

/// Texts by the numbers that they were given, which are all from 0 on.
fn in_order(numbered: HashMap<String, usize>) -> Vec<String> {
    let mut texts: Vec<_> = numbered.into_iter().collect();
    texts.sort_by_key(|text| text.1);
    texts.into_iter().map(|text| text.0).collect()
}

fn section(loaded: &Loaded, own: &Option<String>) -> String {
    own.clone()
        .or_else(|| loaded.file.section.clone())
        .or_else(|| loaded.provider.clone())
        .unwrap_or_default()
}

fn emit_table(out: &mut String, name: &str, ty: &str, entries: impl ExactSizeIterator<Item = String>) {
    let _ = writeln!(out, "pub static {name}: [{ty}; {}] = [", entries.len());
    out.extend(entries);
    out.push_str("];\n");
}

/// The declaration without the words that only this format has.
fn plain(declaration: &str) -> String {
    declaration.replace("constant ", "").replace("memory ", "").replace("coherent ", "")
}

/// `$T` and `${T}` by a row of a family.
fn substitute(text: &str, row: &Row) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let key = match rest.strip_prefix('{') {
            Some(tail) => {
                let (key, tail) = tail.split_once('}').ok_or("`${` without `}`")?;
                rest = tail;
                // `${$c}`: the key that `c` gives.
                match key.strip_prefix('$') {
                    Some(name) => row.get(name).ok_or_else(|| format!("no family gives `${name}`"))?,
                    None => key,
                }
            }
            None => {
                let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
                let (key, tail) = rest.split_at(end);
                rest = tail;
                key
            }
        };
        out.push_str(row.get(key).ok_or_else(|| format!("no family gives `${key}`"))?);
    }
    out.push_str(rest);
    // What a row gives may use what another one gives.
    if out.contains('$') { substitute(&out, row) } else { Ok(out) }
}
