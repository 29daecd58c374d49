//! Operators, assignments, constructors, conversions and components of matrices.

use coopmat_analysis::extensions::ids;
use coopmat_analysis::types::{Scalar, ScalarClass};

use crate::parts::{
    Matrix, MatrixNv, SCOPE_SUBGROUP, SCOPE_WORKGROUP, Size, USE_A, USE_ACCUMULATOR, USE_B, numbers, one,
    provider,
};
use crate::shader::{Shader, marked};
use crate::suite::Suite;
use crate::valid::types_nv;

const ARITHMETIC: [&str; 4] = ["+", "-", "*", "/"];
/// Operators that no matrix has.
const OTHERS: [&str; 15] =
    ["%", "&", "|", "^", "<<", ">>", "&&", "||", "^^", "<", ">", "<=", ">=", "==", "!="];

/// A matrix type of either family.
#[derive(Clone, Copy)]
enum Either {
    Khr(Matrix),
    Nv(MatrixNv),
}

impl Either {
    fn name(self) -> String {
        match self {
            Either::Khr(matrix) => matrix.to_string(),
            Either::Nv(matrix) => matrix.to_string(),
        }
    }

    fn component(self) -> Scalar {
        match self {
            Either::Khr(matrix) => matrix.component,
            Either::Nv(matrix) => matrix.component(),
        }
    }

    fn filled(self) -> String {
        match self {
            Either::Khr(matrix) => matrix.filled(),
            Either::Nv(matrix) => matrix.filled(),
        }
    }

    fn declare(self, shader: &mut Shader) {
        match self {
            Either::Khr(matrix) => matrix.declare(shader),
            Either::Nv(matrix) => matrix.declare(shader),
        }
    }

    fn word(self) -> &'static str {
        match self {
            Either::Khr(_) => "coopmat",
            Either::Nv(_) => "coopmatNV",
        }
    }
}

/// Statements on `a` and `b`, which are of one type, and on further matrices.
struct Lines<'s> {
    suite: &'s mut Suite,
    ty: Either,
}

impl Lines<'_> {
    fn shader(&self, others: &[(Either, &str)], line: &str) -> Shader {
        let mut shader = Shader::default();
        self.ty.declare(&mut shader);
        for name in ["a", "b"] {
            shader.locals.push(format!("{} {name} = {};", self.ty.name(), self.ty.filled()));
        }
        for (ty, name) in others {
            ty.declare(&mut shader);
            shader.locals.push(format!("{} {name} = {};", ty.name(), ty.filled()));
        }
        shader.body.push(line.to_owned());
        shader
    }

    fn valid(&mut self, built_in: &str, line: &str) -> usize {
        let shader = self.shader(&[], line);
        self.suite.twin(&format!("{}: {built_in}", self.ty.word()), shader.text(), shader.settings)
    }

    fn broken(
        &mut self,
        twin: usize,
        rule: &'static str,
        id: &'static str,
        others: &[(Either, &str)],
        line: &str,
    ) {
        let shader = self.shader(others, line);
        self.suite.case(twin, rule, &[id], shader.text(), shader.settings);
    }
}

fn other_scope(scope: i64) -> i64 {
    if scope == SCOPE_SUBGROUP { SCOPE_WORKGROUP } else { SCOPE_SUBGROUP }
}

/// Types that differ in one parameter.
fn different(ty: Either) -> Vec<Either> {
    match ty {
        Either::Khr(matrix) => {
            let component = if matrix.component == Scalar::Float32 { Scalar::Int32 } else { Scalar::Float32 };
            let changes = [
                Matrix { component, ..matrix },
                Matrix { scope: other_scope(matrix.scope), ..matrix },
                Matrix { rows: Size::Of(64), ..matrix },
                Matrix { columns: Size::Of(64), ..matrix },
                Matrix { rows: Size::Constant(3, matrix.rows.value()), ..matrix },
                Matrix { usage: if matrix.usage == USE_A { USE_B } else { USE_A }, ..matrix },
            ];
            changes.into_iter().map(Either::Khr).collect()
        }
        Either::Nv(matrix) => {
            let bits = if matrix.bits == 32 { 16 } else { 32 };
            let changes = [
                MatrixNv { bits, ..matrix },
                MatrixNv { scope: other_scope(matrix.scope), ..matrix },
                MatrixNv { rows: 64, ..matrix },
                MatrixNv { columns: 64, ..matrix },
            ];
            changes.into_iter().map(Either::Nv).collect()
        }
    }
}

pub fn add(suite: &mut Suite) {
    let mut types: Vec<Either> = Vec::new();
    for component in numbers() {
        types.push(Either::Khr(Matrix::new(component, 16, 8, USE_ACCUMULATOR)));
    }
    types.push(Either::Khr(Matrix::new(Scalar::Float16, 16, 8, USE_A).of_workgroup()));
    types.push(Either::Khr(Matrix::new(Scalar::Float16, 16, 8, USE_B)));
    types.push(Either::Khr(Matrix {
        rows: Size::Constant(0, 16),
        columns: Size::Constant(1, 8),
        ..Matrix::new(Scalar::Float16, 16, 8, USE_A)
    }));
    types.extend(types_nv().into_iter().map(Either::Nv));
    for ty in types {
        let mut lines = Lines { suite, ty };
        binary(&mut lines);
        unary(&mut lines);
        assignments(&mut lines);
        constructors(&mut lines);
        components(&mut lines);
    }
}

fn binary(lines: &mut Lines<'_>) {
    let ty = lines.ty;
    let component = ty.component();
    let small = component.class() == ScalarClass::SmallFloat;
    let same = lines.valid("=", "a = b;");
    let scalar = one(component);
    let id = "coopmat-operator";
    for operator in ARITHMETIC {
        let nv_product = matches!(ty, Either::Nv(_)) && operator == "*";
        let expression = format!("a {operator} b");
        if small {
            let rule = "formats of 8 bits or less, and bfloat16, have no arithmetic";
            lines.broken(same, rule, id, &[], &format!("a = {};", marked(&expression)));
            continue;
        }
        if nv_product {
            lines.broken(
                same,
                "coopmatNV has no * of two matrices",
                id,
                &[],
                &format!("a = {};", marked(&expression)),
            );
            continue;
        }
        let twin = lines.valid(operator, &format!("a = {expression};"));
        lines.valid(&format!("{operator}="), &format!("a {operator}= b;"));
        for other in different(ty) {
            let rule = "the operands of + - * / have identical types";
            let others = [(other, "c")];
            lines.broken(twin, rule, id, &others, &format!("a = {};", marked(format!("a {operator} c"))));
            lines.broken(twin, rule, id, &others, &format!("{};", marked(format!("a {operator}= c"))));
        }
        if operator != "*" {
            let rule = "with a scalar there is * alone";
            for expression in [format!("a {operator} {scalar}"), format!("{scalar} {operator} a")] {
                lines.broken(twin, rule, id, &[], &format!("a = {};", marked(expression)));
            }
            lines.broken(twin, rule, id, &[], &format!("{};", marked(format!("a {operator}= {scalar}"))));
        }
        for vector in ["vec2(1.0)", "mat2(1.0)", "true"] {
            let rule = "an operand of + - * / is a matrix, or a scalar of *";
            lines.broken(twin, rule, id, &[], &format!("a = {};", marked(format!("a {operator} {vector}"))));
        }
    }
    if !small {
        let twin = lines.valid("* scalar", &format!("a = a * {scalar};"));
        lines.valid("* scalar", &format!("a = {scalar} * a;"));
        lines.valid("*= scalar", &format!("a *= {scalar};"));
        for other in numbers().filter(|&other| other != component && other.class() != ScalarClass::SmallFloat)
        {
            let other = one(other);
            let rule = "the scalar of * has the component type";
            lines.broken(twin, rule, id, &[], &format!("a = {};", marked(format!("a * {other}"))));
        }
    }
    for operator in OTHERS {
        let rule = "no other operator";
        let expression = marked(format!("a {operator} b"));
        let line = match operator {
            "%" | "&" | "|" | "^" | "<<" | ">>" => format!("a = {expression};"),
            _ => format!("bool c = {expression};"),
        };
        lines.broken(same, rule, id, &[], &line);
    }
    for operator in ["%=", "&=", "|=", "^=", "<<=", ">>="] {
        lines.broken(same, "no other operator", id, &[], &format!("{};", marked(format!("a {operator} b"))));
    }
}

fn unary(lines: &mut Lines<'_>) {
    let id = "coopmat-operator";
    let same = lines.valid("=", "a = b;");
    if lines.ty.component().class() == ScalarClass::SmallFloat {
        let rule = "formats of 8 bits or less, and bfloat16, have no arithmetic";
        lines.broken(same, rule, id, &[], &format!("a = {};", marked("-a")));
    } else {
        lines.valid("unary -", "a = -b;");
    }
    for expression in ["~a", "!a", "+a"] {
        lines.broken(same, "no unary operator but -", id, &[], &format!("a = {};", marked(expression)));
    }
    for expression in ["++a", "--a", "a++", "a--"] {
        lines.broken(same, "no unary operator but -", id, &[], &format!("{};", marked(expression)));
    }
}

fn assignments(lines: &mut Lines<'_>) {
    let ty = lines.ty;
    let id = "coopmat-type-mismatch";
    let rule = "no implicit conversions between matrix types";
    let same = lines.valid("=", "a = b;");
    for other in different(ty) {
        let others = [(other, "c")];
        lines.broken(same, rule, id, &others, &format!("a = {};", marked("c")));
        lines.broken(same, rule, id, &others, &format!("{} d = {};", ty.name(), marked("c")));
    }
    let of = format!("{} several[2] = {}[2](a, b);", ty.name(), ty.name());
    lines.valid("[]", &of);
    lines.valid("?:", "a = gl_WorkGroupID.x > 2 ? a : b;");
    for (value, id) in
        [("1.0", "type-mismatch"), ("vec4(1.0)", "type-mismatch"), ("mat4(1.0)", "type-mismatch")]
    {
        let rule = "no implicit conversion to a matrix";
        lines.broken(same, rule, id, &[], &format!("a = {};", marked(value)));
    }
    lines.broken(
        same,
        "no implicit conversion from a matrix",
        "type-mismatch",
        &[],
        &format!("float f = {};", marked("a")),
    );
    lines.broken(same, "a condition is a bool", "condition-type", &[], &format!("if ({}) {{}}", marked("a")));
}

/// Whether a conversion between matrices of these components is one that Vulkan has.
fn converts(from: Scalar, to: Scalar) -> bool {
    let is_small = |scalar: Scalar| {
        scalar.class() == ScalarClass::SmallFloat
            && !matches!(scalar, Scalar::BFloat16 | Scalar::FloatE4M3 | Scalar::FloatE5M2)
    };
    from == to || !is_small(to) && (!is_small(from) || to.is_float())
}

fn constructors(lines: &mut Lines<'_>) {
    let ty = lines.ty;
    let id = "coopmat-constructor";
    let name = ty.name();
    let plain = lines.valid("constructor", &format!("a = {}(b);", name));
    // The text asks for an implicit conversion of the scalar, but every number is taken.
    for number in numbers().filter(|number| number.class() != ScalarClass::SmallFloat) {
        lines.valid("constructor", &format!("a = {name}({});", one(number)));
    }
    if let Either::Khr(matrix) = ty {
        for component in numbers().filter(|&component| converts(component, matrix.component)) {
            let other = Matrix { component, ..matrix };
            let mut shader = lines.shader(&[(Either::Khr(other), "c")], &format!("a = {name}(c);"));
            provider(component).into_iter().for_each(|name| shader.require(name));
            lines.suite.twin("coopmat: constructor", shader.text(), shader.settings);
        }
    }
    // GL_EXT_ocp_microscaling_types, 5.4.1.
    if let Either::Khr(matrix) = ty {
        let rule = "small formats are converted to larger floats only, and from constants only";
        for component in numbers().filter(|&component| !converts(component, matrix.component)) {
            let other = Either::Khr(Matrix { component, ..matrix });
            lines.broken(plain, rule, id, &[(other, "c")], &format!("a = {name}({});", marked("c")));
            if component.class() != ScalarClass::SmallFloat {
                let line =
                    format!("{0} x = {0}(gl_WorkGroupID.x); a = {name}({1});", component.name(), marked("x"));
                lines.broken(plain, rule, id, &[], &line);
            }
        }
    }
    let kept = "a matrix is constructed from one of the same scope, rows, columns and use";
    for other in different(ty).into_iter().skip(1) {
        lines.broken(plain, kept, id, &[(other, "c")], &format!("a = {name}({});", marked("c")));
    }
    let one_value = "a matrix is constructed from one scalar or one matrix";
    for values in ["a, b", "1.0, 2.0", "a, 1.0"] {
        lines.broken(plain, one_value, id, &[], &format!("a = {name}({});", marked(values)));
    }
    for value in ["vec2(1.0)", "vec4(1.0)", "mat4(1.0)", "float[2](1.0, 2.0)"] {
        lines.broken(plain, one_value, id, &[], &format!("a = {name}({});", marked(value)));
    }
    lines.broken(plain, one_value, id, &[], &format!("a = {};", marked(format!("{name}()"))));
    // A use may change with two later extensions.
    let Either::Khr(matrix) = ty else { return };
    for (extension, from, to) in [
        (ids::GL_NV_COOPERATIVE_MATRIX2, USE_ACCUMULATOR, USE_A),
        (ids::GL_NV_COOPERATIVE_MATRIX2, USE_ACCUMULATOR, USE_B),
        (ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1, USE_ACCUMULATOR, USE_A),
        (ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1, USE_A, USE_ACCUMULATOR),
        (ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1, USE_B, USE_ACCUMULATOR),
    ] {
        let (source, target) = (Matrix { usage: from, ..matrix }, Matrix { usage: to, ..matrix });
        let shader = |enabled: bool, source: Matrix, text: &str| {
            let mut shader = Shader::default();
            source.declare(&mut shader);
            target.declare(&mut shader);
            if enabled {
                shader.require(extension);
            }
            shader.locals.push(format!("{source} c = {};", source.filled()));
            shader.body.push(format!("{target} d = {target}({text});"));
            shader
        };
        let valid = shader(true, source, "c");
        let twin = lines.suite.twin("coopmat: use conversion", valid.text(), valid.settings);
        let marked_c = marked("c");
        let broken = shader(false, source, &marked_c);
        lines.suite.case(
            twin,
            "a use changes with an extension that says so",
            &[id],
            broken.text(),
            broken.settings,
        );
        let between = Matrix { usage: if to == USE_A { USE_B } else { USE_A }, ..matrix };
        if to != USE_ACCUMULATOR {
            let broken = shader(true, between, &marked_c);
            lines.suite.case(twin, "no use changes between A and B", &[id], broken.text(), broken.settings);
        }
    }
}

fn components(lines: &mut Lines<'_>) {
    let component = lines.ty.component();
    let name = component.name();
    let twin = lines.valid("m[i]", &format!("{name} x = a[0]; a[1] = x;"));
    lines.valid("length()", "int n = a.length();");
    for member in ["x", "xy", "rgba", "s", "rows", "size"] {
        lines.broken(
            twin,
            "components are reached by an index, nothing else is selected",
            "coopmat-member",
            &[],
            &format!("a.{};", marked(member)),
        );
    }
    lines.broken(
        twin,
        "length() is the only method",
        "no-such-member",
        &[],
        &format!("a.{}();", marked("size")),
    );
    lines.broken(
        twin,
        "an index is an integer",
        "type-mismatch",
        &[],
        &format!("{name} x = a[{}];", marked("1.0")),
    );
    lines.broken(
        twin,
        "a component is no array",
        "not-indexable",
        &[],
        &format!("{name} x = {};", marked("a[0][1]")),
    );
    lines.broken(
        twin,
        "length() is not written",
        "not-assignable",
        &[],
        &format!("{} = 1;", marked("a.length()")),
    );
}
