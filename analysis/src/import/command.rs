//! What the arguments of a compiler say about a configuration. Options that change no meaning (optimization, debug
//! information, bindings) are passed over, with the words that belong to them.

use std::collections::BTreeSet;

use crate::config::{Stage, TargetEnv};
use crate::extensions::{self, ids};
use crate::project::{Definitions, Settings, macro_name, split_define};

use super::paths::{file_name, path_in};
use super::responses::Responses;
use super::tool::Tool;

pub struct Input {
    pub source: String,
    pub settings: Settings,
}

pub struct Call {
    pub inputs: Vec<Input>,
    pub output: Option<String>,
    /// Why some or all inputs are left out.
    pub skipped: Option<&'static str>,
    /// What the call says of the shader that it reads from standard input.
    pub stdin: Option<Settings>,
    /// An option that means something no setting can say, and why.
    pub unsaid: Option<String>,
}

impl Call {
    /// Whether what looked like a call in a log is one: it compiles files that can be shaders, or says why it does not.
    pub fn is_plausible(&self) -> bool {
        self.skipped.is_some()
            || !self.inputs.is_empty()
                && self
                    .inputs
                    .iter()
                    .all(|input| file_name(&input.source).contains('.') || input.settings.stage.is_some())
    }
}

/// Why a call cannot be used.
pub enum Fault {
    /// Something is wrong, in which word.
    Mistake { word: Option<usize>, message: String },
    /// The import has too many words by now: [`Responses::bounds`].
    NoRoom,
}

impl Fault {
    pub fn of(message: String) -> Fault {
        Fault::Mistake { word: None, message }
    }

    /// For a call that stands alone.
    pub fn message(self) -> String {
        match self {
            Fault::Mistake { message, .. } => message,
            Fault::NoRoom => format!("this call is too long: {}", Responses::bounds()),
        }
    }
}

/// Options of glslc whose value is the next word, and which say nothing about meaning.
const GLSLC_VALUES: &[&str] =
    &["-MF", "-MT", "-MQ", "-flimit-file", "-mfmt", "-fentry-point", "-working-directory"];

/// The same for glslang.
const GLSLANG_VALUES: &[&str] = &[
    "-e",
    "--entry-point",
    "--source-entrypoint",
    "--sep",
    "--vn",
    "--variable-name",
    "--depfile",
    "--uniform-base",
    "--ub",
    "--spirv-version",
    "--client-version",
];

struct Reader<'a> {
    tool: Tool,
    folder: &'a str,
    settings: Settings,
    defines: Definitions,
    include_dirs: BTreeSet<String>,
    /// Paths with the stage and the language that held at that word.
    inputs: Vec<(String, Option<Stage>, bool)>,
    output: Option<String>,
    stage: Option<Stage>,
    hlsl: bool,
    stdin: bool,
    skipped: Option<&'static str>,
    unsaid: Option<String>,
    /// glslang makes SPIR-V for Vulkan.
    vulkan: bool,
}

/// Reads the arguments behind the program's name.
pub fn read(
    tool: Tool,
    arguments: &[String],
    folder: &str,
    responses: &mut Responses<'_>,
) -> Result<Call, Fault> {
    let expanded = responses.expand(arguments, folder)?;
    if tool == Tool::Slangc {
        let skipped = Some("it compiles Slang, which is not analysed");
        return Ok(Call { inputs: Vec::new(), output: None, skipped, stdin: None, unsaid: None });
    }
    let mut reader = Reader {
        tool,
        folder,
        settings: Settings::default(),
        defines: Definitions::default(),
        include_dirs: BTreeSet::default(),
        inputs: Vec::new(),
        output: None,
        stage: None,
        hlsl: false,
        stdin: false,
        skipped: None,
        unsaid: None,
        vulkan: false,
    };
    let mut at = 0;
    while at < expanded.len() {
        let taken = match tool {
            Tool::Glslc => reader.glslc(&expanded[at..]),
            Tool::Glslang => reader.glslang(&expanded[at..]),
            Tool::Slangc => Ok(1),
        };
        at += taken.map_err(|message| {
            let word = arguments.iter().position(|word| *word == expanded[at]);
            Fault::Mistake { word, message }
        })?;
    }
    responses.paths(folder, reader.inputs.len().saturating_mul(1 + reader.include_dirs.len()))?;
    // Each shader of the call has settings of its own.
    responses.repeat(&expanded, reader.inputs.len().saturating_sub(1))?;
    Ok(reader.finish())
}

/// The value of an option that is written in one word with it or as the next one, and how many words that makes.
fn value<'w>(words: &'w [String], option: &str) -> Result<(&'w str, usize), String> {
    let rest = &words[0][option.len()..];
    if !rest.is_empty() {
        return Ok((rest.strip_prefix('=').filter(|_| option.starts_with("--")).unwrap_or(rest), 1));
    }
    match words.get(1) {
        Some(next) => Ok((next, 2)),
        None => Err(format!("`{option}` needs a value after it")),
    }
}

/// The words after an option such as `-fubo-binding-base comp 4`: a stage, and numbers.
fn binding_words(words: &[String]) -> usize {
    let stage = usize::from(words.get(1).is_some_and(|word| stage_named(word).is_some()));
    let number = |word: &&String| word.bytes().all(|byte| byte.is_ascii_digit()) && !word.is_empty();
    1 + stage + words.iter().skip(1 + stage).take_while(number).count()
}

fn stage_named(name: &str) -> Option<Stage> {
    Stage::of_pragma(name).or_else(|| Stage::of_path(&format!("x.{name}")))
}

impl Reader<'_> {
    fn define(&mut self, text: &str) -> Result<(), String> {
        let (name, value) = split_define(text);
        let word = macro_name(&name);
        let begins = word.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_');
        if !begins || !word.bytes().all(crate::lex::is_identifier_byte) {
            return Err(format!("`{name}` is not a valid macro name"));
        }
        self.defines.set(name, value);
        Ok(())
    }

    fn include(&mut self, folder: &str) {
        let folder = path_in(self.folder, folder);
        if self.include_dirs.insert(folder.clone()) {
            self.settings.include_dirs.push(folder);
        }
    }

    fn input(&mut self, path: &str) {
        let hlsl = self.hlsl || path.ends_with(".hlsl");
        self.inputs.push((path_in(self.folder, path), self.stage, hlsl));
    }

    fn reads_stdin(&mut self) {
        self.stdin = true;
        self.skipped = Some("it reads standard input");
    }

    fn target_env(&mut self, name: &str) -> Result<(), String> {
        if name.starts_with("opengl") {
            self.skipped = Some("it compiles for OpenGL");
            return Ok(());
        }
        let spirv = match name {
            // The first version of Vulkan that takes this version of SPIR-V.
            "spirv1.0" => Some(TargetEnv::Vulkan1_0),
            "spirv1.1" | "spirv1.2" | "spirv1.3" => Some(TargetEnv::Vulkan1_1),
            "spirv1.4" | "spirv1.5" => Some(TargetEnv::Vulkan1_2),
            "spirv1.6" => Some(TargetEnv::Vulkan1_3),
            _ => None,
        };
        self.settings.target_env = Some(match spirv {
            Some(env) => env,
            None => name.parse()?,
        });
        Ok(())
    }

    /// `460core`, `310es`, `450`.
    fn version(&mut self, option: &str, text: &str) {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, profile) = text.split_at(digits);
        match format!("{number} {profile}").parse() {
            Ok(version) => self.settings.version = Some(version),
            Err(why) => self.unsaid = Some(format!("`{option}{text}`: {why}")),
        }
    }

    fn stage(&mut self, name: &str) -> Result<(), String> {
        match stage_named(name) {
            Some(stage) => {
                self.stage = Some(stage);
                Ok(())
            }
            None => Err(format!("unknown stage `{name}`")),
        }
    }

    /// Reads one option and answers how many words it is.
    fn glslc(&mut self, words: &[String]) -> Result<usize, String> {
        let word = words[0].as_str();
        if let Some(name) = word.strip_prefix("-fshader-stage=") {
            self.stage(name)?;
        } else if let Some(name) = word.strip_prefix("--target-env=") {
            self.target_env(name)?;
        } else if let Some(version) = word.strip_prefix("-std=") {
            self.version("-std=", version);
        } else if word.starts_with("-D") {
            let (define, taken) = value(words, "-D")?;
            self.define(define)?;
            return Ok(taken);
        } else if word.starts_with("-I") {
            let (folder, taken) = value(words, "-I")?;
            self.include(folder);
            return Ok(taken);
        } else if word.starts_with("-x") {
            let (language, taken) = value(words, "-x")?;
            self.hlsl = language == "hlsl";
            return Ok(taken);
        } else if word.starts_with("-o") {
            let (path, taken) = value(words, "-o")?;
            self.output = Some(path_in(self.folder, path));
            return Ok(taken);
        } else if matches!(word, "-E" | "-M" | "-MM") {
            self.skipped = Some("it does not compile");
        } else if word == "-fresource-set-binding"
            || word.ends_with("-binding-base")
            || word.contains("-binding-base-")
        {
            return Ok(binding_words(words));
        } else if GLSLC_VALUES.contains(&word) {
            return Ok(2);
        } else if word == "-" {
            self.reads_stdin();
        } else if !word.starts_with('-') && !word.is_empty() {
            self.input(word);
        }
        Ok(1)
    }

    fn glslang(&mut self, words: &[String]) -> Result<usize, String> {
        let word = words[0].as_str();
        // Long names first: `--D` is no `-` with something behind it.
        for (names, act) in GLSLANG_OPTIONS {
            for name in *names {
                let rest = word.strip_prefix(name);
                let fits = rest
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('=') || !name.starts_with("--"));
                if fits {
                    // `-D` alone says that the input is HLSL.
                    if word == "-D" {
                        self.hlsl = true;
                        return Ok(1);
                    }
                    let (text, taken) = value(words, name)?;
                    act(self, text)?;
                    return Ok(taken);
                }
            }
        }
        if word == "-G" || word.starts_with("-G") && word[2..].bytes().all(|byte| byte.is_ascii_digit()) {
            self.skipped = Some("it compiles for OpenGL");
        } else if word == "-V"
            || word.starts_with("-V") && word[2..].bytes().all(|byte| byte.is_ascii_digit())
        {
            self.vulkan = true;
        } else if matches!(word, "-E" | "--dump-builtin-symbols") {
            self.skipped = Some("it does not compile");
        } else if word == "--stdin" {
            self.reads_stdin();
        } else if word.ends_with("-binding")
            || matches!(word, "--resource-set-binding" | "--resource-set-bindings" | "--rsb")
        {
            return Ok(binding_words(words));
        } else if GLSLANG_VALUES.contains(&word) {
            return Ok(2);
        } else if !word.starts_with('-') && !word.is_empty() && !word.ends_with(".conf") {
            // Numbers belong to an option with several of them.
            if !word.bytes().all(|byte| byte.is_ascii_digit()) {
                self.input(word);
            }
        }
        Ok(1)
    }

    /// Text that stands before the shader: its macros and its extension for includes are what a configuration has.
    fn preamble(&mut self, text: &str) {
        for line in text.lines() {
            let Some(directive) = line.trim().strip_prefix('#').map(str::trim_start) else { continue };
            if let Some(rest) = directive.strip_prefix("define") {
                let rest = rest.trim();
                let closing = rest.find('(').filter(|open| !rest[..*open].contains(char::is_whitespace));
                let end = match closing {
                    Some(_) => rest.find(')').map_or(rest.len(), |close| close + 1),
                    None => rest.find(char::is_whitespace).unwrap_or(rest.len()),
                };
                let (name, body) = rest.split_at(end);
                // Not an error of the call: the compiler reads a preamble as it reads a shader.
                let body = body.trim();
                let _ =
                    self.define(&if body.is_empty() { name.to_owned() } else { format!("{name}={body}") });
            } else if let Some(rest) = directive.strip_prefix("undef") {
                self.defines.remove(rest.trim());
            } else if let Some(rest) = directive.strip_prefix("extension") {
                let on = rest.split_once(':').filter(|(name, _)| {
                    extensions::extension(name.trim()) == Some(ids::GL_GOOGLE_INCLUDE_DIRECTIVE)
                });
                if let Some((_, behaviour)) = on {
                    self.settings.google_include = Some(behaviour.trim() != "disable");
                }
            }
        }
    }

    fn finish(mut self) -> Call {
        match self.tool {
            Tool::Glslc => {
                self.settings.google_include = Some(true);
                self.settings.target_env = self.settings.target_env.or(Some(TargetEnv::Vulkan1_0));
            }
            Tool::Glslang => {
                if self.vulkan {
                    self.settings.target_env = self.settings.target_env.or(Some(TargetEnv::Vulkan1_0));
                }
            }
            Tool::Slangc => {}
        }
        self.settings.defines = self.defines.into_list();
        let mut skipped = self.skipped;
        let mut inputs = Vec::new();
        for (source, stage, hlsl) in self.inputs {
            if hlsl {
                skipped = Some("it compiles HLSL");
            } else if self.skipped.is_none() {
                // What the name says anyway is not repeated.
                let stage = stage.filter(|stage| Stage::of_path(&source) != Some(*stage));
                inputs.push(Input { source, settings: Settings { stage, ..self.settings.clone() } });
            }
        }
        let stdin = self.stdin.then_some(Settings { stage: self.stage, ..self.settings });
        Call { inputs, output: self.output, skipped, stdin, unsaid: self.unsaid }
    }
}

type Act = fn(&mut Reader<'_>, &str) -> Result<(), String>;

/// Options of glslang that say something about meaning, by their names.
const GLSLANG_OPTIONS: &[(&[&str], Act)] = &[
    (&["--define-macro", "--D", "-D"], |reader, text| reader.define(text)),
    (&["--undef-macro", "--U", "-U"], |reader, text| {
        reader.defines.remove(text);
        Ok(())
    }),
    (&["--preamble-text", "--P", "-P"], |reader, text| {
        reader.preamble(text);
        Ok(())
    }),
    (&["-I"], |reader, text| {
        reader.include(text);
        Ok(())
    }),
    (&["--target-env"], |reader, text| {
        reader.vulkan = true;
        reader.target_env(text)
    }),
    (&["--client"], |reader, text| {
        reader.vulkan |= text.starts_with("vulkan");
        if text.starts_with("opengl") {
            reader.skipped = Some("it compiles for OpenGL");
        }
        Ok(())
    }),
    (&["--glsl-version"], |reader, text| {
        reader.version("--glsl-version ", text);
        Ok(())
    }),
    (&["-S"], |reader, text| reader.stage(text)),
    (&["-o"], |reader, text| {
        reader.output = Some(path_in(reader.folder, text));
        Ok(())
    }),
    (&["--target-spv", "--target-spirv"], |_, _| Ok(())),
];
