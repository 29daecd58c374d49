//! What the rules of the matrix extensions share: operands, comparison of sizes, and how messages name them.

use crate::diagnostics::{Code, Severity, codes};
use crate::display::display_constant;
use crate::extensions::{ids, sets};
use crate::hir::{Const, Definition, ExprId, ExprKind, Place};
use crate::lower::Lowerer;
use crate::lower::call_site::CallSite;
use crate::symbolic::{SpecAtom, Sym};
use crate::text::TextRange;
use crate::types::{Coopmat, Scalar, Ty, TypeKind};

pub(super) use crate::extensions::values::{
    GL_MATRIX_USE_A as USE_A, GL_MATRIX_USE_ACCUMULATOR as USE_ACCUMULATOR, GL_MATRIX_USE_B as USE_B,
    GL_SCOPE_SUBGROUP as SCOPE_SUBGROUP,
};

/// An argument that is a cooperative matrix.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub expr: ExprId,
    pub range: TextRange,
    pub ty: Ty,
    pub matrix: Coopmat,
}

/// How two sizes relate, as far as can be known before specialization.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Relation {
    Equal,
    /// No specialization makes them equal.
    Different,
    /// It depends on specialization constants; the values are those of the configuration, or the defaults.
    Depends {
        values: Option<(i64, i64)>,
    },
    /// Nothing is known about one of them.
    Unknown,
}

impl Relation {
    /// Whether the two differ under the values that are known.
    pub fn differs_by_default(self) -> bool {
        match self {
            Relation::Different => true,
            Relation::Depends { values: Some((a, b)) } => a != b,
            _ => false,
        }
    }
}

/// Compares two sizes.
pub(super) fn relation(lowerer: &mut Lowerer<'_>, a: Sym, b: Sym) -> Relation {
    if a == b {
        return Relation::Equal;
    }
    let symbols = &lowerer.types.symbols;
    if let (Some(a), Some(b)) = (symbols.as_int(a), symbols.as_int(b)) {
        // Signed and unsigned spellings of the same 32 bits are the same size.
        return if a as u32 == b as u32 { Relation::Equal } else { Relation::Different };
    }
    // They are not the same, so one of them is not known.
    if lowerer.types.may_equal(a, b) {
        return Relation::Unknown;
    }
    let symbols = &mut lowerer.types.symbols;
    let difference = symbols.sub(a, b);
    match symbols.as_int(difference) {
        Some(0) => Relation::Equal,
        Some(_) => Relation::Different,
        None => Relation::Depends {
            values: {
                let symbols = &lowerer.types.symbols;
                Option::zip(lowerer.config.value_of(symbols, a), lowerer.config.value_of(symbols, b))
            },
        },
    }
}

/// Compares a size with a number.
pub(super) fn relation_to(lowerer: &mut Lowerer<'_>, a: Sym, value: i64) -> Relation {
    let value = lowerer.types.symbols.int(value);
    relation(lowerer, a, value)
}

/// The argument at `index` as a cooperative matrix; something else is reported.
pub(super) fn matrix_argument(
    lowerer: &mut Lowerer<'_>,
    call: &CallSite<'_>,
    index: usize,
) -> Option<Operand> {
    let &expr = call.arguments.get(index)?;
    let (ty, range) = (lowerer.type_of(expr), lowerer.range_of(expr));
    match *lowerer.types.kind(ty) {
        TypeKind::Coopmat(matrix) => Some(Operand { expr, range, ty, matrix }),
        TypeKind::Error | TypeKind::NotAnalysed(_) => None,
        _ => {
            let found = lowerer.display(ty);
            lowerer.report(
                &codes::COOPMAT_ARGUMENT,
                range,
                format!("expected a cooperative matrix, but this is `{found}`"),
            );
            None
        }
    }
}

/// The value of an argument where it is constant: a number, a symbol, or a symbol of which nothing is known.
pub(super) fn constant_of(lowerer: &mut Lowerer<'_>, expr: ExprId) -> Option<Sym> {
    let symbols = &mut lowerer.types.symbols;
    match lowerer.body.exprs[expr].constant.as_ref()? {
        Const::Bool(value) => Some(symbols.int(i64::from(*value))),
        Const::Int(value) => Some(match i64::try_from(*value) {
            Ok(value) => symbols.int(value),
            Err(_) => symbols.unknown(),
        }),
        Const::Symbolic(sym) => Some(*sym),
        Const::Float(_) | Const::Composite(_) | Const::Opaque { .. } => Some(symbols.unknown()),
    }
}

/// The value of an argument that is constant whatever the specialization.
pub(super) fn known_value(lowerer: &mut Lowerer<'_>, expr: ExprId) -> Option<i64> {
    let sym = constant_of(lowerer, expr)?;
    lowerer.types.symbols.as_int(sym)
}

/// `16x32`, or `TM x BK` where a size is not a number.
pub(super) fn shape_text(lowerer: &Lowerer<'_>, matrix: Coopmat) -> String {
    let symbols = &lowerer.types.symbols;
    let (rows, columns) = (symbols.display(matrix.rows), symbols.display(matrix.columns));
    match (symbols.as_int(matrix.rows), symbols.as_int(matrix.columns)) {
        (Some(_), Some(_)) => format!("{rows}x{columns}"),
        _ => format!("{rows} x {columns}"),
    }
}

pub(super) fn size_text(lowerer: &Lowerer<'_>, size: Sym) -> String {
    lowerer.types.symbols.display(size)
}

pub(super) fn use_text(lowerer: &Lowerer<'_>, usage: Sym) -> String {
    match lowerer.types.symbols.as_int(usage) {
        Some(value) => use_name(value).to_owned(),
        None => lowerer.types.symbols.display(usage),
    }
}

pub(super) fn use_name(usage: i64) -> &'static str {
    match usage {
        USE_A => "A",
        USE_B => "B",
        USE_ACCUMULATOR => "Accumulator",
        _ => "an unknown value",
    }
}

pub(super) fn scope_text(lowerer: &Lowerer<'_>, scope: Sym) -> String {
    display_constant(&lowerer.types.symbols, scope, sets::GL_SCOPE)
}

/// The names of the explicit arithmetic types, which texts about sizes in memory use.
pub(super) fn explicit_name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::Int32 => "int32_t",
        Scalar::Uint32 => "uint32_t",
        Scalar::Float32 => "float32_t",
        Scalar::Float64 => "float64_t",
        other => other.name(),
    }
}

/// The declaration of what an operand names, for related information.
pub(super) fn declaration(lowerer: &Lowerer<'_>, expr: ExprId) -> Option<(Place, String)> {
    let mut expr = expr;
    let (definition, name, ty) = loop {
        match &lowerer.body.exprs[expr].kind {
            ExprKind::Index { base, .. } => expr = *base,
            ExprKind::Convert { operand } => expr = *operand,
            ExprKind::Local(local) => {
                let declared = &lowerer.body.locals[*local];
                break (Definition::Local(*local), declared.name.clone(), declared.ty);
            }
            ExprKind::Global(global) => {
                let declared = &lowerer.module.globals[*global];
                break (Definition::Global(*global), declared.name.clone(), declared.ty);
            }
            ExprKind::Member { structure, member, .. } => {
                let declared = lowerer.module.structs[*structure].members.get(*member as usize)?;
                break (Definition::Member(*structure, *member), declared.name.clone(), declared.ty);
            }
            _ => return None,
        }
    };
    if name.is_empty() {
        return None;
    }
    Some((Place::Definition(definition), format!("`{name}` is declared as `{}`", lowerer.display(ty))))
}

/// The declarations of several operands.
pub(super) fn declarations(lowerer: &Lowerer<'_>, operands: &[ExprId]) -> Vec<(Place, String)> {
    let mut places = Vec::with_capacity(operands.len());
    for &operand in operands {
        if let Some(place) = declaration(lowerer, operand)
            && !places.contains(&place)
        {
            places.push(place);
        }
    }
    places
}

/// Reports a rule about two things that do not agree: with its own severity where no specialization helps, as a hint where
/// that depends on specialization.
pub(super) fn report_relation(
    lowerer: &mut Lowerer<'_>,
    code: &'static Code,
    relation: Relation,
    range: TextRange,
    message: String,
    operands: &[ExprId],
) {
    let severity = match relation {
        Relation::Different => code.severity,
        _ => Severity::Hint,
    };
    report_relation_as(lowerer, code, severity, relation, range, message, operands);
}

/// Reports two sizes of a multiply-add that do not agree. Where they are different expressions of specialization constants, other values than the
/// defaults break the rule, and nothing checks it any more: a warning. Where a division or the like hides whether they are different, or the
/// configuration gives values that agree: a hint.
pub(super) fn report_sizes(
    lowerer: &mut Lowerer<'_>,
    code: &'static Code,
    (a, b): (Sym, Sym),
    range: TextRange,
    message: String,
    operands: &[ExprId],
) {
    let relation = relation(lowerer, a, b);
    let difference = lowerer.types.symbols.sub(a, b);
    let (symbols, config) = (&lowerer.types.symbols, lowerer.config);
    let given = symbols.evaluate(difference, &|atom: &SpecAtom| config.specialized(atom));
    let breaks = given.map_or_else(|| symbols.is_polynomial(difference), |difference| difference != 0);
    let severity = match relation {
        Relation::Different => code.severity,
        _ if breaks => Severity::Warning,
        _ => Severity::Hint,
    };
    report_relation_as(lowerer, code, severity, relation, range, message, operands);
}

fn report_relation_as(
    lowerer: &mut Lowerer<'_>,
    code: &'static Code,
    severity: Severity,
    relation: Relation,
    range: TextRange,
    message: String,
    operands: &[ExprId],
) {
    let message = match relation {
        Relation::Depends { values: Some((a, b)) } if a != b => {
            format!("{message} ({a} vs {b} under the default values)")
        }
        _ => message,
    };
    let related = declarations(lowerer, operands);
    lowerer.report_as(code, severity, range, message, related);
}

/// Checks that an operand has a use. Returns whether it may have.
pub(super) fn check_use(
    lowerer: &mut Lowerer<'_>,
    code: &'static Code,
    what: &str,
    operand: &Operand,
    expected: i64,
) -> bool {
    check_use_among(lowerer, code, what, operand, &[expected])
}

/// Checks that an operand has one of several uses. Returns whether it may have.
pub(super) fn check_use_among(
    lowerer: &mut Lowerer<'_>,
    code: &'static Code,
    what: &str,
    operand: &Operand,
    expected: &[i64],
) -> bool {
    let relations: Vec<Relation> =
        expected.iter().map(|&usage| relation_to(lowerer, operand.matrix.usage, usage)).collect();
    if relations.iter().any(|relation| matches!(relation, Relation::Equal | Relation::Unknown)) {
        return true;
    }
    if let Some(&relation) = relations.first()
        && relations.iter().all(|relation| relation.differs_by_default())
    {
        let found = use_text(lowerer, operand.matrix.usage);
        let names: Vec<&str> = expected.iter().map(|&usage| use_name(usage)).collect();
        let constants: Vec<String> = names.iter().map(|name| format!("`gl_MatrixUse{name}`")).collect();
        let message = format!(
            "{what} has use {found}: expected use {} ({})",
            names.join(" or "),
            constants.join(" or ")
        );
        report_relation(lowerer, code, relation, operand.range, message, &[operand.expr]);
    }
    relations.iter().any(|relation| *relation != Relation::Different)
}

/// Why a matrix is not constructed from another: the first parameter that is in the way. GL_KHR_cooperative_matrix,
/// GL_NV_cooperative_matrix2 and GL_EXT_cooperative_matrix_maintenance1, section 5.4.X.
pub(crate) fn conversion_difference(lowerer: &mut Lowerer<'_>, target: Ty, source: Ty) -> Option<String> {
    let (&TypeKind::Coopmat(to), &TypeKind::Coopmat(mut from)) =
        (lowerer.types.kind(target), lowerer.types.kind(source))
    else {
        return None;
    };
    from.component = to.component;
    let is = |lowerer: &Lowerer<'_>, usage, wanted: &[i64]| {
        lowerer.types.symbols.as_int(usage).is_none_or(|usage| wanted.contains(&usage))
    };
    let to_factor = is(lowerer, from.usage, &[USE_ACCUMULATOR]) && is(lowerer, to.usage, &[USE_A, USE_B]);
    let to_accumulator =
        is(lowerer, from.usage, &[USE_A, USE_B]) && is(lowerer, to.usage, &[USE_ACCUMULATOR]);
    let (maintenance1, nv2) = (ids::GL_EXT_COOPERATIVE_MATRIX_MAINTENANCE1, ids::GL_NV_COOPERATIVE_MATRIX2);
    let maintenance = lowerer.environment.enabled(maintenance1);
    let extended = maintenance || lowerer.environment.enabled(nv2);
    if to_factor && extended || to_accumulator && maintenance {
        from.usage = to.usage;
    }
    let converted = lowerer.types.intern(TypeKind::Coopmat(from));
    let mut difference = lowerer.matrix_difference(target, converted)?;
    if difference.starts_with("use") {
        let needed = match () {
            _ if to_factor => format!(", which needs {maintenance1} or {nv2}"),
            _ if to_accumulator => format!(", which needs {maintenance1}"),
            _ if extended => ": a use changes between Accumulator and A or B only".to_owned(),
            _ => String::new(),
        };
        difference.push_str(&needed);
    }
    Some(difference)
}
