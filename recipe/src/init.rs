//! A first recipe for a shader: what its interface asks for, and what its loads and stores of matrices say.
//!
//! [`init`] tries what it has found in one run, and says in comments of the recipe what it could not find out.

mod interface;
mod live;
mod product;
mod text;
mod tolerance;
mod trial;
mod values;

use std::collections::BTreeMap;

use coopmat_simulator::program::types::TypeId;
use coopmat_simulator::{Binding, Program, ProgramOptions};
use coopmat_spirv::Values as Specialization;
use coopmat_spirv::dr::{self, Operand};
use coopmat_spirv::spirv::{Decoration, Op, Word};

use self::interface::{Member, members};
use self::product::{Packing, Placed, Product, Share, Size, Workgroups};
use self::trial::Use;
use self::values::{Base, Path, Values};
use crate::blocks::{BlockFormat, UNSUPPORTED};
use crate::component::Component;
use crate::model::{
    Buffer, Compute, ElementType, Expectation, FieldValue, Fields, Layout, Matmul, Number, Recipe,
};

use crate::plan::Module;

pub use self::interface::derived;

/// Tries of a recipe, each with what the one before taught.
const TRIES: usize = 4;

/// Elements between rows of matrices of which nothing else is known.
const STRIDE: i64 = 64;

/// A recipe, and what is said about it in comments.
#[derive(Clone, Debug, Default)]
struct Draft {
    recipe: Recipe,
    /// What is not known of the whole.
    unknown: Vec<String>,
    /// What is not known of a buffer, by its name.
    of_buffer: BTreeMap<String, Vec<String>>,
    /// Members of the push constants of which nothing is known.
    guessed: Vec<String>,
    /// Why the expectation may not hold: it is written as a comment then.
    doubt: Option<String>,
    /// How the tolerance comes about.
    tolerance: Option<String>,
}

/// The text of a first recipe for the shader of a file, as it is under a configuration. One that has no name of its own is not recorded. The recipe
/// gives specialization constants the values that somebody chose; of the others it names the defaults.
pub fn init(module: &Module<'_>, program: &Program, shader: &str, configuration: &str) -> String {
    let draft = draft(module, program);
    text::written(&draft, program, shader, configuration)
}

/// The recipe for a module with its values.
fn draft(given: &Module<'_>, program: &Program) -> Draft {
    let module = given.module;
    let constants = &program.interface().specialization;
    let id = |name: &str| {
        let found = constants.iter().find(|it| it.name.as_deref() == Some(name) || it.id.to_string() == name);
        found.map(|constant| constant.id)
    };
    let known = |(name, _): &&(String, String)| id(name).is_some();
    let mut chosen: Vec<(String, String)> = given.chosen.iter().filter(known).cloned().collect();
    // The size of a workgroup has a constant of its own, whose default may be another one than that of the shader's constant with this id.
    for constant in constants {
        let Some(name) = &constant.name else { continue };
        let differs = constants.iter().any(|it| it.id == constant.id && it.default != constant.default);
        let mut values = given.configured.iter().chain(&chosen);
        if differs && !values.any(|(name, _)| id(name) == Some(constant.id)) {
            chosen.push((name.clone(), text::default(program, constant)));
        }
    }
    let chosen = chosen.as_slice();
    let both = given.configured.iter().chain(chosen);
    let both = both.filter_map(|(name, value)| Some((id(name)?, value.as_str())));
    let mut values = Specialization::parse(module, both).unwrap_or_default();
    values.defaults = true;
    let bits = values.given.clone();
    let specialized = coopmat_spirv::specialize(module.clone(), &values).map(|it| it.module);
    let specialized = specialized.as_ref().unwrap_or(module);
    let options = ProgramOptions { entry: None, specialization: &bits, debug: false };
    let with_values = Program::new(module, &options).ok();
    let program = with_values.as_ref().unwrap_or(program);

    let interface = program.interface();
    let (size, subgroup) = (interface.workgroup_size, interface.subgroup_size.unwrap_or(32));
    let live = live::live(specialized, size, subgroup);
    let specialized = &live;
    let values = Values::new(specialized, size, subgroup);
    let found = product(specialized, program, &values);
    let strides: Vec<String> = {
        let paths = product::strides(specialized, &values);
        members(program).into_iter().filter(|it| paths.contains(&it.path)).map(|it| it.name).collect()
    };
    let mut sizes = found.as_ref().map(|product| product.sizes.clone()).unwrap_or_default();
    for _ in 0..TRIES {
        let Ok(product) = &found else { break };
        let mut draft = match with_product(specialized, program, product, &sizes, chosen) {
            Ok(draft) => draft,
            Err(reason) => return without_product(given, program, &strides, Some(reason), chosen),
        };
        let Some(tried) = trial::run(&draft.recipe, given) else {
            return without_product(
                given,
                program,
                &strides,
                Some("a first run does not begin".to_owned()),
                chosen,
            );
        };
        // Rows that no workgroup more would add.
        let beyond = |placed: &Placed| {
            let (name, _) = named(&draft.recipe, specialized, &placed.base)?;
            let used = tried.uses.get(name)?;
            Some((used.end > used.bytes).then_some(used.end))
        };
        let d = beyond(&product.d).flatten();
        let outer = if product.d.row_major { Size::M } else { Size::N };
        let fixed = product.dispatch.iter().flatten().any(|it| match it {
            Workgroups::Share(share) => share.size == outer,
            Workgroups::Tiles(..) => true,
        });
        let inner = if product.d.row_major { Size::N } else { Size::M };
        if let (Some(end), false) = (d, fixed)
            && let (Some(length), Some(size)) =
                (sizes.get(&inner), component(specialized, product.d.component))
        {
            let line = length.max(&product.d.stride.unwrap_or(0)).saturating_mul(size.size() as i64);
            let lines = (end as i64).saturating_add(line - 1) / line.max(1);
            if sizes.get(&outer) != Some(&lines) {
                sizes.insert(outer, lines);
                continue;
            }
        }
        let outside: Vec<&str> = [Some(&product.a), Some(&product.b), product.c.as_ref(), Some(&product.d)]
            .into_iter()
            .flatten()
            .filter(|placed| beyond(placed).flatten().is_some())
            .filter_map(|placed| named(&draft.recipe, specialized, &placed.base).map(|(name, _)| name))
            .collect();
        if let Some(name) = outside.first() {
            let reason = format!(
                "a product of {} would not fit `{name}`, which is accessed beyond that",
                shown(&sizes)
            );
            return without_product(given, program, &strides, Some(reason), chosen);
        }
        let known: Vec<String> = [Some(&product.a), Some(&product.b), product.c.as_ref(), Some(&product.d)]
            .into_iter()
            .flatten()
            .filter_map(|placed| {
                named(&draft.recipe, specialized, &placed.base).map(|(name, _)| name.to_owned())
            })
            .collect();
        fit(&mut draft, &tried, &known);
        return draft;
    }
    // What multiplies nothing has no product to be found.
    let reason = found.err().filter(|_| product::multiplies(module).next().is_some());
    without_product(given, program, &strides, reason, chosen)
}

fn shown(sizes: &BTreeMap<Size, i64>) -> String {
    let each: Vec<String> = sizes.iter().map(|(size, value)| format!("{} = {value}", size.name())).collect();
    each.join(", ")
}

/// The interface, with buffers as long as a run needs them.
fn without_product(
    module: &Module<'_>,
    program: &Program,
    strides: &[String],
    reason: Option<String>,
    chosen: &[(String, String)],
) -> Draft {
    let (recipe, of_buffer) = interface::described(program);
    let mut draft = Draft { recipe, of_buffer, unknown: reason.into_iter().collect(), ..Draft::default() };
    draft.recipe.specialization = specialization(chosen);
    draft.guessed = members(program).into_iter().map(|member| member.name).collect();
    draft.guessed.dedup();
    if let Some(Fields::Named(fields)) = &mut draft.recipe.push_constants {
        for (_, value) in fields.iter_mut().filter(|(name, _)| strides.contains(name)) {
            *value = FieldValue::One(Number::Integer(STRIDE));
        }
    }
    // Longer buffers may change what a shader does with them.
    for _ in 0..2 {
        let Some(tried) = trial::run(&draft.recipe, module) else { break };
        fit(&mut draft, &tried, &[]);
    }
    draft
}

fn specialization(chosen: &[(String, String)]) -> BTreeMap<String, Number> {
    let number = |value: &str| match value {
        "true" => Number::Integer(1),
        "false" => Number::Integer(0),
        other => match (other.parse(), other.parse()) {
            (Ok(integer), _) => Number::Integer(integer),
            (_, Ok(float)) => Number::Float(float),
            _ => Number::Formula(other.to_owned()),
        },
    };
    chosen.iter().map(|(name, value)| (name.clone(), number(value))).collect()
}

/// The product that the module computes.
fn product(module: &dr::Module, program: &Program, values: &Values<'_>) -> Result<Product, String> {
    let integers: Vec<(Path, String)> = members(program)
        .into_iter()
        .filter(|member| member.component.is_some_and(Component::is_integer))
        .map(|member| (member.path, member.name))
        .collect();
    let packing = |base: &Base| {
        let (elements, bytes) = element_behind(module, program, base)?.piece();
        Some(Packing { bytes: i64::try_from(bytes).ok()?, elements: i64::try_from(elements).ok()? })
    };
    product::find(module, values, &integers, &packing)
}

/// Set and binding of a variable.
fn descriptor(module: &dr::Module, variable: Word) -> Option<(u32, u32)> {
    let decorated = |wanted: Decoration| {
        module.annotations.iter().find_map(|it| match (it.class.opcode, it.operands.as_slice()) {
            (
                Op::Decorate,
                [Operand::IdRef(id), Operand::Decoration(found), Operand::LiteralBit32(value)],
            ) if *id == variable && *found == wanted => Some(*value),
            _ => None,
        })
    };
    Some((decorated(Decoration::DescriptorSet).unwrap_or(0), decorated(Decoration::Binding)?))
}

fn binding<'p>(module: &dr::Module, program: &'p Program, variable: Word) -> Option<&'p Binding> {
    let at = descriptor(module, variable)?;
    // Several variables may have one descriptor, each with a type of its own.
    let variables = module.types_global_values.iter().filter(|it| it.class.opcode == Op::Variable);
    let mut same = variables.filter_map(|it| it.result_id).filter(|it| descriptor(module, *it) == Some(at));
    let index = same.position(|it| it == variable)?;
    let bindings = program.interface().bindings.iter().filter(|it| (it.set, it.binding) == at);
    let bindings: Vec<&Binding> = bindings.collect();
    bindings.get(index).or_else(|| bindings.first()).copied()
}

/// What the elements of a buffer are. Of formats whose blocks are as long the one that the declaration's name has, and nothing if that is a type of
/// ggml that recipes do not support.
fn element_behind(module: &dr::Module, program: &Program, base: &Base) -> Option<ElementType> {
    let element = interface::element_of(program.types(), type_behind(module, program, base)?)?;
    let (ElementType::Block(found), Base::Variable(variable)) = (element, base) else { return Some(element) };
    if let Some(named) = named_format(module, *variable, found) {
        return Some(ElementType::Block(named));
    }
    let name = name_of_elements(module, *variable).unwrap_or_default();
    let unsupported = UNSUPPORTED.iter().any(|(other, _)| name.contains(&other.to_ascii_lowercase()));
    (!unsupported).then_some(element)
}

/// The format in the name of the structure that a buffer is an array of: `block_iq4_nl_packed16`.
fn named_format(module: &dr::Module, variable: Word, like: BlockFormat) -> Option<BlockFormat> {
    let name = name_of_elements(module, variable)?;
    let fitting = BlockFormat::ALL.into_iter().filter(|format| format.bytes() == like.bytes());
    fitting.into_iter().find(|format| name.contains(&format.name().to_ascii_lowercase()))
}

/// The name of the structure that a buffer is an array of, in lower case.
fn name_of_elements(module: &dr::Module, variable: Word) -> Option<String> {
    let declared = |id: Word| module.types_global_values.iter().find(|it| it.result_id == Some(id));
    let pointer = declared(declared(variable)?.result_type?)?;
    let array = declared(values::id(declared(values::id(pointer.operands.get(1))?)?.operands.first())?)?;
    let structure = values::id(array.operands.first())?;
    module.debug_names.iter().find_map(|it| match it.operands.as_slice() {
        [Operand::IdRef(id), Operand::LiteralString(name)] if *id == structure => {
            Some(name.to_ascii_lowercase())
        }
        _ => None,
    })
}

fn type_behind(module: &dr::Module, program: &Program, base: &Base) -> Option<TypeId> {
    match base {
        Base::Variable(variable) => binding(module, program, *variable).map(|binding| binding.type_),
        Base::Behind(path) => members(program).into_iter().find(|member| member.path == *path)?.behind,
    }
}

/// The recipe's buffer for a base: its name and its place.
fn named<'r>(recipe: &'r Recipe, module: &dr::Module, base: &Base) -> Option<(&'r str, usize)> {
    let at = match base {
        Base::Variable(variable) => {
            let (set, number) = descriptor(module, *variable)?;
            recipe.buffers.iter().position(|it| (it.set, it.binding) == (Some(set), Some(number)))
        }
        Base::Behind(path) => {
            let name = interface::behind(path);
            recipe.buffers.iter().position(|it| it.binding.is_none() && it.name.ends_with(&name))
        }
    }?;
    Some((&recipe.buffers[at].name, at))
}

/// The component that a scalar type of the module is.
fn component(module: &dr::Module, type_: Word) -> Option<Component> {
    let declared = module.types_global_values.iter().find(|it| it.result_id == Some(type_))?;
    let scalar = coopmat_spirv::scalar::Scalar::of_type(declared)?;
    use coopmat_spirv::scalar::{Float, Scalar};
    Some(match scalar {
        Scalar::Bool => return None,
        Scalar::Int { bits, signed } => match (bits, signed) {
            (8, true) => Component::S8,
            (8, false) => Component::U8,
            (16, true) => Component::S16,
            (16, false) => Component::U16,
            (32, true) => Component::S32,
            (32, false) => Component::U32,
            (64, true) => Component::S64,
            (64, false) => Component::U64,
            _ => return None,
        },
        Scalar::Float(float) => match float {
            Float::F16 => Component::F16,
            Float::BF16 => Component::Bf16,
            Float::F32 => Component::F32,
            Float::F64 => Component::F64,
            Float::E4M3 => Component::E4m3,
            Float::E5M2 => Component::E5m2,
            _ => return None,
        },
    })
}

fn share(share: Share) -> Number {
    Number::Formula(match share.by {
        1 => share.size.name().to_owned(),
        by => format!("{} / {by}", share.size.name()),
    })
}

fn with_product(
    module: &dr::Module,
    program: &Program,
    product: &Product,
    sizes: &BTreeMap<Size, i64>,
    chosen: &[(String, String)],
) -> Result<Draft, String> {
    let (recipe, of_buffer) = interface::described(program);
    let mut draft = Draft { recipe, of_buffer, ..Draft::default() };
    let recipe = &mut draft.recipe;
    recipe.specialization = specialization(chosen);
    recipe.sizes =
        sizes.iter().map(|(size, value)| (size.name().to_owned(), Number::Integer(*value))).collect();
    let size = |size: Size| sizes.get(&size).copied().unwrap_or(1);
    let workgroups = |it: Option<Workgroups>| match it {
        None => Number::Integer(1),
        Some(Workgroups::Share(it)) if size(it.size) % it.by == 0 => share(it),
        Some(Workgroups::Share(it)) => Number::Formula(format!("ceil({} / {})", it.size.name(), it.by)),
        Some(Workgroups::Tiles(rows, columns, each)) => {
            Number::Formula(format!("ceil(M / {rows} * N / {columns} / {each})"))
        }
    };
    recipe.dispatch = product.dispatch.iter().map(|it| workgroups(*it)).collect();
    // The parts of a vector have one name.
    let mut known: BTreeMap<String, Vec<Number>> = BTreeMap::new();
    for Member { path, name, component, .. } in members(program) {
        if component.is_none() {
            continue;
        }
        let found = product.members.get(&path).map(|found| share(*found));
        let found = found.or_else(|| product.starts.contains(&path).then_some(Number::Integer(0)));
        if found.is_none() && !draft.guessed.contains(&name) {
            draft.guessed.push(name.clone());
        }
        known.entry(name).or_default().push(found.unwrap_or(Number::Integer(1)));
    }
    if let Some(Fields::Named(fields)) = &mut recipe.push_constants {
        for (name, value) in fields.iter_mut() {
            match known.get(name).map(Vec::as_slice) {
                Some([one]) => *value = FieldValue::One(one.clone()),
                Some(several) => *value = FieldValue::Several(several.to_vec()),
                None => {}
            }
        }
    }
    // Where A and B, C and D lie.
    let mut shapes: BTreeMap<usize, Vec<Number>> = BTreeMap::new();
    let mut transposed = [false; 2];
    let named_size = |size: Size| Number::Formula(size.name().to_owned());
    for (at, (placed, rows, columns)) in [
        (Some(&product.a), Size::M, Size::K),
        (Some(&product.b), Size::K, Size::N),
        (product.c.as_ref(), Size::M, Size::N),
        (Some(&product.d), Size::M, Size::N),
    ]
    .into_iter()
    .enumerate()
    {
        let Some(placed) = placed else { continue };
        let (_, index) = named(recipe, module, &placed.base).ok_or("the buffer of a matrix is not known")?;
        let element = if placed.direct {
            component(module, placed.component).map(ElementType::Component)
        } else {
            element_behind(module, program, &placed.base)
        };
        let element = element.ok_or("the type of a matrix is not known")?;
        let element = bits_of(element, component(module, placed.component), product.more.is_none());
        let buffer = recipe.buffers.get_mut(index).ok_or("the buffer of a matrix is not known")?;
        let (mut rows, mut columns, mut row_major) = (rows, columns, placed.row_major);
        if matches!(element, ElementType::Block(_)) && !row_major {
            // Blocks lie along rows.
            (rows, columns, row_major) = (columns, rows, true);
            if let Some(transposed) = transposed.get_mut(at) {
                *transposed = true;
            }
        }
        let shape = vec![named_size(rows), named_size(columns)];
        if shapes.get(&index).is_some_and(|other| *other != shape) {
            return Err(format!("`{}` holds matrices of different shapes", buffer.name));
        }
        shapes.insert(index, shape.clone());
        buffer.element = Some(element);
        buffer.shape = shape;
        buffer.layout = if row_major { Layout::RowMajor } else { Layout::ColumnMajor };
        let length = size(if row_major { columns } else { rows });
        buffer.stride = placed.stride.filter(|stride| *stride > length).map(Number::Integer);
        if placed.stride.is_some_and(|stride| stride < length) {
            return Err(format!("rows of `{}` are longer than its stride", buffer.name));
        }
        if at < 3 {
            buffer.fill = Some(interface::fill(element, index as u64 + 1));
        } else if !shapes_read(product, &product.d.base) {
            buffer.fill = None;
        }
        draft.of_buffer.remove(&buffer.name);
        let Base::Variable(variable) = &placed.base else { continue };
        // The one of several declarations that the product is made of.
        if let Some(declared) = binding(module, program, *variable).filter(|it| !it.name.is_empty())
            && recipe.buffers.iter().all(|other| other.name != declared.name)
            && let Some(buffer) = recipe.buffers.get_mut(index)
        {
            buffer.name.clone_from(&declared.name);
        }
        if let ElementType::Block(format) = element
            && named_format(module, *variable, format).is_none()
        {
            let name = recipe.buffers[index].name.clone();
            draft.of_buffer.entry(name).or_default().push(interface::other_formats(format));
        }
    }
    let name = |placed: &Placed| named(recipe, module, &placed.base).map(|(name, _)| name.to_owned());
    let equals = Matmul {
        a: name(&product.a).unwrap_or_default(),
        b: name(&product.b).unwrap_or_default(),
        c: product.c.as_ref().and_then(name),
        transpose_a: transposed[0],
        transpose_b: transposed[1],
        alpha: None,
        beta: None,
        saturate: product.saturates,
    };
    let memory = [&product.a, &product.b].map(|placed| {
        let (_, index) = named(recipe, module, &placed.base)?;
        recipe.buffers.get(index)?.element
    });
    let types = tolerance::Types {
        memory,
        input: component(module, product.input),
        sum: component(module, product.sum),
        result: component(module, product.d.component),
    };
    let (tolerance, words) = tolerance::of(&types, size(Size::K));
    draft.tolerance = words;
    let buffer = name(&product.d).unwrap_or_default();
    recipe.expect.push(Expectation {
        buffer,
        equals: Compute::Matmul(equals),
        tolerance,
        only: None,
        after: None,
    });
    draft.doubt.clone_from(&product.more);
    Ok(draft)
}

/// The type of elements that a shader declares as integers, and takes as the bits of numbers. `copied`: whether it does nothing else with them.
fn bits_of(declared: ElementType, matrix: Option<Component>, copied: bool) -> ElementType {
    match (declared, matrix) {
        (ElementType::Component(bits), Some(component))
            if copied && bits.is_integer() && !component.is_integer() && bits.size() == component.size() =>
        {
            ElementType::Component(component)
        }
        _ => declared,
    }
}

/// Whether the result's buffer is read as an operand, too.
fn shapes_read(product: &Product, base: &Base) -> bool {
    [Some(&product.a), Some(&product.b), product.c.as_ref()].into_iter().flatten().any(|it| it.base == *base)
}

/// Makes buffers as long as a run has used them, and fills those that it has read. `known`: buffers whose shape is known.
fn fit(draft: &mut Draft, tried: &trial::Tried, known: &[String]) {
    for (index, buffer) in draft.recipe.buffers.iter_mut().enumerate() {
        if known.contains(&buffer.name) {
            continue;
        }
        let Some(used) = tried.uses.get(&buffer.name).copied() else { continue };
        let notes = draft.of_buffer.entry(buffer.name.clone()).or_default();
        fit_one(buffer, used, notes, index);
    }
    if let Some(error) = &tried.error {
        let error = format!("what comes behind this, at which a first run ends: {error}");
        if !draft.unknown.contains(&error) {
            draft.unknown.push(error);
        }
    } else if !tried.ended {
        let words = "whether buffers are long enough: a first run was ended before it had run all".to_owned();
        if !draft.unknown.contains(&words) {
            draft.unknown.push(words);
        }
    }
}

/// Bytes of the longest buffer that is suggested.
const LONGEST: u64 = 64 << 20;

fn fit_one(buffer: &mut Buffer, used: Use, notes: &mut Vec<String>, index: usize) {
    if used.end > LONGEST {
        notes.push(format!("its length: a first run accesses byte {}", used.end));
        return;
    }
    if !used.touched {
        return;
    }
    let (Some(element), [Number::Integer(length)]) = (buffer.element, buffer.shape.as_mut_slice()) else {
        return;
    };
    let offset = match &buffer.offset {
        Some(Number::Integer(offset)) => u64::try_from(*offset).unwrap_or(0),
        _ => 0,
    };
    let (elements, bytes) = element.piece();
    let pieces = used.end.saturating_sub(offset).div_ceil(bytes as u64).max(1);
    let needed = i64::try_from(pieces * elements as u64).unwrap_or(i64::MAX);
    if used.open && needed > *length {
        *length = needed;
        let words = "its shape: one run of the recipe accesses so much";
        if !notes.iter().any(|note| note == words) {
            notes.push(words.to_owned());
        }
    }
    if used.read && buffer.fill.is_none() && !matches!(element, ElementType::Component(Component::U8)) {
        buffer.fill = Some(interface::fill(element, index as u64 + 1));
    }
}
