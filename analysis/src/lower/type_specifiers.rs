//! Types as the text writes them: names, arrays, and the types with arguments in angle brackets.

use smol_str::SmolStr;
use tree_sitter::Node;
use tree_sitter_glsl_coopmat::{field, kind};

use super::builtins::nv2_tensor;
use crate::diagnostics::{Code, codes};
use crate::display::display_constant;
use crate::extensions::{self, BuiltinTypeKind, Pattern, ids, sets};
use crate::hir::{Const, Definition, ExprId, ExprKind, StructId, StructKind, UnknownName};
use crate::symbolic::Sym;
use crate::text::TextRange;
use crate::types::{
    ArrayLength, Coopmat, CoopmatNv, ImageDim, Opaque, OpaqueClass, Scalar, ScalarClass, ScalarClassNv, Ty,
    TypeKind,
};

use super::{Lowerer, suggest};

/// Bounds the dimensions of an array of arrays.
const MAX_DIMENSIONS: usize = 32;

/// Subscripts and their sizes.
pub(super) type Subscripts<'a> = Vec<(Node<'a>, Option<Node<'a>>)>;

impl<'a> Lowerer<'a> {
    /// The type that a node names; declares the structure when it is one. Reports what is wrong and gives `Ty::ERROR` then.
    pub fn type_specifier(&mut self, node: Node<'a>) -> Ty {
        if matches!(node.kind_id(), kind::PRIMITIVE_TYPE | kind::IDENTIFIER) {
            return self.named_type(node);
        }
        if self.nesting >= super::MAX_NESTING {
            let range = self.range(node);
            self.too_deep(range);
            return Ty::ERROR;
        }
        self.nesting += 1;
        let ty = self.composed_type(node);
        self.nesting -= 1;
        ty
    }

    fn composed_type(&mut self, node: Node<'a>) -> Ty {
        match node.kind_id() {
            kind::GENERIC_TYPE => self.generic_type(node),
            kind::SUBSCRIPT_EXPRESSION => self.array_specifier_chain(node),
            kind::STRUCT_SPECIFIER => self.struct_specifier(node),
            kind::SPIRV_TYPE => self.spirv_type(node),
            _ => Ty::ERROR,
        }
    }

    /// Whether a name stands for a type here, so that `name(...)` is a constructor.
    pub fn is_type_name(&self, name: &str) -> bool {
        match self.scopes.find(name) {
            Some(Definition::Struct(_)) => return true,
            Some(_) => return false,
            None => {}
        }
        extensions::type_(name).is_some_and(|id| {
            let requirement = extensions::type_by_id(id).into();
            self.environment.availability(&requirement).is_available()
        })
    }

    /// The type of a structure, or of a reference to a buffer of that name.
    pub fn struct_type(&mut self, structure: StructId) -> Ty {
        let reference = matches!(self.module.structs[structure].kind, StructKind::Reference { .. });
        self.types.intern(if reference {
            TypeKind::Reference(structure)
        } else {
            TypeKind::Struct(structure)
        })
    }

    fn named_type(&mut self, node: Node<'a>) -> Ty {
        let name = self.node_text(node);
        if let Some(&ty) = self.named_types.get(name)
            && self.scopes.find(name).is_none()
        {
            let range = self.range(node);
            self.record_name(range, Definition::Type(ty));
            return ty;
        }
        let range = self.range(node);
        match self.scopes.find(name).cloned() {
            Some(Definition::Struct(structure)) => {
                self.record_name(range, Definition::Struct(structure));
                return self.struct_type(structure);
            }
            Some(definition) => {
                self.record_name(range, definition.clone());
                let ty = match definition {
                    Definition::Global(global) => self.module.globals[global].ty,
                    Definition::Local(local) => self.body.locals[local].ty,
                    _ => Ty::VOID,
                };
                if self.types.is_error(ty) {
                    return Ty::ERROR;
                }
                self.report_with(
                    &codes::UNDECLARED_TYPE,
                    range,
                    format!("expected a type, found `{name}`, which is a variable"),
                    vec![(crate::hir::Place::Definition(definition), format!("`{name}` is declared here"))],
                );
                return Ty::ERROR;
            }
            None => {}
        }
        let Some(id) = extensions::type_(name) else { return self.unknown_type(name, range) };
        let builtin = extensions::type_by_id(id);
        self.provider_check(builtin.name, builtin, range);
        let ty = match &builtin.kind {
            BuiltinTypeKind::Pattern(pattern) => self.pattern_type(pattern).unwrap_or(Ty::ERROR),
            BuiltinTypeKind::Opaque => self.types.intern(TypeKind::NotAnalysed(name.into())),
            generic => {
                let example = example_of(generic);
                let code = match generic {
                    BuiltinTypeKind::Coopmat => &codes::COOPMAT_TYPE_ARGUMENTS,
                    BuiltinTypeKind::LongVector | BuiltinTypeKind::CoopVec | BuiltinTypeKind::TensorArm => {
                        &codes::TYPE_ARGUMENTS
                    }
                    BuiltinTypeKind::TensorLayout | BuiltinTypeKind::TensorView => {
                        &codes::NV_TENSOR_TYPE_ARGUMENTS
                    }
                    _ => &codes::COOPMAT_NV_TYPE_ARGUMENTS,
                };
                self.report(code, range, format!("`{name}` needs arguments in angle brackets: `{example}`"));
                return Ty::ERROR;
            }
        };
        self.record_name(range, Definition::Type(ty));
        if self.environment.availability(&builtin.into()).is_available() && self.environment.is_settled() {
            self.named_types.insert(name, ty);
        }
        ty
    }

    fn unknown_type(&mut self, name: &str, range: TextRange) -> Ty {
        let function = self.scopes.functions(name).first().copied();
        // The types of subroutines are declared as functions are; they are not analysed (Vulkan has none).
        if self.environment.has_unknown_extension() || (function.is_some() && self.subroutines) {
            return self.types.intern(TypeKind::NotAnalysed(name.into()));
        }
        if let Some(function) = function {
            let declared = crate::hir::Place::Definition(Definition::Function(function));
            self.report_with(
                &codes::UNDECLARED_TYPE,
                range,
                format!("expected a type, found `{name}`, which is a function"),
                vec![(declared, format!("`{name}` is declared here"))],
            );
            return Ty::ERROR;
        }
        let structs =
            self.scopes.names().filter(|name| matches!(self.scopes.find(name), Some(Definition::Struct(_))));
        let builtins = extensions::all_types().map(|(_, ty)| ty.name);
        let close = suggest::closest(name, structs.chain(builtins)).map(SmolStr::new);
        let message = format!("no type is called `{name}`{}", suggest::suggestion(close.as_deref()));
        self.report(&codes::UNDECLARED_TYPE, range, message);
        self.body.unknown_names.push(UnknownName { range, close, call: None, only_macro: false });
        Ty::ERROR
    }

    /// The type of a pattern that stands for one type alone.
    pub fn pattern_type(&mut self, pattern: &Pattern) -> Option<Ty> {
        Some(match *pattern {
            Pattern::Void => Ty::VOID,
            Pattern::Scalar(scalar) => self.types.scalar(scalar),
            Pattern::Vector(scalar, length) => self.types.vector(scalar, u32::from(length)),
            Pattern::Matrix { component, columns, rows } => self.types.matrix(component, columns, rows),
            Pattern::Array(element, length) => {
                let element = self.pattern_type(element)?;
                let length = match length {
                    Some(length) => ArrayLength::Sized(self.types.symbols.int(i64::from(length))),
                    None => ArrayLength::Unsized,
                };
                self.types.array(element, length)
            }
            Pattern::Opaque(opaque) => self.types.intern(TypeKind::Opaque(opaque)),
            Pattern::String => Ty::STRING,
            Pattern::FunctionName => Ty::FUNCTION_NAME,
            Pattern::Struct(name) => self.builtin_struct(name)?,
            _ => return None,
        })
    }

    /// `T[3][2]`: the dimension that is written first is the outermost.
    fn array_specifier_chain(&mut self, node: Node<'a>) -> Ty {
        let (base, sizes) = self.subscript_chain(node);
        let Some(base) = base else { return Ty::ERROR };
        let ty = self.type_specifier(base);
        self.array_of_chain(ty, node, &sizes)
    }

    /// What `node` indexes at last, and each of its subscripts with its size, the last first. A mistake leaves the first out.
    pub(super) fn subscript_chain(&mut self, node: Node<'a>) -> (Option<Node<'a>>, Subscripts<'a>) {
        let mut sizes = Vec::new();
        let mut base = node;
        while base.kind_id() == kind::SUBSCRIPT_EXPRESSION {
            let (inner, size) = self.subscript_parts(base);
            sizes.push((base, size));
            let Some(inner) = inner else { return (None, sizes) };
            base = inner;
        }
        (Some(base), sizes)
    }

    /// Wraps `ty` in the dimensions that subscripts give, which stand in `node`.
    pub(super) fn array_of_chain(
        &mut self,
        mut ty: Ty,
        node: Node<'a>,
        sizes: &[(Node<'a>, Option<Node<'a>>)],
    ) -> Ty {
        if sizes.len() > MAX_DIMENSIONS {
            let range = self.range(node);
            self.too_deep(range);
            return Ty::ERROR;
        }
        for &(node, size) in sizes {
            ty = self.array_of(ty, node, size);
        }
        ty
    }

    /// Wraps `base` in the dimensions that follow a declarator's name.
    pub(super) fn declarator_type(&mut self, base: Ty, declarator: Node<'a>) -> Ty {
        let mut sizes = Vec::new();
        let mut cursor = self.cursor(declarator);
        if cursor.goto_first_child() {
            loop {
                if cursor.node().kind_id() == kind::ARRAY_SPECIFIER {
                    sizes.push(cursor.node());
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);
        if sizes.is_empty() {
            return base;
        }
        if sizes.len() > MAX_DIMENSIONS {
            let range = self.range(declarator);
            self.too_deep(range);
            return Ty::ERROR;
        }
        let mut ty = base;
        for node in sizes.into_iter().rev() {
            ty = self.array_of(ty, node, node.child_by_field_id(field::SIZE));
        }
        ty
    }

    fn array_of(&mut self, element: Ty, node: Node<'a>, size: Option<Node<'a>>) -> Ty {
        let range = self.range(node);
        let length = match size {
            None => ArrayLength::Unsized,
            Some(size) => {
                let expression = self.expression(size);
                // `gl_out.length()`: the stage knows it.
                if let ExprKind::Length { base } = self.body.exprs[expression].kind
                    && matches!(self.body.exprs[base].kind, ExprKind::BuiltinVariable(_))
                {
                    let unknown = self.types.symbols.unknown();
                    return self.types.array(element, ArrayLength::Sized(unknown));
                }
                // How many elements of a matrix an invocation has, the device knows.
                if let ExprKind::Length { base } = self.body.exprs[expression].kind
                    && let matrix = self.type_of(base)
                    && matches!(self.types.kind(matrix), TypeKind::Coopmat(_) | TypeKind::CoopmatNv(_))
                {
                    let length = self.types.matrix_length(matrix);
                    return self.types.array(element, ArrayLength::Sized(length));
                }
                match self.constant_size(expression) {
                    Some(length) => {
                        if let Some(value @ ..=0) = self.types.symbols.as_int(length) {
                            self.report(
                                &codes::ARRAY_SIZE,
                                range,
                                format!("the size of an array must be positive, found {value}"),
                            );
                            return Ty::ERROR;
                        }
                        ArrayLength::Sized(length)
                    }
                    None => return Ty::ERROR,
                }
            }
        };
        if element == Ty::VOID {
            self.report(&codes::VOID_TYPE, range, "an array cannot have elements of type `void`".to_owned());
            return Ty::ERROR;
        }
        if element == Ty::ERROR {
            return Ty::ERROR;
        }
        self.types.array(element, length)
    }

    fn generic_type(&mut self, node: Node<'a>) -> Ty {
        let Some(name_node) = node.child_by_field_id(field::NAME) else { return Ty::ERROR };
        let name = self.node_text(name_node);
        let range = self.range(node);
        let mut arguments = Vec::new();
        let mut cursor = self.cursor(node);
        if cursor.goto_first_child() {
            loop {
                if cursor.field_id().is_some_and(|id| id.get() == field::ARGUMENT) {
                    arguments.push(cursor.node());
                }
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        self.release(cursor);

        let builtin = extensions::type_(name).map(extensions::type_by_id);
        let Some(builtin) = builtin else {
            let name_range = self.range(name_node);
            return self.unknown_type(name, name_range);
        };
        let name_range = self.range(name_node);
        self.provider_check(builtin.name, builtin, name_range);
        let list = match (arguments.first(), arguments.last()) {
            (Some(&first), Some(&last)) => self.range(first).cover(self.range(last)),
            _ => range,
        };
        let (count, expected, code) = match builtin.kind {
            BuiltinTypeKind::Coopmat => (5..=5, "expected 5 arguments", &codes::COOPMAT_TYPE_ARGUMENTS),
            BuiltinTypeKind::FCoopmatNv | BuiltinTypeKind::ICoopmatNv | BuiltinTypeKind::UCoopmatNv => {
                (4..=4, "expected 4 arguments", &codes::COOPMAT_NV_TYPE_ARGUMENTS)
            }
            BuiltinTypeKind::LongVector | BuiltinTypeKind::CoopVec | BuiltinTypeKind::TensorArm => {
                (2..=2, "expected 2 arguments", &codes::TYPE_ARGUMENTS)
            }
            BuiltinTypeKind::TensorLayout => {
                (1..=2, "expected 1 or 2 arguments", &codes::NV_TENSOR_TYPE_ARGUMENTS)
            }
            BuiltinTypeKind::TensorView => {
                (1..=7, "expected 1 to 7 arguments", &codes::NV_TENSOR_TYPE_ARGUMENTS)
            }
            BuiltinTypeKind::Opaque => {
                return self.types.intern(TypeKind::NotAnalysed(name.into()));
            }
            BuiltinTypeKind::Pattern(_) => {
                self.report(
                    &codes::TYPE_ARGUMENTS,
                    range,
                    format!("`{name}` takes no arguments in angle brackets"),
                );
                return Ty::ERROR;
            }
        };
        if !count.contains(&arguments.len()) {
            let example = example_of(&builtin.kind);
            self.report(
                code,
                list,
                format!("{expected}, found {}: write for example `{example}`", arguments.len()),
            );
            return Ty::ERROR;
        }
        let ty = match builtin.kind {
            BuiltinTypeKind::Coopmat => self.coopmat(&arguments),
            BuiltinTypeKind::FCoopmatNv => self.coopmat_nv(&arguments, ScalarClassNv::Float),
            BuiltinTypeKind::ICoopmatNv => self.coopmat_nv(&arguments, ScalarClassNv::Signed),
            BuiltinTypeKind::UCoopmatNv => self.coopmat_nv(&arguments, ScalarClassNv::Unsigned),
            BuiltinTypeKind::LongVector => self.long_vector(&arguments),
            BuiltinTypeKind::CoopVec => self.coopvec(&arguments),
            BuiltinTypeKind::TensorArm => self.tensor_arm(&arguments),
            BuiltinTypeKind::TensorLayout => self.tensor_layout(&arguments),
            BuiltinTypeKind::TensorView => self.tensor_view(&arguments),
            BuiltinTypeKind::Opaque | BuiltinTypeKind::Pattern(_) => None,
        };
        let ty = ty.unwrap_or(Ty::ERROR);
        self.record_name(name_range, Definition::Type(ty));
        ty
    }

    /// The component type, which comes first.
    fn component_argument(&mut self, node: Node<'a>, of: &str, code: &'static Code) -> Option<Scalar> {
        let ty = match node.kind_id() {
            kind::PRIMITIVE_TYPE | kind::IDENTIFIER | kind::GENERIC_TYPE | kind::SUBSCRIPT_EXPRESSION => {
                self.type_specifier(node)
            }
            // `spirv_type(...)` reads as a call here.
            kind::CALL_EXPRESSION | kind::SPIRV_TYPE if self.node_text(node).starts_with("spirv_type") => {
                let ty = self.spirv_type(node);
                if self.types.as_scalar(ty).is_none() {
                    let range = self.range(node);
                    let found = self.node_text(node);
                    self.report(
                        code,
                        range,
                        format!("the component type of `{of}` must be a scalar type of the language, found `{found}`"),
                    );
                    return None;
                }
                ty
            }
            _ => {
                let range = self.range(node);
                let found = self.node_text(node);
                self.report(
                    code,
                    range,
                    format!("the first argument of `{of}` must be its component type, a scalar numerical type, found `{found}`"),
                );
                return None;
            }
        };
        if self.types.is_error(ty) {
            return None;
        }
        match self.types.as_scalar(ty) {
            Some(scalar) if matches!(of, "vector" | "tensorARM") || scalar.class() != ScalarClass::Bool => {
                Some(scalar)
            }
            _ => {
                let range = self.range(node);
                let found = self.display(ty);
                let wanted =
                    if of == "vector" { "scalar numerical or boolean type" } else { "scalar numerical type" };
                self.report(
                    code,
                    range,
                    format!("the component type of `{of}` must be a {wanted}, found `{found}`"),
                );
                None
            }
        }
    }

    /// A size, scope or use, which no `bool` is.
    fn integer_argument(&mut self, node: Node<'a>, what: &str, code: &'static Code) -> Option<Sym> {
        if node.kind_id() == kind::BOOL_LITERAL {
            self.refuse_argument(node, what, "bool", code);
            return None;
        }
        let expression = self.expression(node);
        if self.type_of(expression) == Ty::BOOL {
            self.refuse_argument(node, what, "bool", code);
            return None;
        }
        self.constant_of(node, expression, what, code)
    }

    fn refuse_argument(&mut self, node: Node<'a>, what: &str, found: &str, code: &'static Code) {
        let range = self.range(node);
        self.report(code, range, format!("{what} must be an integral constant expression, found `{found}`"));
    }

    /// A mode: an integral constant or a `bool`, which may depend on specialization.
    fn constant_argument(&mut self, node: Node<'a>, what: &str, code: &'static Code) -> Option<Sym> {
        if node.kind_id() == kind::BOOL_LITERAL {
            let value = i64::from(self.node_text(node) == "true");
            return Some(self.types.symbols.int(value));
        }
        let expression = self.expression(node);
        self.constant_of(node, expression, what, code)
    }

    fn constant_of(
        &mut self,
        node: Node<'a>,
        expression: ExprId,
        what: &str,
        code: &'static Code,
    ) -> Option<Sym> {
        let ty = self.type_of(expression);
        if self.types.is_error(ty) {
            return None;
        }
        let integral = self
            .types
            .as_scalar(ty)
            .is_some_and(|scalar| scalar.is_integer() || scalar.class() == ScalarClass::Bool);
        match self.constant_value(expression) {
            Some(&Const::Int(value)) if integral => Some(self.types.symbols.int(i64::try_from(value).ok()?)),
            Some(&Const::Bool(value)) => Some(self.types.symbols.int(i64::from(value))),
            Some(&Const::Symbolic(symbol)) if integral => Some(symbol),
            Some(Const::Opaque { .. }) if integral => Some(self.types.symbols.unknown()),
            _ => {
                if !integral {
                    let found = self.display(ty).to_string();
                    self.refuse_argument(node, what, &found, code);
                    return None;
                }
                let range = self.range(node);
                let message = format!(
                    "{what} must be a constant or specialization constant expression, but `{}` is computed at run time",
                    self.node_text(node)
                );
                self.report(code, range, message);
                None
            }
        }
    }

    fn known(&self, symbol: Sym) -> Option<i64> {
        self.types.symbols.as_int(symbol)
    }

    fn coopmat(&mut self, arguments: &[Node<'a>]) -> Option<Ty> {
        let &[component, scope_node, rows_node, columns_node, usage_node] = arguments else { return None };
        let code = &codes::COOPMAT_TYPE_ARGUMENTS;
        let component = self.component_argument(component, "coopmat", &codes::COOPMAT_COMPONENT_TYPE);
        let scope = self.integer_argument(scope_node, "the scope", code);
        let rows = self.integer_argument(rows_node, "the number of rows", code);
        let columns = self.integer_argument(columns_node, "the number of columns", code);
        let usage = self.use_argument(usage_node);
        let matrix =
            Coopmat { component: component?, scope: scope?, rows: rows?, columns: columns?, usage: usage? };
        self.check_coopmat(&matrix, [scope_node, rows_node, columns_node, usage_node]);
        Some(self.types.intern(TypeKind::Coopmat(matrix)))
    }

    /// GL_KHR_cooperative_matrix, 4.1.X: "The scope, rows, and columns parameters can be constant expressions or specialization constant expressions".
    fn use_argument(&mut self, node: Node<'a>) -> Option<Sym> {
        let code = &codes::COOPMAT_TYPE_ARGUMENTS;
        let usage = self.integer_argument(node, "the use", code)?;
        if self.known(usage).is_none() && !self.types.symbols.has_unknown(usage) {
            let range = self.range(node);
            let text = self.node_text(node);
            self.report(
                code,
                range,
                format!("the use must be a constant expression, but `{text}` depends on specialization"),
            );
            return None;
        }
        Some(usage)
    }

    /// Values that no device accepts. What depends on specialization is left alone: defaults are often placeholders.
    fn check_coopmat(&mut self, matrix: &Coopmat, [scope, rows, columns, usage]: [Node<'a>; 4]) {
        self.check_matrix_values((scope, matrix.scope), (rows, matrix.rows), (columns, matrix.columns));
        if let Some(value) = self.known(matrix.usage)
            && !matches!(value, 0..=2)
        {
            let range = self.range(usage);
            self.report(
                &codes::COOPMAT_PARAMETER_VALUE,
                range,
                format!(
                    "the use is {value}: expected gl_MatrixUseA, gl_MatrixUseB or gl_MatrixUseAccumulator"
                ),
            );
        }
    }

    /// The same of what both kinds of matrices have.
    fn check_matrix_values(
        &mut self,
        (scope_node, scope): (Node<'a>, Sym),
        rows: (Node<'a>, Sym),
        columns: (Node<'a>, Sym),
    ) {
        if self.known(scope).is_some_and(|value| !extensions::is_matrix_scope(value)) {
            let found = display_constant(&self.types.symbols, scope, sets::GL_SCOPE);
            let range = self.range(scope_node);
            self.report(
                &codes::COOPMAT_PARAMETER_VALUE,
                range,
                format!("the scope is {found}: expected gl_ScopeSubgroup or gl_ScopeWorkgroup"),
            );
        }
        for ((node, size), what) in [(rows, "rows"), (columns, "columns")] {
            if let Some(value @ ..=0) = self.known(size) {
                let range = self.range(node);
                self.report(
                    &codes::COOPMAT_PARAMETER_VALUE,
                    range,
                    format!("the number of {what} is {value}: expected at least 1"),
                );
            }
        }
    }

    fn coopmat_nv(&mut self, arguments: &[Node<'a>], class: ScalarClassNv) -> Option<Ty> {
        let &[bits_node, scope_node, rows_node, columns_node] = arguments else { return None };
        let code = &codes::COOPMAT_NV_TYPE_ARGUMENTS;
        let bits = self.integer_argument(bits_node, "the number of bits", code);
        let scope = self.integer_argument(scope_node, "the scope", code);
        let rows = self.integer_argument(rows_node, "the number of rows", code);
        let columns = self.integer_argument(columns_node, "the number of columns", code);
        if let Some(value) = bits.and_then(|bits| self.known(bits)) {
            let (allowed, text): (&[i64], _) = match class {
                ScalarClassNv::Float => (&[16, 32, 64], "16, 32 or 64"),
                ScalarClassNv::Signed | ScalarClassNv::Unsigned => (&[8, 16, 32, 64], "8, 16, 32 or 64"),
            };
            if !allowed.contains(&value) {
                let range = self.range(bits_node);
                self.report(
                    &codes::COOPMAT_NV_BITS,
                    range,
                    format!("the number of bits must be {text}, found {value}"),
                );
                return None;
            }
        }
        let matrix = CoopmatNv { class, bits: bits?, scope: scope?, rows: rows?, columns: columns? };
        self.check_matrix_values(
            (scope_node, matrix.scope),
            (rows_node, matrix.rows),
            (columns_node, matrix.columns),
        );
        Some(self.types.intern(TypeKind::CoopmatNv(matrix)))
    }

    fn long_vector(&mut self, arguments: &[Node<'a>]) -> Option<Ty> {
        let (component, length) = self.vector_arguments(arguments, "vector")?;
        Some(self.types.long_vector(component, length))
    }

    /// GL_NV_cooperative_vector, section 4.1.X: "The type per component must be a scalar numerical type."
    fn coopvec(&mut self, arguments: &[Node<'a>]) -> Option<Ty> {
        let (component, length) = self.vector_arguments(arguments, "coopvecNV")?;
        Some(self.types.intern(TypeKind::CoopVec(component, length)))
    }

    /// GL_ARM_tensors, section 4.1.X: "The data type parameter must be a scalar basic type. The rank parameter must be an integral constant expression."
    fn tensor_arm(&mut self, arguments: &[Node<'a>]) -> Option<Ty> {
        let &[component_node, rank_node] = arguments else { return None };
        let component = self.component_argument(component_node, "tensorARM", &codes::TYPE_ARGUMENTS);
        let rank = self.integer_argument(rank_node, "the rank", &codes::TYPE_ARGUMENTS)?;
        let rank = self.known(rank).and_then(|rank| u32::try_from(rank).ok()).filter(|&rank| rank > 0);
        let Some(rank) = rank else {
            let range = self.range(rank_node);
            let message = "the rank of a `tensorARM` must be a constant of at least 1".to_owned();
            self.report(&codes::TYPE_ARGUMENTS, range, message);
            return None;
        };
        let component = component?;
        let needed = match component {
            Scalar::BFloat16 => Some(ids::GL_ARM_TENSORS_BFLOAT16),
            Scalar::FloatE5M2 => Some(ids::GL_ARM_TENSORS_FLOAT_E5M2),
            Scalar::FloatE4M3 => Some(ids::GL_ARM_TENSORS_FLOAT_E4M3),
            _ => None,
        };
        if let Some(extension) = needed.and_then(|needed| self.missing_extension_of(&[needed])) {
            let range = self.range(component_node);
            let name = component.name();
            let message =
                format!("a tensor of `{name}` needs {extension}: add `#extension {extension} : require`");
            self.report(&codes::MISSING_EXTENSION, range, message);
        }
        let (class, dim) = (OpaqueClass::Tensor, ImageDim::Buffer);
        Some(self.types.intern(TypeKind::Opaque(Opaque {
            class,
            dim,
            arrayed: false,
            multisampled: false,
            shadow: false,
            component,
            rank,
        })))
    }

    /// Component type and length, which has to be positive: a module with any other is not valid.
    fn vector_arguments(&mut self, arguments: &[Node<'a>], of: &str) -> Option<(Scalar, Sym)> {
        let &[component, length_node] = arguments else { return None };
        let component = self.component_argument(component, of, &codes::TYPE_ARGUMENTS);
        let length = self.integer_argument(length_node, "the number of components", &codes::TYPE_ARGUMENTS);
        if let Some(value @ ..=0) = length.and_then(|length| self.known(length)) {
            let range = self.range(length_node);
            self.report(
                &codes::TYPE_ARGUMENTS,
                range,
                format!("the number of components must be positive, found {value}"),
            );
            return None;
        }
        Some((component?, length?))
    }

    fn tensor_layout(&mut self, arguments: &[Node<'a>]) -> Option<Ty> {
        let &[dim_node, ref rest @ ..] = arguments else { return None };
        let dim = self.tensor_dimension(dim_node);
        let clamp = match rest.first() {
            Some(&node) => {
                let clamp = self.constant_argument(node, "the clamp mode", &codes::NV_TENSOR_TYPE_ARGUMENTS);
                let range = self.range(node);
                if clamp.is_some_and(|clamp| !nv2_tensor::check_clamp_mode(self, clamp, range)) {
                    return None;
                }
                clamp
            }
            None => Some(self.types.symbols.int(0)),
        };
        Some(self.types.intern(TypeKind::TensorLayout { dim: dim?, clamp: clamp? }))
    }

    fn tensor_dimension(&mut self, node: Node<'a>) -> Option<Sym> {
        let dim =
            self.integer_argument(node, "the number of dimensions", &codes::NV_TENSOR_TYPE_ARGUMENTS)?;
        let range = self.range(node);
        if !nv2_tensor::check_dimensions(self, dim, range) {
            return None;
        }
        Some(dim)
    }

    fn tensor_view(&mut self, arguments: &[Node<'a>]) -> Option<Ty> {
        let &[dim_node, ref rest @ ..] = arguments else { return None };
        let code = &codes::NV_TENSOR_TYPE_ARGUMENTS;
        let dim = self.tensor_dimension(dim_node);
        let has_dimensions = match rest.first() {
            Some(&node) => self.constant_argument(node, "whether the view has dimensions", code),
            None => Some(self.types.symbols.int(0)),
        };
        let permutation: Option<Box<[Sym]>> = rest
            .iter()
            .skip(1)
            .map(|&node| self.constant_argument(node, "an entry of the permutation", code))
            .collect();
        let (dim, has_dimensions, permutation) = (dim?, has_dimensions?, permutation?);
        self.check_permutation(dim, &permutation, arguments)?;
        Some(self.types.intern(TypeKind::TensorView { dim, has_dimensions, permutation }))
    }

    /// GL_NV_cooperative_matrix2: as many entries as there are dimensions, each of 0 to `dim - 1` once.
    fn check_permutation(&mut self, dim: Sym, permutation: &[Sym], arguments: &[Node<'a>]) -> Option<()> {
        if permutation.is_empty() {
            return Some(());
        }
        let Some(dim) = self.known(dim).and_then(|dim| usize::try_from(dim).ok()) else {
            return Some(());
        };
        if permutation.len() != dim {
            let (&first, &last) = (arguments.first()?, arguments.last()?);
            let range = self.range(first).cover(self.range(last));
            self.report(
                &codes::NV_TENSOR_TYPE_ARGUMENTS,
                range,
                format!(
                    "the permutation of a view with {dim} dimensions has {dim} entries, found {}",
                    permutation.len()
                ),
            );
            return None;
        }
        let entries: Vec<(Sym, TextRange)> = permutation
            .iter()
            .zip(arguments.iter().skip(2))
            .map(|(&entry, &node)| (entry, self.range(node)))
            .collect();
        if !nv2_tensor::check_permutation(self, &entries) {
            return None;
        }
        Some(())
    }
}

fn example_of(kind: &BuiltinTypeKind) -> &'static str {
    match kind {
        BuiltinTypeKind::Coopmat => "coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>",
        BuiltinTypeKind::FCoopmatNv => "fcoopmatNV<16, gl_ScopeSubgroup, 16, 8>",
        BuiltinTypeKind::ICoopmatNv => "icoopmatNV<8, gl_ScopeSubgroup, 16, 8>",
        BuiltinTypeKind::UCoopmatNv => "ucoopmatNV<8, gl_ScopeSubgroup, 16, 8>",
        BuiltinTypeKind::LongVector => "vector<float16_t, 8>",
        BuiltinTypeKind::CoopVec => "coopvecNV<float16_t, 16>",
        BuiltinTypeKind::TensorArm => "tensorARM<float16_t, 2>",
        BuiltinTypeKind::TensorLayout => "tensorLayoutNV<2, gl_CooperativeMatrixClampModeConstantNV>",
        BuiltinTypeKind::TensorView => "tensorViewNV<2, false, 1, 0>",
        BuiltinTypeKind::Pattern(_) | BuiltinTypeKind::Opaque => "",
    }
}
