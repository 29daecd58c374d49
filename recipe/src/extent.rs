//! How a tensor lies in a buffer.

use coopmat_simulator::CooperativeVectorMatrixLayout;

use crate::model::{ElementType, Layout};
use crate::tensor::{Tensor, count, shown};

/// Bytes of the largest buffer.
const MOST_BYTES: usize = 1 << 31;

/// Shape, strides and type of what a buffer holds. Lengths are in elements, `offset` and `bytes` in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Extent {
    /// The type of an element.
    pub element: ElementType,
    /// Elements in each direction, the number of columns last.
    pub shape: Vec<usize>,
    /// Whether rows or columns lie together.
    pub layout: Layout,
    /// From the start of one row (column, where these lie together) to the next; without a meaning in the optimal layouts.
    pub stride: usize,
    /// From one matrix to the next.
    pub matrix_stride: usize,
    /// Before the first element.
    pub offset: usize,
    /// To the end of the last element.
    pub bytes: usize,
}

impl Extent {
    /// `stride` and `matrix_stride` are packed, and the buffer ends with its last element, where nothing else is said.
    pub fn new(
        element: ElementType,
        shape: Vec<usize>,
        layout: Layout,
        stride: Option<usize>,
        matrix_stride: Option<usize>,
        offset: usize,
    ) -> Result<Extent, String> {
        count(&shape)?;
        let mut extent = Extent { element, shape, layout, stride: 0, matrix_stride: 0, offset, bytes: 0 };
        if layout.optimal().is_some() {
            extent.lay_out(matrix_stride)?;
            return Ok(extent);
        }
        let (lines, length) = extent.lines();
        let what = match layout {
            Layout::ColumnMajor => "rows",
            _ => "columns",
        };
        extent.stride = stride.unwrap_or(length);
        if extent.stride < length && lines > 1 {
            return Err(format!(
                "the stride is {}, but it must be at least {length} ({what}): otherwise rows would overlap",
                extent.stride
            ));
        }
        let (piece, piece_bytes) = element.piece();
        if length % piece != 0 || (lines > 1 && !extent.stride.is_multiple_of(piece)) {
            return Err(format!(
                "{} comes in blocks of {piece}: {what} ({length}) and stride ({}) must be multiples of {piece}",
                element.name(),
                extent.stride
            ));
        }
        extent.matrix_stride = matrix_stride.unwrap_or(extent.stride.saturating_mul(lines));
        if !extent.matrix_stride.is_multiple_of(piece) {
            return Err(format!(
                "{} comes in blocks of {piece}: the matrix stride must be a multiple of {piece}",
                element.name()
            ));
        }
        let last = extent.line_start(extent.matrices().saturating_sub(1), lines.saturating_sub(1));
        let end = if count(&extent.shape)? == 0 {
            Some(offset)
        } else {
            last.and_then(|start| start.checked_add(length / piece * piece_bytes))
        };
        match end {
            Some(end) if end <= MOST_BYTES => {
                extent.bytes = end;
                Ok(extent)
            }
            _ => {
                Err(format!("{} with these strides takes more than {MOST_BYTES} bytes", shown(&extent.shape)))
            }
        }
    }

    /// Sizes of matrices in an optimal layout.
    fn lay_out(&mut self, matrix_stride: Option<usize>) -> Result<(), String> {
        let (rows, columns) = self.rows_and_columns();
        let sides = (u32::try_from(rows), u32::try_from(columns));
        let (Ok(down), Ok(across)) = sides else {
            return Err(format!("{} is too large for this layout", shown(&self.shape)));
        };
        let room = usize::try_from(CooperativeVectorMatrixLayout::room(down, across)).unwrap_or(usize::MAX);
        self.stride = columns;
        self.matrix_stride = matrix_stride.unwrap_or(room);
        if self.matrix_stride < room && self.matrices() > 1 {
            return Err(format!(
                "the matrix stride is {}, but a matrix of {rows}x{columns} in the layout {} takes {room} elements, with the padding",
                self.matrix_stride,
                self.layout.name()
            ));
        }
        let all = self.matrix_stride.checked_mul(self.matrices().saturating_sub(1));
        let all = all.and_then(|all| all.checked_add(if self.matrices() == 0 { 0 } else { room }));
        let end = all.and_then(|all| all.checked_mul(self.element.piece().1)?.checked_add(self.offset));
        match end {
            Some(end) if end <= MOST_BYTES => {
                self.bytes = end;
                Ok(())
            }
            _ => Err(format!("{} in this layout takes more than {MOST_BYTES} bytes", shown(&self.shape))),
        }
    }

    /// The first byte of a matrix.
    pub(crate) fn matrix_start(&self, matrix: usize) -> usize {
        let (piece, bytes) = self.element.piece();
        self.offset + matrix * self.matrix_stride / piece * bytes
    }

    /// One of the matrices, by itself.
    pub(crate) fn one(&self, matrix: usize) -> Extent {
        let (rows, columns) = self.rows_and_columns();
        Extent { shape: vec![rows, columns], offset: self.matrix_start(matrix), ..self.clone() }
    }

    pub(crate) fn matrices(&self) -> usize {
        self.shape[..self.shape.len().saturating_sub(2)].iter().product()
    }

    pub(crate) fn rows_and_columns(&self) -> (usize, usize) {
        match self.shape[..] {
            [] => (1, 1),
            [columns] => (1, columns),
            [.., rows, columns] => (rows, columns),
        }
    }

    /// How many runs of neighbouring elements a matrix has, and how long they are.
    fn lines(&self) -> (usize, usize) {
        let (rows, columns) = self.rows_and_columns();
        match self.layout {
            Layout::ColumnMajor => (columns, rows),
            Layout::RowMajor | Layout::InferencingOptimal | Layout::TrainingOptimal => (rows, columns),
        }
    }

    /// The byte at which a line begins.
    fn line_start(&self, matrix: usize, line: usize) -> Option<usize> {
        let (piece, bytes) = self.element.piece();
        let elements = matrix.checked_mul(self.matrix_stride)?.checked_add(line.checked_mul(self.stride)?)?;
        (elements / piece).checked_mul(bytes)?.checked_add(self.offset)
    }

    /// The byte at which an element of a line begins, where elements stand alone; `start` is the line's.
    fn element_start(
        &self,
        start: usize,
        matrix: usize,
        (line, index): (usize, usize),
        size: usize,
    ) -> usize {
        let Some(layout) = self.layout.optimal() else { return start + index * size };
        let (rows, columns) = self.rows_and_columns();
        let place = layout.offset((rows as u32, columns as u32), (line as u32, index as u32), size as u32, 0);
        self.matrix_start(matrix) + place as usize
    }

    /// The places of a line's elements in the tensor.
    fn line_elements(&self, matrix: usize, line: usize) -> impl Iterator<Item = usize> + use<> {
        let (rows, columns) = self.rows_and_columns();
        let first = matrix * rows * columns;
        let (start, step, length) = match self.layout {
            Layout::ColumnMajor => (first + line, columns.max(1), rows),
            Layout::RowMajor | Layout::InferencingOptimal | Layout::TrainingOptimal => {
                (first + line * columns, 1, columns)
            }
        };
        (0..length).map(move |index| start + index * step)
    }

    /// The bytes of an element, by its place in the tensor; nothing where elements share bytes, and beyond the last one.
    pub fn bytes_of(&self, element: usize) -> Option<std::ops::Range<usize>> {
        let ElementType::Component(component) = self.element else { return None };
        self.each_line().find_map(|(matrix, line)| {
            let index = self.line_elements(matrix, line).position(|one| one == element)?;
            let start =
                self.element_start(self.line_start(matrix, line)?, matrix, (line, index), component.size());
            Some(start..start + component.size())
        })
    }

    fn each_line(&self) -> impl Iterator<Item = (usize, usize)> {
        let lines = self.lines().0;
        (0..self.matrices()).flat_map(move |matrix| (0..lines).map(move |line| (matrix, line)))
    }

    /// Writes the elements; what lies between rows stays.
    pub fn write(&self, tensor: &Tensor, bytes: &mut [u8]) {
        let mut values = Vec::new();
        for (matrix, line) in self.each_line() {
            let Some(start) = self.line_start(matrix, line) else { return };
            values.clear();
            if let ElementType::Component(component) = self.element
                && component.is_wide_integer()
            {
                for (index, element) in self.line_elements(matrix, line).enumerate() {
                    let at = self.element_start(start, matrix, (line, index), component.size());
                    match tensor.integer(element) {
                        Some(value) => component.write_integer(bytes, at, value),
                        None => {
                            component.write(bytes, at, tensor.data.get(element).copied().unwrap_or_default());
                        }
                    }
                }
                continue;
            }
            let value = |index: usize| tensor.data.get(index).copied().unwrap_or_default();
            values.extend(self.line_elements(matrix, line).map(value));
            match self.element {
                ElementType::Component(component) => {
                    for (index, value) in values.iter().enumerate() {
                        let at = self.element_start(start, matrix, (line, index), component.size());
                        component.write(bytes, at, *value);
                    }
                }
                ElementType::Block(format) => {
                    for (index, values) in values.chunks(format.elements()).enumerate() {
                        let at = start + index * format.bytes();
                        if let Some(block) = bytes.get_mut(at..at + format.bytes()) {
                            format.quantise(values, block);
                        }
                    }
                }
            }
        }
    }

    /// Reads the elements; what lies past the end of the bytes is NaN.
    pub fn read(&self, bytes: &[u8]) -> Tensor {
        let count: usize = self.shape.iter().product();
        let mut data = vec![f64::NAN; count];
        let mut tensor = Tensor { shape: self.shape.clone(), data: Vec::new(), rest: Vec::new() };
        if let ElementType::Component(component) = self.element
            && component.is_wide_integer()
        {
            tensor.data = data;
            tensor.rest = vec![0.0; count];
            for (matrix, line) in self.each_line() {
                let Some(start) = self.line_start(matrix, line) else { break };
                for (index, element) in self.line_elements(matrix, line).enumerate() {
                    let at = self.element_start(start, matrix, (line, index), component.size());
                    if let Some(value) = component.read_integer(bytes, at) {
                        tensor.set_integer(element, value);
                    }
                }
            }
            let rest = std::mem::take(&mut tensor.rest);
            tensor.set_rest(rest);
            return tensor;
        }
        let mut values = Vec::new();
        for (matrix, line) in self.each_line() {
            let Some(start) = self.line_start(matrix, line) else { break };
            let length = self.lines().1;
            values.clear();
            values.resize(length, f64::NAN);
            match self.element {
                ElementType::Component(component) => {
                    for (index, value) in values.iter_mut().enumerate() {
                        let at = self.element_start(start, matrix, (line, index), component.size());
                        *value = component.read(bytes, at).unwrap_or(f64::NAN);
                    }
                }
                ElementType::Block(format) => {
                    for (index, values) in values.chunks_mut(format.elements()).enumerate() {
                        let at = start + index * format.bytes();
                        if let Some(block) = bytes.get(at..at + format.bytes()) {
                            format.dequantise(block, values);
                        }
                    }
                }
            }
            for (index, value) in self.line_elements(matrix, line).zip(&values) {
                if let Some(element) = data.get_mut(index) {
                    *element = *value;
                }
            }
        }
        tensor.data = data;
        tensor
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks::BlockFormat;
    use crate::component::Component;

    #[test]
    fn strides_leave_gaps() {
        let element = ElementType::Component(Component::S16);
        let extent = Extent::new(element, vec![2, 3], Layout::RowMajor, Some(4), None, 2).unwrap();
        assert_eq!(extent.bytes, 2 + (4 + 3) * 2);
        let tensor = Tensor::new(vec![2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, -6.0]).unwrap();
        let mut bytes = vec![0xcd; extent.bytes];
        extent.write(&tensor, &mut bytes);
        assert_eq!(bytes, [0xcd, 0xcd, 1, 0, 2, 0, 3, 0, 0xcd, 0xcd, 4, 0, 5, 0, 0xfa, 0xff]);
        assert_eq!(extent.read(&bytes), tensor);
    }

    #[test]
    fn columns_can_lie_together() {
        let element = ElementType::Component(Component::U8);
        let extent = Extent::new(element, vec![2, 2, 3], Layout::ColumnMajor, None, None, 0).unwrap();
        let tensor = Tensor::new(vec![2, 2, 3], (0..12).map(f64::from).collect()).unwrap();
        let mut bytes = vec![0; extent.bytes];
        extent.write(&tensor, &mut bytes);
        assert_eq!(bytes, [0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11]);
        assert_eq!(extent.read(&bytes), tensor);
    }

    #[test]
    fn optimal_layouts_have_padded_tiles() {
        let element = ElementType::Component(Component::U16);
        let shape = vec![2, 3, 9];
        for layout in [Layout::InferencingOptimal, Layout::TrainingOptimal] {
            let extent = Extent::new(element, shape.clone(), layout, None, None, 64).unwrap();
            assert_eq!((extent.matrix_stride, extent.bytes), (128, 64 + 2 * 256));
            let tensor = Tensor::new(shape.clone(), (1..55).map(f64::from).collect()).unwrap();
            let mut bytes = vec![0; extent.bytes];
            extent.write(&tensor, &mut bytes);
            assert_eq!(extent.read(&bytes), tensor);
            // Element (1, 0) of the second matrix.
            let at = if layout == Layout::InferencingOptimal { 2 } else { 1 };
            assert_eq!(bytes[64 + 256 + at * 2], 37);
            assert_eq!(bytes.iter().filter(|byte| **byte != 0).count(), 54);
        }
        let error = Extent::new(element, shape, Layout::TrainingOptimal, None, Some(27), 0).unwrap_err();
        assert_eq!(
            error,
            "the matrix stride is 27, but a matrix of 3x9 in the layout training-optimal takes 128 elements, with the padding"
        );
    }

    #[test]
    fn blocks_need_whole_blocks() {
        let element = ElementType::Block(BlockFormat::Q8_0);
        let error = Extent::new(element, vec![2, 40], Layout::RowMajor, None, None, 0).unwrap_err();
        assert_eq!(error, "q8_0 comes in blocks of 32: columns (40) and stride (40) must be multiples of 32");
        assert_eq!(Extent::new(element, vec![2, 64], Layout::RowMajor, None, None, 0).unwrap().bytes, 4 * 34);
    }
}
