//! Type arguments: of `coopmat<...>`, the tensor types, long vectors. Each argument offers what fits, and the rest of the list at once
//! where the target device accepts just certain shapes.

use super::item::{About, Completions, Item, ItemKind};
use super::names;
use super::rank;
use super::requirements::with_requirements;
use super::scope::Scope;
use super::value::split_commas;
use crate::site::{Site, Tok};
use coopmat_analysis::devices::{DeviceProfile, MatrixTypes, Scope as DeviceScope};
use coopmat_analysis::extensions::{self, BuiltinTypeKind, ConstantSet, Pattern, sets, values};
use coopmat_analysis::hir::Const;
use coopmat_analysis::types::Scalar;

/// What an argument in angle brackets is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Argument {
    Component,
    Scope,
    Rows,
    Columns,
    Use,
    /// Of a long vector.
    Length,
    /// Of GL_NV_cooperative_matrix: bits of a component.
    Bits,
    Dimension,
    ClampMode,
    HasDimensions,
    Permutation,
}

/// The arguments of a type by its name.
pub fn arguments(name: &str) -> &'static [Argument] {
    use Argument::*;
    match extensions::type_(name).map(|id| extensions::type_by_id(id).kind) {
        Some(BuiltinTypeKind::Coopmat) => &[Component, Scope, Rows, Columns, Use],
        Some(BuiltinTypeKind::FCoopmatNv | BuiltinTypeKind::ICoopmatNv | BuiltinTypeKind::UCoopmatNv) => {
            &[Bits, Scope, Rows, Columns]
        }
        Some(BuiltinTypeKind::LongVector | BuiltinTypeKind::CoopVec) => &[Component, Length],
        Some(BuiltinTypeKind::TensorArm) => &[Component, Dimension],
        Some(BuiltinTypeKind::TensorLayout) => &[Dimension, ClampMode],
        Some(BuiltinTypeKind::TensorView) => {
            &[Dimension, HasDimensions, Permutation, Permutation, Permutation, Permutation, Permutation]
        }
        Some(BuiltinTypeKind::Pattern(_) | BuiltinTypeKind::Opaque) | None => &[],
    }
}

impl Argument {
    pub fn name(self) -> &'static str {
        match self {
            Argument::Component => "component",
            Argument::Scope => "scope",
            Argument::Rows => "rows",
            Argument::Columns => "columns",
            Argument::Use => "use",
            Argument::Length => "length",
            Argument::Bits => "bits",
            Argument::Dimension => "dimensions",
            Argument::ClampMode => "clampMode",
            Argument::HasDimensions => "hasDimensions",
            Argument::Permutation => "p",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Argument::Component => "The type of the components, a scalar.",
            Argument::Scope => {
                "The invocations over which the matrix is distributed: `gl_ScopeSubgroup` or `gl_ScopeWorkgroup`."
            }
            Argument::Rows => "The number of rows, a constant or specialization constant.",
            Argument::Columns => "The number of columns, a constant or specialization constant.",
            Argument::Use => {
                "Its role in a multiply-add: `gl_MatrixUseA`, `gl_MatrixUseB` or `gl_MatrixUseAccumulator`."
            }
            Argument::Length => "The number of components, a constant or specialization constant.",
            Argument::Bits => "The width of a component in bits.",
            Argument::Dimension => "The number of dimensions, 1 to 5.",
            Argument::ClampMode => {
                "What is read outside the tensor: a constant `gl_CooperativeMatrixClampMode...`."
            }
            Argument::HasDimensions => "Whether the view has dimensions and strides of its own.",
            Argument::Permutation => "The dimension at this place; each dimension appears once.",
        }
    }

    /// The constants that belong here.
    pub fn constants(self) -> Option<ConstantSet> {
        match self {
            Argument::Scope => Some(sets::GL_SCOPE),
            Argument::Use => Some(sets::GL_MATRIX_USE),
            Argument::ClampMode => Some(sets::GL_COOPERATIVE_MATRIX_CLAMP_MODE),
            Argument::Component
            | Argument::Rows
            | Argument::Columns
            | Argument::Length
            | Argument::Bits
            | Argument::Dimension
            | Argument::HasDimensions
            | Argument::Permutation => None,
        }
    }
}

/// One operand of a multiply-add that a device has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    component: Scalar,
    scope: DeviceScope,
    rows: u32,
    columns: u32,
    usage: i64,
    /// Rows and columns may be any multiples.
    flexible: bool,
}

impl Shape {
    /// The arguments of `coopmat<...>`, as they are written.
    fn texts(&self) -> [String; 5] {
        let constant = |set: ConstantSet, value: i64| {
            set.with_value(value).map_or_else(|| value.to_string(), |constant| constant.name.to_owned())
        };
        [
            self.component.name().to_owned(),
            constant(sets::GL_SCOPE, self.scope.value()),
            self.rows.to_string(),
            self.columns.to_string(),
            constant(sets::GL_MATRIX_USE, self.usage),
        ]
    }

    fn values(&self) -> [Option<i64>; 5] {
        let sizes = [i64::from(self.rows), i64::from(self.columns)];
        [None, Some(self.scope.value()), Some(sizes[0]), Some(sizes[1]), Some(self.usage)]
    }
}

/// What the target device lists: its shapes, fixed ones first.
fn shapes(profile: &DeviceProfile) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    let mut add = |types: &MatrixTypes, [m, n, k]: [u32; 3], flexible: bool| {
        for (component, rows, columns, usage) in
            [(types.a, m, k, 0), (types.b, k, n, 1), (types.c, m, n, 2), (types.result, m, n, 2)]
        {
            let shape = Shape { component, scope: types.scope, rows, columns, usage, flexible };
            // What is listed with fixed sizes and with multiples of them is there once.
            match shapes.iter_mut().find(|known| Shape { flexible, ..**known } == shape) {
                Some(known) => known.flexible |= flexible,
                None => shapes.push(shape),
            }
        }
    };
    for row in &profile.cooperative_matrix_properties {
        add(&row.types, [row.m, row.n, row.k], false);
    }
    for row in &profile.cooperative_matrix_flexible_dimensions_properties {
        add(&row.types, [row.m, row.n, row.k], true);
    }
    shapes
}

pub fn complete(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) -> bool {
    let Some(frame) = site.frame().filter(|frame| frame.bracket == '<') else { return false };
    let Some(name) = frame.index.checked_sub(1).map(|index| site.tokens[index].text) else { return false };
    let written = split_commas(&site.tokens[frame.index + 1..]);
    let Some(&argument) = arguments(name).get(frame.commas) else { return true };
    // In the middle of an expression such as `BK / `: anything that is a number.
    let fresh = written.last().is_none_or(|last| last.is_empty());
    let profile = scope.analysis.config.device_profile();
    let is_matrix = arguments(name).len() == 5;
    let shapes = match &profile {
        Some(profile) if is_matrix && fresh => shapes(profile),
        _ => Vec::new(),
    };
    let complete = &written[..written.len().saturating_sub(1)];
    let fitting: Vec<Shape> = shapes.into_iter().filter(|shape| agrees(scope, shape, complete)).collect();
    let device = profile.as_ref().map_or("", |profile| profile.name.as_str());
    match argument {
        Argument::Component => {
            components(scope, &fitting, device, is_matrix, completions);
            names::macros(site, false, completions);
        }
        Argument::Rows | Argument::Columns => {
            let mut sizes: Vec<(u32, bool)> = fitting
                .iter()
                .map(|shape| {
                    (if argument == Argument::Rows { shape.rows } else { shape.columns }, shape.flexible)
                })
                .collect();
            sizes.sort_unstable();
            sizes.dedup_by_key(|(size, _)| *size);
            for (size, flexible) in sizes {
                let of = if flexible { "and multiples: " } else { "" };
                completions.items.push(
                    Item::new(size.to_string(), ItemKind::EnumMember, rank::CONSTANT_OF_PARAMETER)
                        .detail(format!("{of}{device}")),
                );
            }
            names::integer_constants(site, scope, true, completions);
            names::macros(site, false, completions);
        }
        Argument::Length => {
            for length in [2, 4, 8, 16, 32] {
                let item = Item::new(length.to_string(), ItemKind::EnumMember, rank::FUNCTION);
                completions.items.push(item);
            }
            names::integer_constants(site, scope, true, completions);
            names::macros(site, false, completions);
        }
        Argument::Bits | Argument::Dimension => {
            let usual: &[i64] = if argument == Argument::Bits { &[8, 16, 32, 64] } else { &[1, 2, 3, 4, 5] };
            numbers(usual, completions);
            names::integer_constants(site, scope, true, completions);
            names::macros(site, false, completions);
        }
        Argument::Permutation => {
            let dimensions = complete.first().and_then(|first| number(scope, first)).unwrap_or(5).clamp(1, 5);
            let given: Vec<Option<i64>> = complete.iter().skip(2).map(|text| number(scope, text)).collect();
            let left: Vec<i64> = (0..dimensions).filter(|entry| !given.contains(&Some(*entry))).collect();
            numbers(&left, completions);
            names::integer_constants(site, scope, true, completions);
            names::macros(site, false, completions);
        }
        Argument::HasDimensions => {
            for word in ["true", "false"] {
                completions.items.push(Item::new(word, ItemKind::Keyword, rank::CONSTANT_OF_PARAMETER));
            }
        }
        Argument::Scope | Argument::Use | Argument::ClampMode => {
            named_constants(scope, argument, completions);
            names::integer_constants(site, scope, true, completions);
            names::macros(site, false, completions);
        }
    }
    if !fitting.is_empty() && !site.next_is(",") {
        let mut lists: Vec<Item> =
            fitting.iter().map(|shape| rest(site, shape, frame.commas, device)).collect();
        // Shapes that differ in what is written already look the same.
        lists.sort_by(|a, b| a.label.cmp(&b.label));
        lists.dedup_by(|a, b| a.label == b.label);
        completions.items.append(&mut lists);
    }
    true
}

fn numbers(numbers: &[i64], completions: &mut Completions) {
    for number in numbers {
        let item = Item::new(number.to_string(), ItemKind::EnumMember, rank::CONSTANT_OF_PARAMETER);
        completions.items.push(item);
    }
}

fn named_constants(scope: &Scope<'_>, argument: Argument, completions: &mut Completions) {
    let Some(set) = argument.constants() else { return };
    for (_, constant) in set.iter() {
        // GL_KHR_cooperative_matrix: a matrix is spread over a subgroup or a workgroup.
        if argument == Argument::Scope
            && !matches!(constant.value, values::GL_SCOPE_WORKGROUP | values::GL_SCOPE_SUBGROUP)
        {
            continue;
        }
        let mut item =
            Item::new(constant.name, ItemKind::EnumMember, rank::CONSTANT_OF_PARAMETER).about(About::Builtin);
        if !scope.environment.availability(&constant.into()).is_available()
            && let Some(&provider) = constant.providers.first()
        {
            item.extensions = with_requirements(&scope.environment, provider);
        }
        completions.items.push(item);
    }
}

/// The components that most devices have matrices of.
const USUAL: [Scalar; 6] =
    [Scalar::Float16, Scalar::Float32, Scalar::Int8, Scalar::Uint8, Scalar::Int32, Scalar::Uint32];

/// Component types in force; those of the device's shapes first.
fn components(
    scope: &Scope<'_>,
    fitting: &[Shape],
    device: &str,
    matrix: bool,
    completions: &mut Completions,
) {
    for (_, ty) in extensions::all_types() {
        let BuiltinTypeKind::Pattern(Pattern::Scalar(scalar)) = ty.kind else { continue };
        if !scope.environment.availability(&ty.into()).is_available() || (matrix && scalar == Scalar::Bool) {
            continue;
        }
        let on_device = fitting.iter().any(|shape| shape.component == scalar);
        // `float32_t` is another name of `float`.
        let rank = if on_device && ty.name == scalar.name() {
            rank::CONSTANT_OF_PARAMETER
        } else if matrix && ty.name == scalar.name() && USUAL.contains(&scalar) {
            rank::LOCAL
        } else {
            rank::FUNCTION
        };
        let mut item = Item::new(ty.name, ItemKind::Type, rank).about(About::Builtin);
        if on_device {
            item.detail = device.to_owned();
        }
        completions.items.push(item);
    }
}

/// Whether a shape has what is written already. What is not understood fits any.
fn agrees(scope: &Scope<'_>, shape: &Shape, written: &[&[Tok<'_>]]) -> bool {
    let values = shape.values();
    written.iter().enumerate().take(5).all(|(index, tokens)| {
        if index == 0 {
            let named = tokens.first().map(|token| scope.alias(token.text).unwrap_or(token.text));
            let named = named.and_then(extensions::type_);
            return match named.map(|id| extensions::type_by_id(id).kind) {
                Some(BuiltinTypeKind::Pattern(Pattern::Scalar(scalar))) => scalar == shape.component,
                _ => true,
            };
        }
        match (number(scope, tokens), values[index]) {
            (Some(found), Some(listed)) if shape.flexible && matches!(index, 2 | 3) => found % listed == 0,
            (Some(found), Some(listed)) => found == listed,
            _ => true,
        }
    })
}

/// The value of a number or a name that stands alone.
fn number(scope: &Scope<'_>, tokens: &[Tok<'_>]) -> Option<i64> {
    let [token] = tokens else { return None };
    if let Ok(number) = token.text.trim_end_matches(['u', 'U']).parse() {
        return Some(number);
    }
    if let Some(id) = extensions::constant(token.text) {
        return Some(extensions::constant_by_id(id).value);
    }
    let module = &scope.analysis.module;
    let (_, global) = module.globals.iter().find(|(_, global)| global.name == token.text)?;
    match global.constant {
        Some(Const::Int(value)) => i64::try_from(value).ok(),
        _ => None,
    }
}

/// The arguments from one on, to the end of the list.
fn rest(site: &Site<'_>, shape: &Shape, from: usize, device: &str) -> Item {
    let texts = shape.texts();
    let list = texts[from.min(4)..].join(", ");
    let close = if site.next_is(">") { "" } else { ">" };
    Item::new(format!("{list}{close}"), ItemKind::Snippet, rank::CONSTANT_OF_PARAMETER)
        .detail(detail(shape, device))
}

fn detail(shape: &Shape, device: &str) -> String {
    if shape.flexible {
        format!("{device}, rows and columns in multiples of these")
    } else {
        device.to_owned()
    }
}

/// Whole types that the device accepts, where a type can stand and `coopmat` is being typed.
pub fn whole_types(site: &Site<'_>, scope: &Scope<'_>, constructs: bool, completions: &mut Completions) {
    const NAME: &str = "coopmat";
    let typed = site.prefix;
    let starts = NAME.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
    if typed.is_empty() || !starts || site.next_is("<") {
        return;
    }
    let Some(profile) = scope.analysis.config.device_profile() else { return };
    let provider =
        extensions::type_(NAME).and_then(|id| extensions::type_by_id(id).providers.first().copied());
    let needed = provider.map(|provider| with_requirements(&scope.environment, provider)).unwrap_or_default();
    for shape in shapes(&profile) {
        let text = format!("{NAME}<{}>", shape.texts().join(", "));
        let mut item = Item::new(text.as_str(), ItemKind::Snippet, 20 + rank::TYPE)
            .detail(detail(&shape, &profile.name));
        if constructs {
            item = item.snippet(format!("{text}($0)"), text);
        }
        item.extensions.clone_from(&needed);
        completions.items.push(item);
    }
}
