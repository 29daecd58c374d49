//! A shader for each overload in the tables: its arguments come from buffers, and what it gives goes to one.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use coopmat_analysis::config::Stage;
use coopmat_analysis::display::display_type;
use coopmat_analysis::extensions::{
    self, BuiltinFunction, BuiltinParameter, ExtensionId, ParameterDirection, Pattern, Provided as _, Rule,
    sets,
};
use coopmat_analysis::types::{ArrayLength, OpaqueClass, Scalar, Ty, TypeKind, Types};

/// One call, as a whole shader.
pub struct Call {
    /// The function with the types of its arguments.
    pub title: String,
    pub source: String,
}

/// The functions of compute shaders whose calls can be written from their declarations alone. Operations on matrices have shaders of their
/// own, in `tests/matrix/`.
pub fn functions() -> Vec<&'static BuiltinFunction> {
    let is_declared = |function: &BuiltinFunction| match function.rule {
        None => !function.parameters.iter().any(|parameter| parameter.pattern == Pattern::AnyCoopmat),
        Some(Rule::Atomic | Rule::Barrier | Rule::Subgroup | Rule::SubgroupClustered) => true,
        Some(_) => false,
    };
    let all = extensions::all_functions().map(|(_, function)| function);
    all.filter(|function| is_declared(function) && extensions::in_stage(function.stages, Stage::Compute))
        .collect()
}

/// How long the vectors of a signature with `genFType` are.
const LENGTHS: [u8; 4] = [1, 2, 3, 4];

/// The calls of one entry of the tables: one for each length of its vectors.
pub fn of(function: &'static BuiltinFunction) -> Vec<Call> {
    let patterns =
        || function.parameters.iter().map(|parameter| &parameter.pattern).chain([&function.result]);
    let lengths: &[u8] = if patterns().any(|pattern| matches!(pattern, Pattern::Gen(_))) {
        &LENGTHS
    } else if patterns().any(|pattern| matches!(pattern, Pattern::GenVector(_))) {
        &LENGTHS[1..]
    } else {
        &LENGTHS[2..3]
    };
    lengths.iter().map(|&length| Writer::new(function, length).call()).collect()
}

struct Writer {
    function: &'static BuiltinFunction,
    length: u8,
    types: Types,
    extensions: BTreeSet<&'static str>,
    /// Declarations at top level, members of the block of inputs, locals of `main`.
    globals: String,
    members: String,
    locals: String,
}

impl Writer {
    fn new(function: &'static BuiltinFunction, length: u8) -> Writer {
        let mut writer = Writer {
            function,
            length,
            types: Types::default(),
            extensions: BTreeSet::new(),
            globals: String::new(),
            members: String::new(),
            locals: String::new(),
        };
        writer.provide(function.is_core(460, false), function.providers, function.needs);
        writer
    }

    fn provide(&mut self, core: bool, providers: &'static [ExtensionId], needs: &'static [ExtensionId]) {
        let first = if core { None } else { providers.first() };
        for &extension in first.into_iter().chain(needs) {
            self.require(extension);
        }
    }

    fn require(&mut self, extension: ExtensionId) {
        let extension = extensions::extension_by_id(extension);
        if self.extensions.insert(extension.name) {
            for choice in extension.requires {
                if let Some(&required) = choice.first() {
                    self.require(required);
                }
            }
        }
    }

    fn require_named(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    fn call(mut self) -> Call {
        let parameters = self.function.parameters;
        let arguments: Vec<String> =
            parameters.iter().enumerate().map(|(index, parameter)| self.argument(index, parameter)).collect();
        let result = self.type_name(&self.function.result);
        let mut call = format!("{}({})", self.function.name, arguments.join(", "));
        let title = {
            let types: Vec<String> =
                parameters.iter().map(|parameter| self.type_name(&parameter.pattern)).collect();
            format!("{} {}({})", result, self.function.name, types.join(", "))
        };
        if result != "void" {
            // Cooperative vectors lie in no buffer: a component does.
            let (result, component) = match self.function.result {
                Pattern::Coopvec(scalar) => (self.type_name(&Pattern::Scalar(scalar)), "[0]"),
                _ => (result, ""),
            };
            let _ =
                writeln!(self.globals, "layout(binding = 1) writeonly buffer Result {{ {result} result; }};");
            call = format!("result = {call}{component}");
        }
        // Derivatives need to know which invocations are neighbours.
        let mut shape = "";
        if self.function.section.contains("Derivative") || self.function.name == "textureQueryLod" {
            self.require_named("GL_KHR_compute_shader_derivatives");
            shape = ", local_size_y = 2";
            self.globals.push_str("layout(derivative_group_quadsNV) in;\n");
        }
        let mut source = "#version 460\n".to_owned();
        for extension in &self.extensions {
            let _ = writeln!(source, "#extension {extension} : require");
        }
        let _ = writeln!(source, "layout(local_size_x = 32{shape}) in;");
        if !self.members.is_empty() {
            let _ = writeln!(source, "layout(binding = 0) readonly buffer Arguments {{\n{}}};", self.members);
        }
        let _ = write!(source, "{}void main() {{\n{}    {call};\n}}\n", self.globals, self.locals);
        Call { title, source }
    }

    fn argument(&mut self, index: usize, parameter: &'static BuiltinParameter) -> String {
        if let Pattern::Opaque(opaque) = parameter.pattern {
            let ty = self.type_name(&parameter.pattern);
            let name = format!("image{index}");
            let binding = index + 2;
            let format = match opaque.component {
                _ if opaque.class != OpaqueClass::Image => "",
                Scalar::Int32 => ", r32i",
                Scalar::Uint32 => ", r32ui",
                Scalar::Int64 => ", r64i",
                Scalar::Uint64 => ", r64ui",
                _ => match self.function.result {
                    Pattern::Vector(Scalar::Float16, 2) => ", rg16f",
                    Pattern::Vector(Scalar::Float16, _) => ", rgba16f",
                    _ => ", r32f",
                },
            };
            let _ = match opaque.class {
                class if class.is_state() => writeln!(self.globals, "{ty} {name};"),
                _ => writeln!(self.globals, "layout(binding = {binding}{format}) uniform {ty} {name};"),
            };
            return name;
        }
        // Lookups are asked where they are while compiling.
        let image = self.function.instruction.starts_with("OpImage");
        let place = image && matches!(parameter.name, "offset" | "offsets" | "comp");
        if parameter.constant || parameter.constants.is_some() || place {
            return self.constant(parameter);
        }
        let ty = self.type_name(&parameter.pattern);
        let name = format!("argument{index}");
        if parameter.memory || (self.function.rule == Some(Rule::Atomic) && index == 0) {
            let _ = writeln!(
                self.globals,
                "layout(binding = {}) buffer Memory{index} {{ {ty} {name}; }};",
                index + 2
            );
            return name;
        }
        if parameter.direction == ParameterDirection::Out {
            let _ = writeln!(self.locals, "    {ty} {name};");
            return name;
        }
        if let Pattern::Coopvec(scalar) = parameter.pattern {
            let component = self.type_name(&Pattern::Scalar(scalar));
            let _ = writeln!(self.members, "    {component} {name};");
            let _ = writeln!(self.locals, "    {ty} local{index} = {ty}({name});");
            return format!("local{index}");
        }
        let _ = writeln!(self.members, "    {ty} {name};");
        if parameter.direction == ParameterDirection::InOut {
            let _ = writeln!(self.locals, "    {ty} local{index} = {name};");
            return format!("local{index}");
        }
        name
    }

    /// A value for what has to be constant.
    fn constant(&mut self, parameter: &'static BuiltinParameter) -> String {
        let atomic = self.function.rule == Some(Rule::Atomic);
        if parameter.constants == Some(sets::GL_SCOPE) || parameter.name == "scope" {
            self.require_named("GL_KHR_memory_scope_semantics");
        }
        match parameter.constants {
            Some(sets::GL_SCOPE) => return "gl_ScopeWorkgroup".to_owned(),
            Some(sets::GL_STORAGE_SEMANTICS) if atomic => return "0".to_owned(),
            Some(sets::GL_STORAGE_SEMANTICS) => return "gl_StorageSemanticsBuffer".to_owned(),
            Some(sets::GL_SEMANTICS) if atomic => return "0".to_owned(),
            Some(sets::GL_SEMANTICS) => {
                return match self.function.name {
                    "controlBarrierArrive" => "gl_SemanticsRelease",
                    "controlBarrierWait" => "gl_SemanticsAcquire",
                    _ => "gl_SemanticsAcquireRelease",
                }
                .to_owned();
            }
            _ => {}
        }
        match parameter.name {
            "scope" => return "gl_ScopeWorkgroup".to_owned(),
            "storage" if !atomic => return "gl_StorageSemanticsBuffer".to_owned(),
            "sem" | "semantics" if !atomic => return "gl_SemanticsAcquireRelease".to_owned(),
            "storage" | "sem" | "semantics" | "semEqual" | "semUnequal" | "storageEqual"
            | "storageUnequal" => {
                return "0".to_owned();
            }
            _ => {}
        }
        let ty = self.type_name(&parameter.pattern);
        match &parameter.pattern {
            Pattern::Array(element, Some(length)) => {
                let element = self.type_name(element);
                let parts: Vec<String> = (0..*length).map(|part| format!("{element}({part})")).collect();
                format!("{ty}({})", parts.join(", "))
            }
            Pattern::Scalar(Scalar::Int32) => "1".to_owned(),
            _ => format!("{ty}(1)"),
        }
    }

    fn type_name(&mut self, pattern: &Pattern) -> String {
        let Some(ty) = self.ty(pattern) else { return format!("{pattern:?}") };
        let name = display_type(&self.types, &Default::default(), ty);
        let word: &str = name.split(['<', '[']).next().unwrap_or(&name);
        if let Some(known) = extensions::type_(word) {
            let known = extensions::type_by_id(known);
            // One that is required already may bring it.
            let brought = known
                .providers
                .iter()
                .any(|&provider| self.extensions.contains(extensions::extension_by_id(provider).name));
            self.provide(known.is_core(460, false) || brought, known.providers, &[]);
        }
        if let TypeKind::Vector(scalar, _) | TypeKind::LongVector(scalar, _) | TypeKind::CoopVec(scalar, _) =
            *self.types.kind(ty)
        {
            self.type_name(&Pattern::Scalar(scalar));
        }
        if let TypeKind::Opaque(opaque) = *self.types.kind(ty)
            && opaque.component.bits() == 64
        {
            self.require_named("GL_EXT_shader_image_int64");
        }
        name
    }

    fn ty(&mut self, pattern: &Pattern) -> Option<Ty> {
        let types = &mut self.types;
        Some(match *pattern {
            Pattern::Void => Ty::VOID,
            Pattern::Scalar(scalar) => types.scalar(scalar),
            Pattern::Vector(scalar, length) => types.vector(scalar, u32::from(length)),
            Pattern::Matrix { component, columns, rows } => types.matrix(component, columns, rows),
            Pattern::Gen(scalar) | Pattern::GenVector(scalar) => match self.length {
                1 => types.scalar(scalar),
                length => types.vector(scalar, u32::from(length)),
            },
            Pattern::Coopvec(scalar) => {
                let length = types.symbols.int(6);
                types.intern(TypeKind::CoopVec(scalar, length))
            }
            Pattern::AnyMatrix(component) => types.matrix(component, 3, self.length),
            Pattern::Array(element, length) => {
                let element = self.ty(element)?;
                let length = self.types.symbols.int(length.unwrap_or(4).into());
                self.types.array(element, ArrayLength::Sized(length))
            }
            Pattern::Opaque(opaque) => types.intern(TypeKind::Opaque(opaque)),
            Pattern::AnyCoopmat
            | Pattern::AnyCoopmatNv
            | Pattern::AnyCoopvec
            | Pattern::AnyTensorLayout
            | Pattern::AnyTensorView
            | Pattern::FunctionName
            | Pattern::AnyType
            | Pattern::String
            | Pattern::Struct(_) => return None,
        })
    }
}
