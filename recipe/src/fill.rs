//! What buffers hold before the run.

use crate::component::Component;
use crate::extent::Extent;
use crate::memory::Memory;
use crate::model::{ElementType, Fill, Layout, Literal};
use crate::random::Random;
use crate::read::{Fault, Place};
use crate::sizes::Sizes;
use crate::tensor::{ElementFormula, Tensor, shown};
use crate::{Files, csv, npy};

/// What bytes are that nobody has written.
pub const UNWRITTEN: u8 = 0xcd;

/// The contents of a buffer, and the values that they stand for.
pub struct Contents {
    pub bytes: Vec<u8>,
    pub extent: Extent,
    pub uninitialised: bool,
}

/// What a file holds.
enum FromFile {
    Tensor(Tensor, Option<Component>),
    Raw(Vec<u8>),
}

fn read_file(path: &str, files: &dyn Files, place: &Place) -> Result<FromFile, Fault> {
    let bytes = files.read(path).map_err(|reason| place.fail(format!("{path}: {reason}")))?;
    let fail = |reason: String| place.fail(format!("{path}: {reason}"));
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    match extension {
        "npy" => npy::read(&bytes).map(|(tensor, kind)| FromFile::Tensor(tensor, Some(kind))).map_err(fail),
        "csv" => csv::read(&bytes).map(|tensor| FromFile::Tensor(tensor, None)).map_err(fail),
        _ => Ok(FromFile::Raw(bytes)),
    }
}

/// The values of a `.npy` or `.csv` file.
pub fn tensor_of_file(path: &str, files: &dyn Files, place: &Place) -> Result<Tensor, Fault> {
    match read_file(path, files, place)? {
        FromFile::Tensor(tensor, _) => Ok(tensor),
        FromFile::Raw(_) => Err(place.fail(format!("{path}: expected a .npy or .csv file"))),
    }
}

/// The shape that written rows have, and their elements.
pub fn tensor_of_literals(literals: &[Literal], sizes: &Sizes, place: &Place) -> Result<Tensor, Fault> {
    let mut shape = Vec::new();
    let mut first = literals;
    loop {
        shape.push(first.len());
        match first.first() {
            Some(Literal::Row(row)) if shape.len() < 4 => first = row,
            Some(Literal::Row(_)) => return Err(place.fail("rows are nested deeper than four levels")),
            Some(Literal::Number(_)) | None => break,
        }
    }
    let (mut data, mut exact) = (Vec::new(), Vec::new());
    flatten(literals, &shape, sizes, place, &mut data, &mut exact)?;
    let mut tensor = Tensor::new(shape, data).map_err(|message| place.fail(message))?;
    exactly(&mut tensor, exact);
    Ok(tensor)
}

/// Gives elements the integers that they were written as, where they were.
fn exactly(tensor: &mut Tensor, integers: impl IntoIterator<Item = Option<i128>>) {
    tensor.rest = vec![0.0; tensor.data.len()];
    for (index, integer) in integers.into_iter().enumerate() {
        if let Some(integer) = integer {
            tensor.set_integer(index, integer);
        }
    }
    let rest = std::mem::take(&mut tensor.rest);
    tensor.set_rest(rest);
}

fn flatten(
    literals: &[Literal],
    shape: &[usize],
    sizes: &Sizes,
    place: &Place,
    data: &mut Vec<f64>,
    exact: &mut Vec<Option<i128>>,
) -> Result<(), Fault> {
    let Some((expected, inner)) = shape.split_first() else {
        return Err(place.fail("this is a row, but the first row has a number here"));
    };
    if literals.len() != *expected {
        let message = format!("this row has {} elements, but the first one has {expected}", literals.len());
        return Err(place.fail(message));
    }
    for (index, literal) in literals.iter().enumerate() {
        match literal {
            Literal::Number(number) if inner.is_empty() => {
                let (value, integer) = sizes.integer(number, &place.then(index))?;
                data.push(value);
                exact.push(integer);
            }
            Literal::Number(_) => {
                return Err(place.then(index).fail("this is a number, but the first row has a row here"));
            }
            Literal::Row(row) => flatten(row, inner, sizes, &place.then(index), data, exact)?,
        }
    }
    Ok(())
}

/// What a recipe says about a buffer's elements.
pub struct Description<'a> {
    pub element: Option<ElementType>,
    /// What the shader declares, for when the recipe does not say.
    pub declared: Option<Component>,
    pub shape: Option<Vec<usize>>,
    pub layout: Layout,
    pub stride: Option<usize>,
    pub matrix_stride: Option<usize>,
    pub offset: usize,
    pub bytes: Option<usize>,
    pub fill: &'a Fill,
    /// The most bytes for the buffer and the numbers that it is made of, where the host says it.
    pub(crate) memory: Option<Memory>,
    pub place: Place,
}

/// Makes a buffer's bytes.
pub fn fill(what: &Description<'_>, sizes: &Sizes, files: &dyn Files) -> Result<Contents, Fault> {
    let place = &what.place;
    let inner = place.then("fill");
    let from_file = match what.fill {
        Fill::File(path) => Some(read_file(path, files, &inner)?),
        _ => None,
    };
    let literals = match what.fill {
        Fill::Values(literals) => Some(tensor_of_literals(literals, sizes, &inner.then("values"))?),
        _ => None,
    };
    let given = match (&from_file, &literals) {
        (Some(FromFile::Tensor(tensor, _)), _) | (_, Some(tensor)) => Some(tensor),
        _ => None,
    };
    let file_type = match &from_file {
        Some(FromFile::Tensor(_, component)) => component.map(ElementType::Component),
        _ => None,
    };
    let declared = what.declared.map(ElementType::Component);
    let Some(element) = what.element.or(declared).or(file_type) else {
        return Err(place.fail("the buffer's element type is not known: add `type = \"f16\"` or another"));
    };
    let shape = match (&what.shape, given, &from_file) {
        (Some(shape), ..) => shape.clone(),
        (None, Some(tensor), _) => tensor.shape.clone(),
        (None, None, Some(FromFile::Raw(bytes))) => {
            let (elements, size) = element.piece();
            vec![bytes.len().saturating_sub(what.offset) / size * elements]
        }
        (None, None, _) => {
            return Err(place.fail("the buffer has no shape: add `shape = [rows, columns]`"));
        }
    };
    if what.layout.optimal().is_some() {
        check_optimal(what, element, &shape)?;
    }
    let extent =
        Extent::new(element, shape.clone(), what.layout, what.stride, what.matrix_stride, what.offset);
    let extent = extent.map_err(|message| place.fail(message))?;
    let length = match (what.bytes, &from_file) {
        (Some(bytes), _) if bytes < extent.bytes => {
            let message = format!("the elements take {} bytes, more than the buffer's {bytes}", extent.bytes);
            return Err(place.then("bytes").fail(message));
        }
        (Some(bytes), _) => bytes,
        (None, Some(FromFile::Raw(bytes))) if what.layout.optimal().is_none() => {
            bytes.len().max(extent.bytes)
        }
        (None, _) => extent.bytes,
    };
    if length > 1 << 31 {
        return Err(place.fail(format!("the buffer takes {length} bytes, more than 2 GiB")));
    }
    let numbers = shape.iter().product::<usize>().saturating_mul(size_of::<f64>());
    if let Some(memory) = what.memory.filter(|memory| length.saturating_add(numbers) > memory.left) {
        return Err(place.fail(format!(
            "the buffer of {} elements takes {length} bytes, and generating its numbers takes {numbers}: only {}",
            shown(&shape),
            memory.is_left()
        )));
    }
    if let (Some(FromFile::Raw(raw)), true) = (&from_file, what.layout.optimal().is_some()) {
        return converted(raw, extent, length, &inner);
    }
    if let Some(FromFile::Raw(raw)) = &from_file {
        if raw.len() < extent.bytes {
            let message = format!("the file has {} bytes, but the elements take {}", raw.len(), extent.bytes);
            return Err(inner.fail(message));
        }
        let mut bytes = raw.clone();
        bytes.resize(length, 0);
        return Ok(Contents { bytes, extent, uninitialised: false });
    }
    if let ElementType::Component(component) = element {
        check_written(what.fill, literals.as_ref(), component, sizes, &inner)?;
    }
    let mut bytes = vec![0; length];
    let uninitialised = *what.fill == Fill::Uninitialised;
    if uninitialised {
        bytes.fill(UNWRITTEN);
        return Ok(Contents { bytes, extent, uninitialised });
    }
    let tensor = match given {
        Some(tensor) => {
            let found = shown(&tensor.shape);
            let elements = tensor.data.len();
            tensor.clone().reshaped(&shape).map_err(|_| {
                inner.fail(format!("{} elements ({found}) do not fill {}", elements, shown(&shape)))
            })?
        }
        None => generate(what.fill, &shape, sizes, &inner)?,
    };
    extent.write(&tensor, &mut bytes);
    Ok(Contents { bytes, extent, uninitialised })
}

/// Numbers that are written one by one have to fit; those that are generated are rounded, and integers wrap around.
fn check_written(
    fill: &Fill,
    literals: Option<&Tensor>,
    component: Component,
    sizes: &Sizes,
    place: &Place,
) -> Result<(), Fault> {
    match (fill, literals) {
        (Fill::Values(_), Some(tensor)) => {
            for (index, &value) in tensor.data.iter().enumerate() {
                let held = component.holds_as_bits(value, tensor.integer(index));
                held.map_err(|reason| place.then("values").fail(format!("element {index}: {reason}")))?;
            }
        }
        (Fill::Constant(number), _) => {
            let place = place.then("constant");
            let (value, exact) = sizes.integer(number, &place)?;
            component.holds_as_bits(value, exact).map_err(|reason| place.fail(reason))?;
        }
        (Fill::Integers(integers), _) => {
            for (name, value) in [("low", integers.low), ("high", integers.high)] {
                let held = component.holds_as_bits(value as f64, Some(i128::from(value)));
                held.map_err(|reason| place.then("integers").then(name).fail(reason))?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// What a matrix in an optimal layout may be.
fn check_optimal(what: &Description<'_>, element: ElementType, shape: &[usize]) -> Result<(), Fault> {
    let (place, layout) = (&what.place, what.layout.name());
    let known = matches!(element, ElementType::Component(component) if component.interpretation().is_some());
    if !known {
        let place = if what.element.is_some() { place.then("type") } else { place.clone() };
        return Err(place.fail(format!(
            "`{}` is no component type of cooperative vectors: a matrix in the layout {layout} has another one",
            element.name()
        )));
    }
    if shape.len() < 2 {
        let place = if what.shape.is_some() { place.then("shape") } else { place.then("layout") };
        let message = format!(
            "a matrix in the layout {layout} has rows and columns: this has {} dimension",
            shape.len()
        );
        return Err(place.fail(message));
    }
    if what.stride.is_some() {
        let message = format!("the layout {layout} has no stride: leave it out");
        return Err(place.then("stride").fail(message));
    }
    Ok(())
}

/// The bytes of a file for an optimal layout: the rows as a host has them, one after the other.
fn converted(raw: &[u8], extent: Extent, length: usize, place: &Place) -> Result<Contents, Fault> {
    let rows = Extent::new(extent.element, extent.shape.clone(), Layout::RowMajor, None, None, 0);
    let rows = rows.map_err(|message| place.fail(message))?;
    if raw.len() != rows.bytes {
        let message = format!(
            "the file has {} bytes, but the rows of the matrix, one after the other, take {}",
            raw.len(),
            rows.bytes
        );
        return Err(place.fail(message));
    }
    let mut bytes = vec![0; length];
    extent.write(&rows.read(raw), &mut bytes);
    Ok(Contents { bytes, extent, uninitialised: false })
}

fn generate(fill: &Fill, shape: &[usize], sizes: &Sizes, place: &Place) -> Result<Tensor, Fault> {
    let mut tensor = Tensor::filled(shape, 0.0).map_err(|message| place.fail(message))?;
    let elements = tensor.data.len();
    let data = &mut tensor.data;
    match fill {
        // The last two have been dealt with where they are read.
        Fill::Zeros | Fill::Uninitialised | Fill::Values(_) | Fill::File(_) => {}
        Fill::Constant(value) => {
            let (value, integer) = sizes.integer(value, &place.then("constant"))?;
            data.fill(value);
            exactly(&mut tensor, std::iter::repeat_n(integer, elements));
        }
        Fill::Iota(iota) => {
            let place = place.then("iota");
            let (start, first) = sizes.integer(&iota.start, &place.then("start"))?;
            let (step, next) = sizes.integer(&iota.step, &place.then("step"))?;
            for (index, value) in data.iter_mut().enumerate() {
                *value = start + step * index as f64;
            }
            if let (Some(first), Some(next)) = (first, next) {
                exactly(&mut tensor, (0..elements).map(|index| Some(first + next * index as i128)));
            }
        }
        Fill::Uniform(uniform) => {
            let place = place.then("uniform");
            let low = sizes.number(&uniform.low, &place.then("low"))?;
            let high = sizes.number(&uniform.high, &place.then("high"))?;
            let mut random = Random::new(uniform.seed);
            data.iter_mut().for_each(|value| *value = random.uniform(low, high));
        }
        Fill::Normal(normal) => {
            let place = place.then("normal");
            let mean = sizes.number(&normal.mean, &place.then("mean"))?;
            let deviation = sizes.number(&normal.deviation, &place.then("deviation"))?;
            let mut random = Random::new(normal.seed);
            data.iter_mut().for_each(|value| *value = random.normal(mean, deviation));
        }
        Fill::Integers(integers) => {
            if integers.low > integers.high {
                let message = format!("`low` ({}) is above `high` ({})", integers.low, integers.high);
                return Err(place.then("integers").fail(message));
            }
            let mut random = Random::new(integers.seed);
            let values = (0..elements).map(|_| Some(random.integer(integers.low, integers.high)));
            exactly(&mut tensor, values);
        }
        Fill::Formula(text) => {
            let formula = ElementFormula::new(text, sizes, Some(shape), &|_| None);
            let formula = formula.map_err(|message| place.then("formula").fail(message))?;
            for (index, value) in data.iter_mut().enumerate() {
                *value = formula.at(index);
            }
        }
    }
    Ok(tensor)
}
