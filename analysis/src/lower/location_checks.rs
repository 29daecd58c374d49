//! Which locations overlap, and which variables calls name by their locations (GLSL 4.60, section 4.4.1; GL_EXT_ray_tracing, 8.19).

use smol_str::SmolStr;

use crate::diagnostics::{Severity, codes};
use crate::extensions::{self, ids};
use crate::hir::{Callee, Const, ExprKind, Global, Item, Layout, Place, Storage};
use crate::locations::{count, fixed_count, is_per_vertex, of_one_view};
use crate::stage::Stage;
use crate::text::TextRange;
use crate::types::{ArrayLength, Scalar, Ty, TypeKind};

use super::Lowerer;

/// More inputs and outputs than this, or more members of a block, are not looked at.
const MOST: usize = 512;

/// What has locations of its own: each class counts for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Input,
    Output,
    Payload,
    Callable,
    HitAttribute,
    Attachment,
}

impl Class {
    fn of(storage: Storage, layout: &Layout) -> Option<Class> {
        const DATA: [(&str, Class); 11] = [
            ("rayPayloadEXT", Class::Payload),
            ("rayPayloadInEXT", Class::Payload),
            ("rayPayloadNV", Class::Payload),
            ("rayPayloadInNV", Class::Payload),
            ("callableDataEXT", Class::Callable),
            ("callableDataInEXT", Class::Callable),
            ("callableDataNV", Class::Callable),
            ("callableDataInNV", Class::Callable),
            ("hitObjectAttributeEXT", Class::HitAttribute),
            ("hitObjectAttributeNV", Class::HitAttribute),
            ("tileImageEXT", Class::Attachment),
        ];
        match storage {
            Storage::In => Some(Class::Input),
            Storage::Out => Some(Class::Output),
            Storage::Other => {
                let has = |word: &str| layout.interface.iter().any(|known| known == word);
                DATA.into_iter().find(|(word, _)| has(word)).map(|(_, class)| class)
            }
            _ => None,
        }
    }

    /// What a call names by a parameter of this name.
    fn of_parameter(name: &str) -> Option<Class> {
        match name {
            "payload" => Some(Class::Payload),
            "callable" => Some(Class::Callable),
            "attributeLocation" => Some(Class::HitAttribute),
            _ => None,
        }
    }

    /// What a variable of the class is declared with.
    fn word(self) -> &'static str {
        match self {
            Class::Input => "in",
            Class::Output => "out",
            Class::Payload => "rayPayloadEXT",
            Class::Callable => "callableDataEXT",
            Class::HitAttribute => "hitObjectAttributeEXT",
            Class::Attachment => "tileImageEXT",
        }
    }

    /// Inputs and outputs take as many as their type has parts; all else takes one, whatever its type.
    fn is_of_parts(self) -> bool {
        matches!(self, Class::Input | Class::Output)
    }
}

/// A variable, or a member of a block, that has a location.
struct Part<'m> {
    global: &'m Global,
    name: &'m SmolStr,
    range: TextRange,
    /// Without the dimension over vertices.
    ty: Ty,
    class: Class,
    first: u32,
    /// Its own, and that of its block.
    layouts: [&'m Layout; 2],
}

/// The locations of a part.
#[derive(Clone)]
struct Taken {
    name: SmolStr,
    range: TextRange,
    class: Class,
    first: u32,
    /// One past the last.
    end: u32,
    /// Whether there are no more, whatever is specialized.
    is_end_known: bool,
    /// The components of each location that are known to be taken, the second one past the last; those of the last location where they are others.
    components: (u32, u32),
    last_components: (u32, u32),
    /// `index` and `stream`: with others, locations are others.
    beside: [i64; 2],
    /// Of numbers and vectors of them, and arrays of these.
    component: Option<Scalar>,
    /// `flat`, `centroid` and their like.
    qualification: String,
}

impl Taken {
    /// The same of another element of an array of blocks.
    fn moved(&self, by: u32) -> Taken {
        let (first, end) = (self.first.saturating_add(by), self.end.saturating_add(by));
        Taken { first, end, ..self.clone() }
    }

    fn components_at(&self, location: u32) -> (u32, u32) {
        if location.saturating_add(1) == self.end { self.last_components } else { self.components }
    }

    fn shares_location(&self, other: &Taken) -> bool {
        self.class == other.class
            && self.beside == other.beside
            && self.first < other.end
            && other.first < self.end
            // A declaration that is repeated is no other variable.
            && self.name != other.name
    }

    /// The first location of which both have a component.
    fn overlap(&self, other: &Taken) -> Option<u32> {
        let (first, end) = (self.first.max(other.first), self.end.min(other.end));
        // All locations but the last one are alike.
        [first, end.saturating_sub(1)].into_iter().find(|&location| {
            let (a, b) = (self.components_at(location), other.components_at(location));
            location >= first && location < end && a.0 < b.1 && b.0 < a.1
        })
    }

    /// Why the two cannot share a location.
    fn difference(&self, earlier: &Taken) -> Option<String> {
        let (a, b) = (earlier.component?, self.component?);
        if a.is_float() != b.is_float() || a.bits() != b.bits() {
            return Some(format!(
                "has components of `{}`: in one location all have the same width, and are all floating-point or all integers",
                a.name()
            ));
        }
        (earlier.qualification != self.qualification)
            .then(|| format!("is `{}`, while this is `{}`", earlier.qualification, self.qualification))
    }
}

/// How many locations are counted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Count {
    /// Those that are taken for every compiler and whatever is specialized.
    Least,
    /// Those of Vulkan, with the defaults of specialization constants.
    Vulkan,
}

fn overlap_message(later: &Taken, earlier: &Taken, location: u32, count: Count) -> String {
    let (name, other) = (&later.name, &earlier.name);
    let message = format!("`{name}` overlaps `{other}` at location {location}");
    let condition = match count {
        Count::Least => "",
        Count::Vulkan if earlier.is_end_known => " in Vulkan",
        Count::Vulkan => " by default",
    };
    match earlier.end - earlier.first {
        0 | 1 => format!("{message}{condition}"),
        _ => {
            format!(
                "{message}: `{other}` takes locations {} to {}{condition}",
                earlier.first,
                earlier.end - 1
            )
        }
    }
}

impl Lowerer<'_> {
    /// Of a whole shader.
    pub(super) fn check_locations(&mut self) {
        let Some(stage) = self.module.stage else { return };
        let taken = self.taken(stage, Count::Least);
        if !self.check_overlaps(&taken, Count::Least) {
            let of_vulkan = self.taken(stage, Count::Vulkan);
            self.check_overlaps(&of_vulkan, Count::Vulkan);
        }
        self.check_attachments(&taken);
        self.check_named_locations(&taken);
    }

    /// What has a location, in the order of the text.
    fn taken(&self, stage: Stage, counted: Count) -> Vec<Taken> {
        let mut taken = Vec::new();
        for item in &self.module.items {
            let Item::Global(id) = *item else { continue };
            let global = &self.module.globals[id];
            let layout = &global.layout;
            let Some(class) = Class::of(global.storage, layout) else { continue };
            if class.is_of_parts() && taken.len() >= MOST {
                continue;
            }
            let is_decorated = !layout.spirv_decorations.is_empty();
            if extensions::is_reserved(&global.name) || is_decorated || self.types.is_error(global.ty) {
                continue;
            }
            let mut ty = global.ty;
            if let TypeKind::Array(element, _) = *self.types.kind(ty)
                && is_per_vertex(stage, global.storage, layout)
            {
                ty = element;
            }
            let mut block = ty;
            let mut elements: u32 = 1;
            let mut are_elements_known = true;
            while let TypeKind::Array(element, length) = *self.types.kind(block) {
                block = element;
                let (fixed, default) = match length {
                    ArrayLength::Sized(length) => {
                        (self.types.symbols.as_int(length), self.types.symbols.default_value(length))
                    }
                    ArrayLength::Unsized => (Some(1), None),
                };
                are_elements_known &= fixed.is_some();
                let number = fixed.or(default.filter(|_| counted == Count::Vulkan));
                let number = number.and_then(|number| u32::try_from(number).ok()).unwrap_or(1);
                elements = elements.saturating_mul(number);
            }
            let members = match *self.types.kind(block) {
                TypeKind::Struct(structure) if !self.module.structs[structure].is_type() => {
                    Some(&self.module.structs[structure].members)
                }
                _ => None,
            };
            let Some(members) = members.filter(|_| class.is_of_parts()) else {
                let Some(first) = layout.location else { continue };
                // A block need not have a name of its own.
                let of_block = match *self.types.kind(block) {
                    TypeKind::Struct(structure) if global.name.is_empty() => {
                        &self.module.structs[structure].name
                    }
                    _ => &global.name,
                };
                let (name, range, layouts) = (of_block, global.name_range, [layout, layout]);
                let ty = of_one_view(&self.types, ty, &layouts);
                taken.push(self.taken_by(
                    &Part { global, name, range, ty, class, first, layouts },
                    stage,
                    counted,
                ));
                continue;
            };
            let mut next = layout.location;
            let of_first = taken.len();
            for member in members.iter().take(MOST) {
                next = member.layout.location.or(next);
                let Some(first) = next else { continue };
                let (name, range, layouts) = (&member.name, member.name_range, [&member.layout, layout]);
                let ty = of_one_view(&self.types, member.ty, &layouts);
                let found =
                    self.taken_by(&Part { global, name, range, ty, class, first, layouts }, stage, counted);
                next = Some(found.end).filter(|_| found.is_end_known || counted == Count::Vulkan);
                if !extensions::is_reserved(name) && member.layout.spirv_decorations.is_empty() {
                    taken.push(found);
                }
            }
            // Elements follow each other. Where members have locations, those of other elements are not said.
            let (Some(start), Some(end)) = (layout.location, next) else { continue };
            if members.iter().any(|member| member.layout.location.is_some()) {
                continue;
            }
            let one = taken[of_first..].to_vec();
            for element in 1..elements.min(MOST as u32) {
                let by = end.saturating_sub(start).saturating_mul(element);
                taken.extend(one.iter().map(|part| {
                    let moved = part.moved(by);
                    Taken { is_end_known: moved.is_end_known && are_elements_known, ..moved }
                }));
                if taken.len() >= MOST {
                    break;
                }
            }
        }
        taken
    }

    fn taken_by(&self, part: &Part<'_>, stage: Stage, counted: Count) -> Taken {
        let number = |name: &str| {
            let mut all = part.layouts.iter().flat_map(|layout| &layout.other);
            all.find(|(known, _)| known == name).and_then(|(_, value)| *value)
        };
        let mut element = part.ty;
        while let TypeKind::Array(inner, _) = *self.types.kind(element) {
            element = inner;
        }
        let structs = &self.module.structs;
        // An attachment takes one, and an array of them as many as it has elements.
        let fixed = match part.class.is_of_parts() || part.class == Class::Attachment {
            true => fixed_count(&self.types, structs, part.ty),
            false => Some(1),
        };
        let mut size = match (fixed, counted) {
            (Some(size), _) => size.max(1),
            (None, Count::Vulkan) => count(&self.types, structs, part.ty).max(1),
            (None, Count::Least) => 1,
        };
        let start = number("component").and_then(|component| u32::try_from(component).ok()).unwrap_or(0);
        let vector = match *self.types.kind(element) {
            TypeKind::Scalar(scalar) => Some((scalar, 1)),
            TypeKind::Vector(scalar, length) => Some((scalar, u32::from(length))),
            TypeKind::Opaque(attachment) => Some((attachment.component, 4)),
            _ => None,
        };
        let needed = vector.map(|(scalar, length)| length * if scalar.bits() == 64 { 2 } else { 1 });
        // Of attributes of vertices, compilers take one location for each vector, also where Vulkan takes two.
        let is_attribute = stage == Stage::Vertex && part.class == Class::Input && counted == Count::Least;
        let is_wide = match *self.types.kind(element) {
            TypeKind::Matrix { component, rows, .. } => component.bits() == 64 && rows > 2,
            _ => needed.is_some_and(|needed| needed > 4),
        };
        if is_attribute && is_wide {
            size = (size / 2).max(1);
        }
        let (components, last_components) = match needed {
            _ if !part.class.is_of_parts() => ((0, 4), (0, 4)),
            Some(5..) if is_attribute => ((0, 4), (0, 4)),
            // The second location of each element is not full.
            Some(needed @ 5..) if element != part.ty => ((0, needed - 4), (0, needed - 4)),
            Some(needed @ 5..) => ((0, 4), (0, needed - 4)),
            Some(needed) => ((start, start.saturating_add(needed)), (start, start.saturating_add(needed))),
            // Matrices and structures have the first component of each location at least.
            None => ((0, 1), (0, 1)),
        };
        let stream = || number("stream").or_else(|| self.default_stream(part.global)).unwrap_or(0);
        let is_output = part.class == Class::Output;
        Taken {
            name: part.name.clone(),
            range: part.range,
            class: part.class,
            first: part.first,
            end: part.first.saturating_add(size),
            is_end_known: fixed.is_some(),
            components,
            last_components,
            beside: if is_output { [number("index").unwrap_or(0), stream()] } else { [0, 0] },
            component: vector.map(|(scalar, _)| scalar),
            qualification: qualification(&part.layouts),
        }
    }

    /// `layout(stream = 1) out;` is for what follows.
    fn default_stream(&self, global: &Global) -> Option<i64> {
        let mut before = self
            .module
            .default_layouts
            .iter()
            .rev()
            .filter(|layout| layout.name == "stream" && layout.range.start() < global.range.start());
        before.next().and_then(|layout| layout.value).map(i64::from)
    }

    /// GLSL 4.60, section 4.4.1: no two variables have the same component of a location, and those that share a location have components of one kind, and
    /// the same interpolation. Whether some do not keep to that.
    fn check_overlaps(&mut self, taken: &[Taken], counted: Count) -> bool {
        let mut any = false;
        for (index, later) in taken.iter().enumerate().take(2 * MOST) {
            let sharing = || taken[..index].iter().filter(|earlier| earlier.shares_location(later));
            let overlapping = sharing().find_map(|earlier| Some((earlier, later.overlap(earlier)?)));
            let (earlier, message) = if let Some((earlier, location)) = overlapping {
                (earlier, overlap_message(later, earlier, location, counted))
            } else if let Some((earlier, difference)) =
                sharing().find_map(|earlier| Some((earlier, later.difference(earlier)?)))
            {
                let (location, other) = (later.first.max(earlier.first), &earlier.name);
                let message =
                    format!("`{}` shares location {location} with `{other}`, which {difference}", later.name);
                (earlier, message)
            } else {
                continue;
            };
            any = true;
            let severity = match counted {
                Count::Least => Severity::Error,
                Count::Vulkan if earlier.is_end_known && later.is_end_known => Severity::Warning,
                Count::Vulkan => Severity::Hint,
            };
            let related = vec![(Place::Here(earlier.range), format!("`{}` is declared here", earlier.name))];
            self.report_as(&codes::LOCATION_OVERLAP, severity, later.range, message, related);
        }
        any
    }

    /// GL_EXT_shader_tile_image, 4.4.1: an attachment and an output of the same location have components of one kind.
    fn check_attachments(&mut self, taken: &[Taken]) {
        for later in taken.iter().take(2 * MOST) {
            let pairs = |earlier: &&Taken| {
                [earlier.class, later.class].contains(&Class::Attachment)
                    && [earlier.class, later.class].contains(&Class::Output)
                    && earlier.range.start() < later.range.start()
                    && earlier.first < later.end
                    && later.first < earlier.end
                    && earlier.beside == later.beside
            };
            let differs = taken.iter().filter(pairs).find_map(|earlier| {
                let (a, b) = (earlier.component?, later.component?);
                (a.class() != b.class()).then_some((earlier, a, b))
            });
            let Some((earlier, a, b)) = differs else { continue };
            let location = later.first.max(earlier.first);
            let message = format!(
                "`{}` shares location {location} with `{}`, which has components of `{}`: here they are of `{}`",
                later.name,
                earlier.name,
                a.name(),
                b.name()
            );
            let related = vec![(Place::Here(earlier.range), format!("`{}` is declared here", earlier.name))];
            self.report_as(&codes::LOCATION_OVERLAP, Severity::Error, later.range, message, related);
        }
    }

    /// GL_EXT_ray_tracing: calls name payloads and data of callable shaders by their locations.
    fn check_named_locations(&mut self, taken: &[Taken]) {
        // Variables may be declared in other ways.
        if self.environment.named(ids::GL_EXT_SPIRV_INTRINSICS) {
            return;
        }
        let mut found = Vec::new();
        for (_, function) in self.module.functions.iter() {
            let Some(body) = &function.body else { continue };
            for (_, expr) in body.exprs.iter() {
                let ExprKind::Call { callee: Callee::Builtin(id), arguments } = &expr.kind else { continue };
                let callee = extensions::function(*id);
                // To the older functions it is a number, which need not be that of a variable.
                if callee.is_provided_by(ids::GL_NV_RAY_TRACING) {
                    continue;
                }
                for (parameter, &argument) in callee.parameters.iter().zip(arguments) {
                    let class = Class::of_parameter(parameter.name).filter(|_| parameter.constant);
                    let argument = &body.exprs[argument];
                    let location = argument.constant.as_ref().and_then(Const::as_int);
                    let (Some(class), Some(location)) = (class, location) else { continue };
                    let is_it = |known: &Taken| known.class == class && i128::from(known.first) == location;
                    if taken.iter().any(is_it) || self.has_unknown_location(class) {
                        continue;
                    }
                    let message = format!(
                        "`{}` takes the variable at location {location}, but no `layout(location = {location}) {}` variable is declared",
                        callee.name,
                        class.word()
                    );
                    found.push((argument.range + function.range.start(), message));
                }
            }
        }
        for (range, message) in found {
            self.report(&codes::PAYLOAD_LOCATION, range, message);
        }
    }

    /// Whether the location of a variable of the class was not understood.
    fn has_unknown_location(&self, class: Class) -> bool {
        self.module.globals.iter().any(|(_, global)| {
            Class::of(global.storage, &global.layout) == Some(class)
                && (global.layout.location.is_none() || self.types.is_error(global.ty))
        })
    }
}

/// Interpolation and auxiliary storage of a part, which its block may have as well.
fn qualification(layouts: &[&Layout; 2]) -> String {
    let has = |word: &&str| layouts.iter().any(|layout| layout.interface.iter().any(|known| known == word));
    let interpolation = ["flat", "noperspective"].into_iter().find(has).unwrap_or("smooth");
    match ["centroid", "sample", "patch"].into_iter().find(has) {
        Some(auxiliary) => format!("{auxiliary} {interpolation}"),
        None => interpolation.to_owned(),
    }
}
