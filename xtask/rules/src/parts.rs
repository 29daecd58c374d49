//! What calls are made of: matrices, memory, tensor layouts and views, arrays, functions. Each knows its type and how it is declared.

use std::fmt;

use coopmat_analysis::extensions::{
    self, BuiltinConstant, ConstantSet, ExtensionId, Provided as _, ids, sets,
};
use coopmat_analysis::types::{Scalar, ScalarClass, ScalarClassNv};

use crate::shader::{ALWAYS, Shader, push_once};

pub use coopmat_analysis::extensions::values::{
    GL_MATRIX_USE_A as USE_A, GL_MATRIX_USE_ACCUMULATOR as USE_ACCUMULATOR, GL_MATRIX_USE_B as USE_B,
    GL_SCOPE_SUBGROUP as SCOPE_SUBGROUP, GL_SCOPE_WORKGROUP as SCOPE_WORKGROUP,
};

/// The constants of a set.
pub fn constants(set: ConstantSet) -> impl Iterator<Item = &'static BuiltinConstant> {
    set.iter().map(|(_, constant)| constant)
}

/// The name of a value among the constants of a set; the number where it has none.
pub fn named(set: ConstantSet, value: i64) -> String {
    set.with_value(value).map_or_else(|| value.to_string(), |constant| constant.name.to_owned())
}

/// Every type of number.
pub fn numbers() -> impl Iterator<Item = Scalar> {
    Scalar::ALL.into_iter().filter(|scalar| scalar.class() != ScalarClass::Bool)
}

/// The extension that brings a type, unless every shader has it.
pub fn provider(scalar: Scalar) -> Option<ExtensionId> {
    let ty = extensions::type_by_id(extensions::type_(scalar.name())?);
    if ty.is_core(460, false) || ty.providers.iter().any(|provider| ALWAYS.contains(provider)) {
        return None;
    }
    ty.providers.first().copied()
}

/// The number one of a type.
pub fn one(scalar: Scalar) -> String {
    match scalar {
        Scalar::Float32 => "1.0".to_owned(),
        Scalar::Int32 => "1".to_owned(),
        Scalar::Uint32 => "1u".to_owned(),
        Scalar::Bool => "true".to_owned(),
        _ if scalar.is_float() => format!("{}(1.0)", scalar.name()),
        _ => format!("{}(1)", scalar.name()),
    }
}

/// A size: a number, or a specialization constant with a default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Of(u32),
    Constant(u8, u32),
}

impl Size {
    pub fn value(self) -> u32 {
        match self {
            Size::Of(value) | Size::Constant(_, value) => value,
        }
    }

    /// The same kind of size with another value.
    pub fn with(self, value: u32) -> Size {
        match self {
            Size::Of(_) => Size::Of(value),
            Size::Constant(id, _) => Size::Constant(id + 10, value),
        }
    }

    pub fn is_known(self) -> bool {
        matches!(self, Size::Of(_))
    }

    pub fn declare(self, shader: &mut Shader) {
        if let Size::Constant(id, value) = self {
            shader.declare(format!("layout(constant_id = {id}) const uint SIZE_{id} = {value};"));
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Of(value) => write!(f, "{value}"),
            Size::Constant(id, _) => write!(f, "SIZE_{id}"),
        }
    }
}

/// `coopmat<...>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    pub component: Scalar,
    pub scope: i64,
    pub rows: Size,
    pub columns: Size,
    pub usage: i64,
}

impl Matrix {
    pub fn new(component: Scalar, rows: u32, columns: u32, usage: i64) -> Matrix {
        Matrix { component, scope: SCOPE_SUBGROUP, rows: Size::Of(rows), columns: Size::Of(columns), usage }
    }

    pub fn of_workgroup(self) -> Matrix {
        Matrix { scope: SCOPE_WORKGROUP, ..self }
    }

    /// Enables and declares what the type needs.
    pub fn declare(self, shader: &mut Shader) {
        shader.require(ids::GL_KHR_COOPERATIVE_MATRIX);
        if let Some(provider) = provider(self.component) {
            shader.require(provider);
        }
        self.rows.declare(shader);
        self.columns.declare(shader);
    }

    /// Construction from one number.
    pub fn filled(self) -> String {
        format!("{self}({})", one(self.component))
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scope, usage) = (named(sets::GL_SCOPE, self.scope), named(sets::GL_MATRIX_USE, self.usage));
        write!(f, "coopmat<{}, {scope}, {}, {}, {usage}>", self.component.name(), self.rows, self.columns)
    }
}

/// `fcoopmatNV<...>` and its kin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixNv {
    pub class: ScalarClassNv,
    pub bits: u32,
    pub scope: i64,
    pub rows: u32,
    pub columns: u32,
}

impl MatrixNv {
    pub fn component(self) -> Scalar {
        match (self.class, self.bits) {
            (ScalarClassNv::Float, 16) => Scalar::Float16,
            (ScalarClassNv::Float, 64) => Scalar::Float64,
            (ScalarClassNv::Float, _) => Scalar::Float32,
            (ScalarClassNv::Signed, 8) => Scalar::Int8,
            (ScalarClassNv::Signed, 16) => Scalar::Int16,
            (ScalarClassNv::Signed, 64) => Scalar::Int64,
            (ScalarClassNv::Signed, _) => Scalar::Int32,
            (ScalarClassNv::Unsigned, 8) => Scalar::Uint8,
            (ScalarClassNv::Unsigned, 16) => Scalar::Uint16,
            (ScalarClassNv::Unsigned, 64) => Scalar::Uint64,
            (ScalarClassNv::Unsigned, _) => Scalar::Uint32,
        }
    }

    pub fn declare(self, shader: &mut Shader) {
        shader.require(match self.class {
            ScalarClassNv::Float => ids::GL_NV_COOPERATIVE_MATRIX,
            ScalarClassNv::Signed | ScalarClassNv::Unsigned => ids::GL_NV_INTEGER_COOPERATIVE_MATRIX,
        });
    }

    pub fn filled(self) -> String {
        format!("{self}({})", one(self.component()))
    }
}

impl fmt::Display for MatrixNv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.class {
            ScalarClassNv::Float => "fcoopmatNV",
            ScalarClassNv::Signed => "icoopmatNV",
            ScalarClassNv::Unsigned => "ucoopmatNV",
        };
        write!(
            f,
            "{name}<{}, {}, {}, {}>",
            self.bits,
            named(sets::GL_SCOPE, self.scope),
            self.rows,
            self.columns
        )
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Buffer,
    Shared,
    Reference,
}

pub const PLACES: [Place; 3] = [Place::Buffer, Place::Shared, Place::Reference];

/// An array in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    pub place: Place,
    pub element: Scalar,
    /// 1 for a scalar, else the length of a vector.
    pub count: u32,
    /// `readonly` and such, for buffers.
    pub qualifiers: &'static str,
}

impl Memory {
    pub fn new(element: Scalar) -> Memory {
        Memory { place: Place::Buffer, element, count: 1, qualifiers: "" }
    }

    pub fn at(self, place: Place) -> Memory {
        Memory { place, ..self }
    }

    pub fn bytes(&self) -> u32 {
        self.element.bytes() * self.count
    }

    fn element_name(&self) -> String {
        match self.count {
            1 => self.element.name().to_owned(),
            count => format!("{}{count}", self.element.vector_prefix()),
        }
    }

    /// Declares it and gives the expression that names it.
    pub fn declare(&self, shader: &mut Shader, index: usize) -> String {
        let element = self.element_name();
        if let Some(provider) = provider(self.element) {
            shader.require(provider);
        }
        let gap = if self.qualifiers.is_empty() { "" } else { " " };
        match self.place {
            Place::Buffer => {
                shader.declare(format!(
                    "layout(binding = {index}) {}{gap}buffer Block{index} {{ {element} data[]; }} block{index};",
                    self.qualifiers
                ));
                format!("block{index}.data")
            }
            Place::Shared => {
                shader.declare(format!("shared {element} staged{index}[4096];"));
                format!("staged{index}")
            }
            Place::Reference => {
                shader.require(ids::GL_EXT_BUFFER_REFERENCE);
                shader.declare(format!(
                    "layout(buffer_reference, std430, buffer_reference_align = 16) {}{gap}buffer Memory{index} {{ {element} data[]; }};",
                    self.qualifiers
                ));
                shader.declare(format!(
                    "layout(push_constant) uniform Parameters {{ Memory{index} memory{index}; }};"
                ));
                format!("memory{index}.data")
            }
        }
    }
}

/// A tensor layout with its sizes, declared as a local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    pub clamp: i64,
    /// One for each dimension.
    pub sizes: Vec<u32>,
    pub blocks: Option<Vec<u32>>,
    /// Offset and span of each dimension.
    pub slice: Option<Vec<(i32, u32)>>,
    /// The type's second argument is left out, which stands for Undefined.
    pub short: bool,
    /// Statements between the dimensions and the slice.
    pub further: Vec<String>,
}

impl Layout {
    pub fn new(sizes: &[u32]) -> Layout {
        Layout {
            clamp: 0,
            sizes: sizes.to_vec(),
            blocks: None,
            slice: None,
            short: true,
            further: Vec::new(),
        }
    }

    pub fn dimensions(&self) -> usize {
        self.sizes.len()
    }

    pub fn ty(&self) -> String {
        match self.short {
            true => format!("tensorLayoutNV<{}>", self.sizes.len()),
            false => {
                let clamp = named(sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE, self.clamp);
                format!("tensorLayoutNV<{}, {clamp}>", self.sizes.len())
            }
        }
    }

    pub fn creation(&self) -> String {
        match self.short {
            true => format!("createTensorLayoutNV({})", self.sizes.len()),
            false => {
                let clamp = named(sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE, self.clamp);
                format!("createTensorLayoutNV({}, {clamp})", self.sizes.len())
            }
        }
    }

    pub fn declare(&self, shader: &mut Shader, index: usize) -> String {
        shader.require(ids::GL_NV_COOPERATIVE_MATRIX2);
        let name = format!("layout{index}");
        shader.locals.push(format!("{} {name} = {};", self.ty(), self.creation()));
        let list = |values: &[u32]| values.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        if let Some(blocks) = &self.blocks {
            shader.locals.push(format!("{name} = setTensorLayoutBlockSizeNV({name}, {});", list(blocks)));
        }
        shader.locals.push(format!("{name} = setTensorLayoutDimensionNV({name}, {});", list(&self.sizes)));
        shader.locals.extend(self.further.iter().map(|line| line.replace("LAYOUT", &name)));
        if let Some(slice) = &self.slice {
            let pairs: Vec<String> = slice.iter().map(|(offset, span)| format!("{offset}, {span}")).collect();
            shader.locals.push(format!("{name} = sliceTensorLayoutNV({name}, {});", pairs.join(", ")));
        }
        name
    }
}

/// A tensor view, declared as a local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    pub dimensions: usize,
    pub own_dimensions: Option<bool>,
    pub permutation: Option<Vec<u32>>,
}

impl View {
    pub fn arguments(&self) -> String {
        let mut list = vec![self.dimensions.to_string()];
        list.extend(self.own_dimensions.map(|own| own.to_string()));
        list.extend(self.permutation.iter().flatten().map(u32::to_string));
        list.join(", ")
    }

    pub fn ty(&self) -> String {
        format!("tensorViewNV<{}>", self.arguments())
    }

    pub fn declare(&self, shader: &mut Shader, index: usize) -> String {
        shader.require(ids::GL_NV_COOPERATIVE_MATRIX2);
        let name = format!("view{index}");
        shader.locals.push(format!("{} {name} = createTensorViewNV({});", self.ty(), self.arguments()));
        name
    }
}

/// An array that an invocation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    pub element: Scalar,
    pub length: Size,
}

impl Array {
    pub fn declare(self, shader: &mut Shader, index: usize) -> String {
        self.length.declare(shader);
        if let Some(provider) = provider(self.element) {
            shader.require(provider);
        }
        let element = self.element.name();
        shader.locals.push(format!("{element} array{index}[{}];", self.length));
        shader.locals.push(format!("array{index}[0] = {element}(1);"));
        format!("array{index}")
    }
}

/// A parameter of a function that a matrix operation calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub qualifiers: &'static str,
    pub ty: String,
    pub name: String,
    /// `[2]`.
    pub suffix: String,
}

impl Parameter {
    pub fn new(ty: impl Into<String>, name: impl Into<String>) -> Parameter {
        Parameter { qualifiers: "const in ", ty: ty.into(), name: name.into(), suffix: String::new() }
    }

    pub fn array(ty: impl Into<String>, name: impl Into<String>, length: usize) -> Parameter {
        Parameter { suffix: format!("[{length}]"), ..Parameter::new(ty, name) }
    }
}

/// A function that a matrix operation calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    pub returns: String,
    pub parameters: Vec<Parameter>,
    pub body: String,
    /// Types that it needs.
    pub before: Vec<String>,
    pub extensions: Vec<ExtensionId>,
}

impl Callback {
    fn of(component: Scalar, parameters: Vec<Parameter>, body: String) -> Callback {
        Callback {
            returns: component.name().to_owned(),
            parameters,
            body,
            before: Vec::new(),
            extensions: provider(component).into_iter().collect(),
        }
    }

    /// Of two components.
    pub fn combine(component: Scalar) -> Callback {
        let parameters = ["a", "b"].map(|name| Parameter::new(component.name(), name)).into();
        let body = if component.class() == ScalarClass::SmallFloat { "return b;" } else { "return a + b;" };
        Callback::of(component, parameters, body.to_owned())
    }

    /// Of row, column and element, with further parameters.
    pub fn element(component: Scalar, further: &[&str]) -> Callback {
        let mut parameters = vec![
            Parameter::new("uint32_t", "row"),
            Parameter::new("uint32_t", "column"),
            Parameter::new(component.name(), "element"),
        ];
        parameters.extend(
            further.iter().enumerate().map(|(index, &ty)| Parameter::new(ty, format!("further{index}"))),
        );
        Callback::of(component, parameters, "return element;".to_owned())
    }

    /// From a block of memory; `width` components at once, 1 for the scalar function.
    pub fn decode(component: Scalar, dimensions: usize, width: u32) -> Callback {
        let parameters = vec![
            Parameter::new("Encoded", "block"),
            Parameter::array("uint32_t", "coordinates", dimensions),
            Parameter::array("uint32_t", "inside", dimensions),
        ];
        let returns = vector_of(component, width);
        let mut callback = Callback::of(component, parameters, format!("return {returns}(block.value);"));
        callback.returns = returns;
        callback.before = vec![
            "layout(buffer_reference, std430, buffer_reference_align = 4) buffer Encoded { float value; };"
                .to_owned(),
        ];
        callback.extensions.push(ids::GL_EXT_BUFFER_REFERENCE);
        if width > 4 {
            callback.extensions.push(ids::GL_EXT_LONG_VECTOR);
        }
        callback
    }

    pub fn declare(&self, shader: &mut Shader, index: usize) -> String {
        for &extension in &self.extensions {
            shader.require(extension);
        }
        for line in &self.before {
            push_once(&mut shader.top, line.clone());
        }
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| {
                format!("{}{} {}{}", parameter.qualifiers, parameter.ty, parameter.name, parameter.suffix)
            })
            .collect();
        shader.declare(format!(
            "{} function{index}({}) {{ {} }}",
            self.returns,
            parameters.join(", "),
            self.body
        ));
        format!("function{index}")
    }
}

/// The type of some components: a scalar, a vector, a long vector.
pub fn vector_of(component: Scalar, count: u32) -> String {
    match count {
        1 => component.name().to_owned(),
        2..=4 => format!("{}{count}", component.vector_prefix()),
        _ => format!("vector<{}, {count}>", component.name()),
    }
}
