//! Types, multiply-adds and sub-arrays that a device does not list.

use super::{Judge, Obstacle, Place, Value, push_new};
use crate::devices::{DeviceProfile, FlexibleDimensions, List, MatrixProperties, MatrixTypes};
use crate::diagnostics::codes;
pub(crate) use crate::extensions::values::GL_SCOPE_WORKGROUP as SCOPE_WORKGROUP;
use crate::extensions::values::{self, GL_MATRIX_USE_A as USE_A, GL_MATRIX_USE_B as USE_B};
use crate::extensions::{self, Rule};
use crate::hir::{Body, Callee, Const, Definition, ExprId, ExprKind, FunctionId};
use crate::text::{TextRange, TextSize};
use crate::types::{ArrayLength, Coopmat, Scalar, TypeKind};

const SATURATING: i128 = values::GL_MATRIX_OPERANDS_SATURATING_ACCUMULATION as i128;
/// As many supported combinations as a message names.
const NAMED: usize = 4;

/// A matrix type whose parameters are known.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub component: Scalar,
    pub scope: i64,
    pub rows: u32,
    pub columns: u32,
    pub usage: i64,
    defaults: Vec<smol_str::SmolStr>,
}

/// A multiply-add: what `VkCooperativeMatrixPropertiesKHR` has a row for.
#[derive(Clone, Copy)]
struct MulAdd {
    size: [u32; 3],
    /// Of A, B, and of C, which is the result's too.
    components: [Scalar; 3],
    scope: i64,
    saturating: bool,
}

impl Judge<'_> {
    /// `only`: what lies there in the expanded text, and nothing else.
    pub(super) fn matrices(
        &mut self,
        body: &Body,
        base: TextSize,
        function: Option<FunctionId>,
        only: Option<TextRange>,
    ) {
        let place = Place { base, function };
        let wanted = |range: TextRange| only.is_none_or(|only| range + base == only);
        for name in body.names.iter().filter(|name| wanted(name.range)) {
            if let Definition::Type(ty) = name.definition
                && let TypeKind::Coopmat(matrix) = self.module.types.kind(ty)
            {
                self.matrix_type(*matrix, name.range, place);
            }
        }
        for (_, expr) in body.exprs.iter().filter(|(_, expr)| wanted(expr.range)) {
            let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind else { continue };
            match extensions::function(*id).rule {
                Some(Rule::CoopMatMulAdd) => {
                    self.mul_add(body, arguments, expr.range, place);
                    // Who asks about the call alone is not told of its types where they are written.
                    if only.is_some() {
                        self.operand_types(body, arguments, expr.range, place);
                    }
                }
                Some(Rule::ExtractSubArrayQcom) => self.sub_array(body, arguments, place),
                _ => {}
            }
        }
    }

    /// The matrix types of a multiply-add, as if they were written at the call.
    fn operand_types(&mut self, body: &Body, arguments: &[ExprId], range: TextRange, place: Place) {
        for &argument in arguments.iter().take(3) {
            if let Some(matrix) = self.module.types.as_coopmat(body.exprs[argument].ty) {
                self.matrix_type(matrix, range, place);
            }
        }
    }

    pub(super) fn shape(&self, matrix: Coopmat) -> Option<Shape> {
        let [scope, rows, columns, usage] =
            [matrix.scope, matrix.rows, matrix.columns, matrix.usage].map(|sym| self.value(sym));
        let (scope, rows, columns, usage) = (scope?, rows?, columns?, usage?);
        let mut defaults = Vec::new();
        for name in [&scope, &rows, &columns, &usage].into_iter().flat_map(|value| &value.defaults) {
            push_new(&mut defaults, name.clone());
        }
        Some(Shape {
            component: matrix.component,
            scope: i64::from(scope.value),
            rows: rows.value,
            columns: columns.value,
            usage: i64::from(usage.value),
            defaults,
        })
    }

    /// Whether shapes that no row lists are known to be unsupported.
    fn rows_are_complete(&self) -> bool {
        let profile = self.profile;
        profile.knows(List::CooperativeMatrixProperties)
            && (profile.knows(List::CooperativeMatrixFlexibleDimensionsProperties)
                || profile.feature("cooperativeMatrixFlexibleDimensions") == Some(false))
    }

    /// VUID-RuntimeSpirv-OpTypeCooperativeMatrixKHR-10163, cooperativeMatrixWorkgroupScope-10164,
    /// cooperativeMatrixFlexibleDimensions-10165, cooperativeMatrixFlexibleDimensionsMaxDimension-10167.
    fn matrix_type(&mut self, matrix: Coopmat, range: TextRange, place: Place) {
        let Some(shape) = self.shape(matrix) else { return };
        let device = self.device().to_owned();
        let obstacle = |message: String| Obstacle {
            code: &codes::DEVICE_MATRIX_TYPE,
            range,
            base: place.base,
            function: place.function,
            message,
            alternatives: None,
            nearest: None,
            defaults: shape.defaults.clone(),
        };
        if shape.scope == SCOPE_WORKGROUP {
            match self.profile.feature("cooperativeMatrixWorkgroupScope") {
                Some(true) => {}
                Some(false) => {
                    let message = format!(
                        "{device} has no matrices of workgroup scope (cooperativeMatrixWorkgroupScope is not supported)"
                    );
                    let nearest = Some("subgroup scope".to_owned());
                    // Whatever its rows and columns are.
                    let defaults = self.value(matrix.scope).map_or(Vec::new(), |scope| scope.defaults);
                    return self.report(Obstacle { nearest, defaults, ..obstacle(message) });
                }
                None => {
                    self.unknown("whether it has matrices of workgroup scope");
                    return;
                }
            }
        }
        if let Some(largest) = self.profile.limits.cooperative_matrix_flexible_dimensions_max_dimension
            && self.profile.feature("cooperativeMatrixFlexibleDimensions") == Some(true)
            && (shape.rows > largest || shape.columns > largest)
        {
            let message = format!(
                "{device} has no matrices with more than {largest} rows or columns (cooperativeMatrixFlexibleDimensionsMaxDimension), and this one is {}x{}",
                shape.rows, shape.columns
            );
            let nearest = Some(format!("{}x{}", shape.rows.min(largest), shape.columns.min(largest)));
            return self.report(Obstacle { nearest, ..obstacle(message) });
        }
        let listed = self
            .profile
            .cooperative_matrix_properties
            .iter()
            .any(|row| fits(&shape, row.types, exact_size(&shape, row)));
        let mut blocked = None;
        let invocations = self.workgroup_invocations();
        // Rows of other A and B types share an accumulator: the smallest granularity among them is enough for its type.
        let flexible = flexible(self.profile).iter().any(|row| {
            if !fits(&shape, row.types, flexible_size(&shape, row)) {
                return false;
            }
            if shape.scope != SCOPE_WORKGROUP
                || invocations.as_ref().is_none_or(|it| it.value == row.workgroup_invocations)
            {
                return true;
            }
            blocked = Some(row.workgroup_invocations);
            false
        });
        if listed || flexible {
            return;
        }
        if !self.rows_are_complete() {
            self.unknown("which matrix types it supports");
            return;
        }
        if let (Some(needed), Some(invocations)) = (blocked, invocations) {
            let message = format!(
                "{device} supports this matrix of workgroup scope in workgroups of {needed} invocations, not of {}",
                invocations.value
            );
            let mut found = obstacle(message);
            found.defaults.extend(invocations.defaults);
            found.nearest = Some(format!("workgroups of {needed} invocations"));
            return self.report(found);
        }
        let message = format!(
            "{device} has no {}x{} matrix of {} with use {} and this scope",
            shape.rows,
            shape.columns,
            shape.component.name(),
            use_name(shape.usage),
        );
        let alternatives = Some(self.alternatives_of_type(&shape));
        let nearest = self.nearest_type(&shape);
        self.report(Obstacle { alternatives, nearest, ..obstacle(message) });
    }

    /// Shapes of the same component type, use and scope that the device has.
    fn alternatives_of_type(&self, shape: &Shape) -> String {
        let mut shapes: Vec<String> = Vec::new();
        for row in &self.profile.cooperative_matrix_properties {
            if !fits(shape, row.types, true) {
                continue;
            }
            let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
            push_new(&mut shapes, format!("{rows}x{columns}"));
        }
        for row in flexible(self.profile) {
            if !fits(shape, row.types, true) {
                continue;
            }
            let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
            push_new(&mut shapes, format!("multiples of {rows}x{columns}"));
        }
        match shapes.len() {
            0 => "it has none with this component type, use and scope".to_owned(),
            count => {
                let dots = if count > NAMED { ", …" } else { "" };
                shapes.truncate(NAMED);
                format!("it has {}{dots}", shapes.join(", "))
            }
        }
    }

    /// The shape with the smallest change, of the same component type if there is one.
    fn nearest_type(&self, shape: &Shape) -> Option<String> {
        let wanted = [shape.rows, shape.columns];
        let mut best: Option<(Distance, String)> = None;
        let mut offer = |component: Scalar, size: [u32; 2]| {
            let other = component != shape.component;
            let distance = Distance { types: u32::from(other), change: change(&wanted, &size) };
            if best.as_ref().is_none_or(|(known, _)| distance.less(known)) {
                let [rows, columns] = size;
                let of = if other { format!(" of {}", component.name()) } else { String::new() };
                best = Some((distance, format!("{rows}x{columns}{of}")));
            }
        };
        for row in &self.profile.cooperative_matrix_properties {
            if row.types.scope.value() == shape.scope {
                let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
                offer(component_by_use(shape.usage, row.types), [rows, columns]);
            }
        }
        for row in flexible(self.profile) {
            if row.types.scope.value() == shape.scope {
                let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
                let size = [multiple(shape.rows, rows), multiple(shape.columns, columns)];
                offer(component_by_use(shape.usage, row.types), size);
            }
        }
        best.map(|(_, text)| text)
    }

    /// VUID-RuntimeSpirv-OpCooperativeMatrixMulAddKHR-10060, cooperativeMatrixFlexibleDimensions-10166.
    fn mul_add(&mut self, body: &Body, arguments: &[ExprId], range: TextRange, place: Place) {
        let shapes: Vec<Shape> = arguments
            .iter()
            .take(3)
            .filter_map(|&argument| self.shape(self.module.types.as_coopmat(body.exprs[argument].ty)?))
            .collect();
        let [a, b, c] = shapes.as_slice() else { return };
        // What does not fit together is the language's to report.
        if a.columns != b.rows
            || a.rows != c.rows
            || b.columns != c.columns
            || a.scope != c.scope
            || b.scope != c.scope
        {
            return;
        }
        // Its types say it already.
        if a.scope == SCOPE_WORKGROUP
            && self.profile.feature("cooperativeMatrixWorkgroupScope") == Some(false)
        {
            return;
        }
        let saturating = match arguments.get(3).and_then(|&mask| body.exprs[mask].constant.as_ref()) {
            Some(Const::Int(mask)) => mask & SATURATING != 0,
            Some(_) => return,
            None => false,
        };
        let wanted = MulAdd {
            size: [a.rows, b.columns, a.columns],
            components: [a.component, b.component, c.component],
            scope: a.scope,
            saturating,
        };
        let invocations = self.workgroup_invocations();
        let exact = self
            .profile
            .cooperative_matrix_properties
            .iter()
            .any(|row| wanted.fits(&row.types) && [row.m, row.n, row.k] == wanted.size);
        let flexible_fits = flexible(self.profile).iter().any(|row| {
            let sizes = wanted.size.iter().zip([row.m, row.n, row.k]);
            wanted.fits(&row.types)
                && sizes.into_iter().all(|(size, granularity)| *size > 0 && size.is_multiple_of(granularity))
                && (wanted.scope != SCOPE_WORKGROUP
                    || invocations.as_ref().is_none_or(|it| it.value == row.workgroup_invocations))
        });
        if exact || flexible_fits {
            return;
        }
        if !self.rows_are_complete() {
            self.unknown("which multiply-adds it supports");
            return;
        }
        let mut defaults = Vec::new();
        for name in shapes.iter().flat_map(|shape| &shape.defaults) {
            push_new(&mut defaults, name.clone());
        }
        let [m, n, k] = wanted.size;
        let message = format!(
            "{} has no {}multiply-add of M = {m}, N = {n}, K = {k} with A {}, B {}, C {} in this scope",
            self.device(),
            if saturating { "saturating " } else { "" },
            a.component.name(),
            b.component.name(),
            c.component.name(),
        );
        let alternatives = Some(self.alternatives_of_mul_add(&wanted));
        let nearest = self.nearest_mul_add(&wanted, invocations.as_ref());
        self.report(Obstacle {
            code: &codes::DEVICE_MATRIX_MULADD,
            range,
            base: place.base,
            function: place.function,
            message,
            alternatives,
            nearest,
            defaults,
        });
    }

    fn alternatives_of_mul_add(&self, wanted: &MulAdd) -> String {
        let mut supported: Vec<String> = Vec::new();
        for MatrixProperties { m, n, k, types } in &self.profile.cooperative_matrix_properties {
            if wanted.fits(types) {
                push_new(&mut supported, format!("{m}x{n}x{k}"));
            }
        }
        for row in flexible(self.profile) {
            if wanted.fits(&row.types) {
                let workgroup = match row.workgroup_invocations {
                    0 => String::new(),
                    count => format!(" in workgroups of {count}"),
                };
                push_new(&mut supported, format!("multiples of {}x{}x{}{workgroup}", row.m, row.n, row.k));
            }
        }
        if supported.is_empty() {
            let integer = wanted.components[0].is_integer();
            return if integer && wanted.saturating {
                "it has none that saturates with these types".to_owned()
            } else {
                "it has none with these types".to_owned()
            };
        }
        let dots = if supported.len() > NAMED { ", …" } else { "" };
        supported.truncate(NAMED);
        format!("with these types it has (M x N x K) {}{dots}", supported.join(", "))
    }

    /// The multiply-add with the smallest change: as few other types as possible, then the smallest change of M, N and K.
    fn nearest_mul_add(&self, wanted: &MulAdd, invocations: Option<&Value>) -> Option<String> {
        let mut best: Option<(Distance, String)> = None;
        let mut offer = |types: &MatrixTypes, size: [u32; 3], workgroup: u32| {
            if types.scope.value() != wanted.scope {
                return;
            }
            let of_row = [types.a, types.b, types.c, types.result];
            let [a, b, c] = wanted.components;
            let others = of_row.iter().zip([a, b, c, c]).filter(|(row, wanted)| **row != *wanted).count();
            let saturation = u32::from(types.saturating != wanted.saturating);
            let distance =
                Distance { types: others as u32 + saturation, change: change(&wanted.size, &size) };
            if best.as_ref().is_some_and(|(known, _)| !distance.less(known)) {
                return;
            }
            let [m, n, k] = size;
            let mut text = format!("{m}x{n}x{k}");
            if others > 0 {
                let [a, b, c, result] = of_row.map(Scalar::name);
                let result = if c == result { String::new() } else { format!(", result {result}") };
                text.push_str(&format!(" with A {a}, B {b}, C {c}{result}"));
            }
            if saturation > 0 {
                text.push_str(if types.saturating { ", saturating" } else { ", not saturating" });
            }
            if workgroup > 0 && invocations.is_some_and(|it| it.value != workgroup) {
                text.push_str(&format!(" in workgroups of {workgroup}"));
            }
            best = Some((distance, text));
        };
        for row in &self.profile.cooperative_matrix_properties {
            offer(&row.types, [row.m, row.n, row.k], 0);
        }
        // Rows for this size of workgroup come first, so that they win over equal ones.
        let (mine, others): (Vec<&FlexibleDimensions>, Vec<&FlexibleDimensions>) = flexible(self.profile)
            .iter()
            .partition(|row| invocations.is_some_and(|it| it.value == row.workgroup_invocations));
        for row in mine.into_iter().chain(others) {
            let [m, n, k] = wanted.size;
            let size = [multiple(m, row.m), multiple(n, row.n), multiple(k, row.k)];
            offer(&row.types, size, row.workgroup_invocations);
        }
        best.map(|(_, text)| text)
    }

    /// VUID-RuntimeSpirv-NSize-12352 and KSize-12353.
    fn sub_array(&mut self, body: &Body, arguments: &[ExprId], place: Place) {
        let &[source, _, target, ..] = arguments else { return };
        let sizes = |size: fn(&MatrixProperties) -> u32| {
            let mut sizes: Vec<u32> = self.profile.cooperative_matrix_properties.iter().map(size).collect();
            sizes.sort_unstable();
            sizes.dedup();
            sizes
        };
        for (argument, sizes, name, vuid) in [
            (source, sizes(|row| row.n), "source", "NSize"),
            (target, sizes(|row| row.k), "destination", "KSize"),
        ] {
            let expr = &body.exprs[argument];
            let TypeKind::Array(_, ArrayLength::Sized(length)) = self.module.types.kind(expr.ty) else {
                continue;
            };
            let Some(length) = self.value(*length) else { continue };
            if sizes.contains(&length.value) {
                continue;
            }
            if !self.profile.knows(List::CooperativeMatrixProperties) {
                self.unknown("which lengths of arrays its sub-arrays may have");
                continue;
            }
            let known: Vec<String> = sizes.iter().map(u32::to_string).collect();
            let message = format!(
                "the {name} has {} elements, which is not a {vuid} of {}",
                length.value,
                self.device(),
            );
            let alternatives = format!(
                "expected {}",
                if known.is_empty() { "none, as it lists no matrices".to_owned() } else { known.join(", ") }
            );
            let nearest = sizes.iter().min_by_key(|size| size.abs_diff(length.value));
            let nearest = nearest.map(|size| format!("{size} elements"));
            self.report(Obstacle {
                code: &codes::QCOM_SUBARRAY_DEVICE,
                range: expr.range,
                base: place.base,
                function: place.function,
                message,
                alternatives: Some(alternatives),
                nearest,
                defaults: length.defaults,
            });
        }
    }
}

impl MulAdd {
    /// Whether a row is of these types, and saturates as asked.
    fn fits(&self, row: &MatrixTypes) -> bool {
        let [a, b, c] = self.components;
        (row.a, row.b, row.c, row.result) == (a, b, c, c)
            && row.saturating == self.saturating
            && row.scope.value() == self.scope
    }
}

/// How far a supported combination is from what is wanted: other types weigh more than any change of size.
#[derive(Clone, Copy, Debug)]
struct Distance {
    types: u32,
    /// The sum over all dimensions of the binary logarithm of the ratio, so that halving and doubling weigh the same.
    change: f64,
}

impl Distance {
    fn less(&self, other: &Distance) -> bool {
        // Sums of equal changes in another order may differ in the last bits.
        const SAME: f64 = 1e-9;
        self.types < other.types || (self.types == other.types && self.change + SAME < other.change)
    }
}

fn change(wanted: &[u32], size: &[u32]) -> f64 {
    let ratio = |(wanted, size): (&u32, &u32)| {
        (libm::log2(f64::from(*wanted).max(0.5)) - libm::log2(f64::from(*size).max(0.5))).abs()
    };
    wanted.iter().zip(size).map(ratio).sum()
}

/// The multiple of a granularity that is nearest to a size, the larger one of two; never zero.
fn multiple(size: u32, granularity: u32) -> u32 {
    let granularity = granularity.max(1);
    let below = size / granularity * granularity;
    let above = below.saturating_add(granularity);
    if below > 0 && size - below < above - size { below } else { above }
}

fn flexible(profile: &DeviceProfile) -> &[FlexibleDimensions] {
    if profile.feature("cooperativeMatrixFlexibleDimensions") == Some(false) {
        &[]
    } else {
        &profile.cooperative_matrix_flexible_dimensions_properties
    }
}

/// Rows and columns of the matrix of a use in a multiply-add.
fn by_use(usage: i64, m: u32, n: u32, k: u32) -> (u32, u32) {
    match usage {
        USE_A => (m, k),
        USE_B => (k, n),
        _ => (m, n),
    }
}

fn component_by_use(usage: i64, types: MatrixTypes) -> Scalar {
    match usage {
        USE_A => types.a,
        USE_B => types.b,
        _ => types.c,
    }
}

fn use_name(usage: i64) -> &'static str {
    match usage {
        USE_A => "A",
        USE_B => "B",
        _ => "Accumulator",
    }
}

fn exact_size(shape: &Shape, row: &MatrixProperties) -> bool {
    by_use(shape.usage, row.m, row.n, row.k) == (shape.rows, shape.columns)
}

fn flexible_size(shape: &Shape, row: &FlexibleDimensions) -> bool {
    let (rows, columns) = by_use(shape.usage, row.m, row.n, row.k);
    shape.rows > 0
        && shape.columns > 0
        && shape.rows.is_multiple_of(rows)
        && shape.columns.is_multiple_of(columns)
}

/// Whether a row's component type for the use, and its scope, are those of a matrix.
fn fits(shape: &Shape, types: MatrixTypes, size: bool) -> bool {
    let component = match shape.usage {
        USE_A => types.a == shape.component,
        USE_B => types.b == shape.component,
        _ => types.c == shape.component || types.result == shape.component,
    };
    size && component && types.scope.value() == shape.scope
}

#[cfg(test)]
mod tests {
    use super::multiple;

    #[test]
    fn the_nearest_multiple_is_never_zero() {
        let cases = [(17, 16), (4, 16), (24, 16), (25, 16), (16, 16), (0, 8), (7, 0)];
        assert_eq!(cases.map(|(size, granularity)| multiple(size, granularity)), [16, 16, 32, 32, 16, 8, 7]);
    }
}
