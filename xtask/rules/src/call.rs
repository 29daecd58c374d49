//! One call of a built-in function, with everything around it that makes it a shader. A rule is broken by changing a part.

use coopmat_analysis::extensions::{BuiltinFunction, ExtensionId, ParameterDirection, ids};

use crate::parts::{Array, Callback, Layout, Matrix, MatrixNv, Memory, View};
use crate::shader::{Marked, Settings, Shader, marked};
use crate::vectors::Vector;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    Matrix(Matrix),
    MatrixNv(MatrixNv),
    Memory(Memory),
    Vector(Vector),
    Layout(Layout),
    View(View),
    Array(Array),
    Function(Callback),
    /// An expression that stands by itself.
    Value(String),
    /// An expression with the lines that declare what is in it.
    Text {
        top: Vec<String>,
        locals: Vec<String>,
        expression: String,
    },
}

impl Argument {
    pub fn value(value: impl ToString) -> Argument {
        Argument::Value(value.to_string())
    }

    /// A variable of `main`.
    pub fn local(ty: &str, name: &str, suffix: &str) -> Argument {
        Argument::Text {
            top: Vec::new(),
            locals: vec![format!("{ty} {name}{suffix};")],
            expression: name.to_owned(),
        }
    }

    pub fn global(line: &str, expression: &str) -> Argument {
        Argument::Text { top: vec![line.to_owned()], locals: Vec::new(), expression: expression.to_owned() }
    }

    /// Declares what it needs and gives its expression. What is read gets a value first.
    fn declare(&self, shader: &mut Shader, index: usize, written_only: bool) -> String {
        match self {
            Argument::Matrix(matrix) => {
                matrix.declare(shader);
                let value = if written_only { String::new() } else { format!(" = {}", matrix.filled()) };
                shader.locals.push(format!("{matrix} matrix{index}{value};"));
                format!("matrix{index}")
            }
            Argument::MatrixNv(matrix) => {
                matrix.declare(shader);
                let value = if written_only { String::new() } else { format!(" = {}", matrix.filled()) };
                shader.locals.push(format!("{matrix} matrix{index}{value};"));
                format!("matrix{index}")
            }
            Argument::Vector(vector) => {
                vector.declare(shader);
                let value = if written_only { String::new() } else { format!(" = {}", vector.filled()) };
                shader.locals.push(format!("{vector} vector{index}{value};"));
                format!("vector{index}")
            }
            Argument::Memory(memory) => memory.declare(shader, index),
            Argument::Layout(layout) => layout.declare(shader, index),
            Argument::View(view) => view.declare(shader, index),
            Argument::Array(array) => array.declare(shader, index),
            Argument::Function(function) => function.declare(shader, index),
            Argument::Value(value) => value.clone(),
            Argument::Text { top, locals, expression } => {
                top.iter().for_each(|line| shader.declare(line.clone()));
                shader.locals.extend(locals.iter().cloned());
                expression.clone()
            }
        }
    }
}

/// Where something is expected to be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    Argument(usize),
    /// The function's name.
    Callee,
    /// The whole call.
    Call,
}

#[derive(Clone, Debug)]
pub struct Call {
    pub function: &'static BuiltinFunction,
    pub arguments: Vec<Argument>,
    /// The type of a variable that takes the result.
    pub result: Option<String>,
    pub marks: Vec<Mark>,
    /// Lines at top level before everything that arguments declare.
    pub top: Vec<String>,
    /// Statements around the call.
    pub before: Vec<String>,
    pub after: Vec<String>,
    /// Extensions beyond those that the parts need.
    pub extensions: Vec<ExtensionId>,
    /// Extensions that are left out.
    pub without: Vec<ExtensionId>,
    /// The call stands in a function that `coopMatPerElementNV` calls.
    pub in_callback: bool,
    pub version: &'static str,
    pub settings: Settings,
}

impl Call {
    pub fn new(function: &'static BuiltinFunction, arguments: Vec<Argument>) -> Call {
        Call {
            function,
            arguments,
            result: None,
            marks: Vec::new(),
            top: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            extensions: Vec::new(),
            without: Vec::new(),
            in_callback: false,
            version: "460",
            settings: Settings::default(),
        }
    }

    /// With a result that is kept in a variable of this type.
    pub fn giving(mut self, ty: impl ToString) -> Call {
        self.result = Some(ty.to_string());
        self
    }

    pub fn mark(&mut self, mark: Mark) -> &mut Call {
        self.marks.push(mark);
        self
    }

    /// Another argument in this place, which is marked.
    pub fn put(&mut self, index: usize, argument: Argument) -> &mut Call {
        self.arguments[index] = argument;
        self.mark(Mark::Argument(index))
    }

    pub fn matrix(&self, index: usize) -> Option<Matrix> {
        match self.arguments.get(index) {
            Some(Argument::Matrix(matrix)) => Some(*matrix),
            _ => None,
        }
    }

    /// Changes a matrix.
    pub fn change(&mut self, index: usize, change: impl FnOnce(&mut Matrix)) -> &mut Call {
        if let Some(Argument::Matrix(matrix)) = self.arguments.get_mut(index) {
            change(matrix);
        }
        self
    }

    pub fn change_nv(&mut self, index: usize, change: impl FnOnce(&mut MatrixNv)) -> &mut Call {
        if let Some(Argument::MatrixNv(matrix)) = self.arguments.get_mut(index) {
            change(matrix);
        }
        self
    }

    pub fn change_memory(&mut self, index: usize, change: impl FnOnce(&mut Memory)) -> &mut Call {
        if let Some(Argument::Memory(memory)) = self.arguments.get_mut(index) {
            change(memory);
        }
        self
    }

    pub fn change_layout(&mut self, index: usize, change: impl FnOnce(&mut Layout)) -> &mut Call {
        if let Some(Argument::Layout(layout)) = self.arguments.get_mut(index) {
            change(layout);
        }
        self
    }

    pub fn change_function(&mut self, index: usize, change: impl FnOnce(&mut Callback)) -> &mut Call {
        if let Some(Argument::Function(function)) = self.arguments.get_mut(index) {
            change(function);
        }
        self
    }

    /// The places of arguments of a kind.
    pub fn places(&self, is: impl Fn(&Argument) -> bool) -> Vec<usize> {
        (0..self.arguments.len()).filter(|&index| is(&self.arguments[index])).collect()
    }

    pub fn direction(&self, index: usize) -> ParameterDirection {
        self.function.parameters.get(index).map_or(ParameterDirection::In, |parameter| parameter.direction)
    }

    pub fn text(&self) -> Marked {
        let mut shader = Shader { version: self.version.to_owned(), ..Shader::default() };
        shader.settings = self.settings;
        let function = self.function;
        for &extension in function.providers.iter().take(1).chain(function.needs) {
            shader.require(extension);
        }
        self.extensions.iter().for_each(|&extension| shader.require(extension));
        shader.top.extend(self.top.iter().cloned());
        let expressions: Vec<String> = self
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| {
                let written_only = self.direction(index) == ParameterDirection::Out
                    && function.parameters.get(index).is_some_and(|parameter| !parameter.memory);
                let expression = argument.declare(&mut shader, index, written_only);
                let is_marked = self.marks.contains(&Mark::Argument(index));
                if is_marked { marked(expression) } else { expression }
            })
            .collect();
        let name = function.name.to_owned();
        let name = if self.marks.contains(&Mark::Callee) { marked(name) } else { name };
        let call = format!("{name}({})", expressions.join(", "));
        let call = if self.marks.contains(&Mark::Call) { marked(call) } else { call };
        let result = self.result.as_ref().map_or(String::new(), |ty| format!("{ty} result = "));
        shader.body.extend(self.before.iter().cloned());
        shader.body.push(format!("{result}{call};"));
        shader.body.extend(self.after.iter().cloned());
        if self.in_callback {
            move_into_callback(&mut shader);
        }
        for extension in &self.without {
            shader.extensions.remove(extension);
        }
        shader.text()
    }
}

/// Moves the statements into a function over elements, which `main` names.
fn move_into_callback(shader: &mut Shader) {
    shader.require(ids::GL_NV_COOPERATIVE_MATRIX2);
    let mut lines = vec![
        "float16_t tangled(const in uint32_t row, const in uint32_t column, const in float16_t element) {"
            .to_owned(),
    ];
    lines.extend(shader.locals.drain(..).chain(shader.body.drain(..)).map(|line| format!("    {line}")));
    lines.extend(["    return element;".to_owned(), "}".to_owned()]);
    shader.top.extend(lines);
    let matrix = Matrix::new(coopmat_analysis::types::Scalar::Float16, 16, 16, crate::parts::USE_ACCUMULATOR);
    shader.locals.push(format!("{matrix} elements = {};", matrix.filled()));
    shader.body.push(format!("coopMatPerElementNV(elements, elements, {});", marked("tangled")));
}
