//! Types with arguments: how many, which are constant, and which values they have.

use coopmat_analysis::extensions::{self, BuiltinTypeKind, ExtensionId};

use crate::parts::{numbers, provider};
use crate::shader::{Shader, marked};
use crate::suite::Suite;

/// What an argument of a type stands for.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Component,
    Bits,
    Scope,
    Size,
    Usage,
    Dimensions,
    Clamp,
    OwnDimensions,
    Permutation,
}

struct Type {
    name: &'static str,
    extension: ExtensionId,
    arguments: Vec<(Kind, String)>,
}

impl Type {
    /// With other arguments.
    fn with(&self, arguments: &[String]) -> String {
        format!("{}<{}>", self.name, arguments.join(", "))
    }

    fn arguments(&self) -> Vec<String> {
        self.arguments.iter().map(|(_, text)| text.clone()).collect()
    }

    fn shader(&self) -> Shader {
        let mut shader = Shader::default();
        shader.require(self.extension);
        for component in numbers() {
            if self.arguments.iter().any(|(_, text)| text == component.name()) {
                provider(component).into_iter().for_each(|name| shader.require(name));
            }
        }
        shader
    }
}

/// Instances of each type with arguments in the tables.
fn instances() -> Vec<Type> {
    let mut all = Vec::new();
    for (_, ty) in extensions::all_types() {
        let Some(&extension) = ty.providers.first() else { continue };
        let mut add = |arguments: Vec<(Kind, &str)>| {
            let arguments = arguments.into_iter().map(|(kind, text)| (kind, text.to_owned())).collect();
            all.push(Type { name: ty.name, extension, arguments });
        };
        let scope = (Kind::Scope, "gl_ScopeSubgroup");
        match ty.kind {
            BuiltinTypeKind::Coopmat => {
                for component in numbers() {
                    for usage in ["gl_MatrixUseA", "gl_MatrixUseB", "gl_MatrixUseAccumulator"] {
                        add(vec![
                            (Kind::Component, component.name()),
                            scope,
                            (Kind::Size, "16"),
                            (Kind::Size, "32"),
                            (Kind::Usage, usage),
                        ]);
                    }
                }
            }
            BuiltinTypeKind::FCoopmatNv => {
                for bits in ["16", "32", "64"] {
                    add(vec![(Kind::Bits, bits), scope, (Kind::Size, "16"), (Kind::Size, "8")]);
                }
            }
            BuiltinTypeKind::ICoopmatNv | BuiltinTypeKind::UCoopmatNv => {
                for bits in ["8", "16", "32", "64"] {
                    add(vec![(Kind::Bits, bits), scope, (Kind::Size, "16"), (Kind::Size, "8")]);
                }
            }
            BuiltinTypeKind::TensorLayout => {
                for dimensions in ["1", "2", "3", "4", "5"] {
                    add(vec![(Kind::Dimensions, dimensions)]);
                    add(vec![
                        (Kind::Dimensions, dimensions),
                        (Kind::Clamp, "gl_CooperativeMatrixClampModeRepeatNV"),
                    ]);
                }
            }
            BuiltinTypeKind::TensorView => {
                let entries = ["0", "1", "2", "3", "4"];
                for dimensions in 1..=5usize {
                    let count = ["1", "2", "3", "4", "5"][dimensions - 1];
                    add(vec![(Kind::Dimensions, count)]);
                    add(vec![(Kind::Dimensions, count), (Kind::OwnDimensions, "true")]);
                    let mut long = vec![(Kind::Dimensions, count), (Kind::OwnDimensions, "false")];
                    long.extend(entries[..dimensions].iter().rev().map(|&entry| (Kind::Permutation, entry)));
                    add(long);
                }
            }
            BuiltinTypeKind::Pattern(_)
            | BuiltinTypeKind::LongVector
            | BuiltinTypeKind::CoopVec
            | BuiltinTypeKind::TensorArm
            | BuiltinTypeKind::Opaque => {}
        }
    }
    all
}

pub fn add(suite: &mut Suite) {
    for ty in instances() {
        let mut valid = ty.shader();
        valid.locals.push(format!("{} value;", ty.with(&ty.arguments())));
        let twin = suite.twin(ty.name, valid.text(), valid.settings);
        let code = match ty.name {
            "coopmat" => "coopmat-type-arguments",
            "tensorLayoutNV" | "tensorViewNV" => "nv-tensor-type-arguments",
            _ => "coopmat-nv-type-arguments",
        };
        let mut broken = |rule, id: &'static str, text: String, top: &str| {
            let mut shader = ty.shader();
            if !top.is_empty() {
                shader.declare(top);
            }
            shader.locals.push(format!("{text} value;"));
            suite.case(twin, rule, &[id], shader.text(), shader.settings);
        };
        let arguments = ty.arguments();
        let all = |arguments: &[String]| format!("{}<{}>", ty.name, marked(arguments.join(", ")));
        let replaced = |index: usize, text: &str| {
            let mut arguments = ty.arguments();
            arguments[index] = marked(text);
            ty.with(&arguments)
        };
        // Layouts and views have arguments that may be left out.
        let fixed = code != "nv-tensor-type-arguments";
        let number = "as many type arguments as there have to be";
        if fixed {
            broken(number, code, all(&arguments[..arguments.len() - 1]), "");
            broken(number, code, all(&[&arguments[..], &["1".to_owned()]].concat()), "");
        } else if ty.name == "tensorLayoutNV" {
            broken(number, code, all(&[&arguments[..], &["0".to_owned(), "0".to_owned()]].concat()), "");
        } else if arguments.len() > 2 {
            if arguments.len() > 3 {
                broken(number, code, all(&arguments[..arguments.len() - 1]), "");
            }
            broken(number, code, all(&[&arguments[..], &["5".to_owned()]].concat()), "");
        }
        broken("type arguments stand in angle brackets", code, marked(ty.name), "");
        for (index, &(kind, _)) in ty.arguments.iter().enumerate() {
            if kind == Kind::Component {
                let rule = "the component type is a scalar numerical type";
                let id = "coopmat-component-type";
                for other in ["bool", "void", "vec2", "mat4", "16", "float[2]"] {
                    broken(rule, id, replaced(index, other), "");
                }
                broken(rule, id, replaced(index, "Pair"), "struct Pair { float a, b; };");
                continue;
            }
            let constant = "type arguments are constant integers";
            broken(constant, code, replaced(index, "changing"), "uint changing = 1;");
            broken(
                constant,
                code,
                replaced(index, "pushed"),
                "layout(push_constant) uniform Pushed { uint pushed; };",
            );
            if kind != Kind::OwnDimensions {
                broken(constant, code, replaced(index, "1.5"), "");
            }
            let (rule, id, values): (_, _, &[&str]) = match kind {
                Kind::Scope if ty.name == "coopmat" => (
                    "scope, rows, columns and use have values that exist",
                    "coopmat-parameter-value",
                    &["gl_ScopeDevice", "gl_ScopeInvocation", "gl_ScopeQueueFamily", "0", "17"],
                ),
                Kind::Size if ty.name == "coopmat" => (
                    "scope, rows, columns and use have values that exist",
                    "coopmat-parameter-value",
                    &["0", "-16"],
                ),
                Kind::Usage => (
                    "scope, rows, columns and use have values that exist",
                    "coopmat-parameter-value",
                    &["3", "-1"],
                ),
                Kind::Bits => {
                    ("a width that the kind of component has", "coopmat-nv-bits", &["4", "24", "128", "0"])
                }
                Kind::Dimensions => ("1 to 5 dimensions", "nv-tensor-dimension", &["0", "6", "-1"]),
                Kind::Clamp => ("the clamp mode has a value that exists", "nv-tensor-clamp", &["5", "-1"]),
                Kind::Permutation => {
                    ("the permutation names each dimension once", "nv-tensor-view-permutation", &["5", "-1"])
                }
                Kind::Component | Kind::OwnDimensions | Kind::Scope | Kind::Size => continue,
            };
            for value in values {
                broken(rule, id, replaced(index, value), "");
            }
            if kind == Kind::Permutation && index + 1 == arguments.len() && arguments.len() > 3 {
                broken(rule, id, replaced(index, &arguments[2]), "");
            }
            if kind == Kind::Size {
                broken(
                    "a type argument with an operator stands in parentheses",
                    "type-as-value",
                    replaced(index, "SIZE * 2"),
                    "const int SIZE = 8;",
                );
            }
        }
        let mut missing = ty.shader();
        missing.extensions.remove(&ty.extension);
        missing.marked_extensions.clear();
        // What the matrix extensions require of one another would bring the type.
        // Its constants are missing as well.
        let arguments: Vec<String> = ty
            .arguments
            .iter()
            .map(|(kind, text)| match kind {
                Kind::Usage | Kind::Clamp => marked(text),
                _ => text.clone(),
            })
            .collect();
        missing.locals.push(format!("{}<{}> value;", marked(ty.name), arguments.join(", ")));
        suite.case(
            twin,
            "the extension is enabled",
            &["missing-extension"],
            missing.text(),
            missing.settings,
        );
    }
}
