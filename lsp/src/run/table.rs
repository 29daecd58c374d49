//! Matrices as tables of text.

use std::fmt::Write as _;

use coopmat_recipe::{PlannedBuffer, Tensor};

use super::heat;

/// What fits on a screen.
const ROWS: usize = 32;
const COLUMNS: usize = 16;

/// A buffer's elements; the bytes of one that has none.
pub fn of_buffer(buffer: &PlannedBuffer, bytes: &[u8], colour: bool) -> String {
    match buffer.elements(bytes) {
        Some(tensor) => {
            let shape: Vec<String> = tensor.shape.iter().map(usize::to_string).collect();
            let kind = buffer.extent.as_ref().map_or("", |extent| extent.element.name());
            format!(
                "\n{} ({kind}, {})\n{}",
                buffer.name,
                shape.join(" x "),
                table(&tensor, (0, 0, 0), colour)
            )
        }
        None => {
            let mut text = format!("\n{} ({} bytes)\n", buffer.name, bytes.len());
            for line in bytes.chunks(16).take(ROWS) {
                let shown: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
                let _ = writeln!(text, "  {}", shown.join(" "));
            }
            text
        }
    }
}

/// A number in few characters.
pub fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".to_owned() } else { "-inf".to_owned() };
    }
    let magnitude = value.abs();
    if value == value.trunc() && magnitude < 1e10 {
        // Without the sign of a zero.
        return format!("{:.0}", value + 0.0);
    }
    if !(1e-3..1e6).contains(&magnitude) {
        return format!("{value:.3e}");
    }
    let before = magnitude.log10().floor().max(0.0) as usize;
    format!("{value:.*}", 4usize.saturating_sub(before))
}

/// The part of a tensor that begins at a matrix, row and column.
pub fn table(tensor: &Tensor, (matrix, row, column): (usize, usize, usize), colour: bool) -> String {
    let (rows, columns) = (tensor.rows(), tensor.columns());
    let range = heat::range(&tensor.data);
    let mut text = String::new();
    let last = if matrix == 0 && row == 0 && column == 0 { tensor.matrices().min(4) } else { matrix + 1 };
    for matrix in matrix..last.min(tensor.matrices()) {
        if tensor.matrices() > 1 {
            let _ = writeln!(text, "matrix {matrix}");
        }
        let elements = tensor.matrix(matrix);
        let shown_rows = row..rows.min(row + ROWS);
        let shown_columns = column..columns.min(column + COLUMNS);
        let cell =
            |row: usize, column: usize| elements.get(row * columns + column).copied().unwrap_or(f64::NAN);
        // What no float holds is shown in all digits.
        let first = matrix * rows * columns;
        let written = |row: usize, column: usize| {
            let index = first + row * columns + column;
            match tensor.integer(index).filter(|_| tensor.rest.get(index).is_some_and(|rest| *rest != 0.0)) {
                Some(integer) => integer.to_string(),
                None => number(cell(row, column)),
            }
        };
        let cells = shown_rows.clone().flat_map(|row| shown_columns.clone().map(move |column| (row, column)));
        let width = cells.map(|(row, column)| written(row, column).len()).max().unwrap_or(0).max(3);
        let _ = write!(text, "      ");
        for column in shown_columns.clone() {
            let _ = write!(text, " {column:>width$}");
        }
        text.push('\n');
        for row in shown_rows.clone() {
            let _ = write!(text, "{row:>5} ");
            for column in shown_columns.clone() {
                let value = cell(row, column);
                let shown = format!(" {:>width$}", written(row, column));
                text += &if colour { painted(&shown, heat::part(value, range)) } else { shown };
            }
            if shown_columns.end < columns {
                text += " ...";
            }
            text.push('\n');
        }
        if shown_rows.end < rows {
            let _ = writeln!(text, "  ... {} more rows", rows - shown_rows.end);
        }
    }
    if last < tensor.matrices() && last == 4 {
        let _ = writeln!(text, "... {} more matrices", tensor.matrices() - last);
    }
    text
}

/// Text on the colour of a number, black or white, whichever is easier to read.
fn painted(text: &str, part: f64) -> String {
    let [red, green, blue] = heat::colour(part);
    let light = u32::from(red) * 2 + u32::from(green) * 5 + u32::from(blue) > 8 * 128;
    let ink = if light { "30" } else { "97" };
    format!("\u{1b}[48;2;{red};{green};{blue};{ink}m{text}\u{1b}[0m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let shown: Vec<String> =
            [0.0, -0.0, 3.0, 0.12345678, -12.5, 123.456, 1e-9, 3.2e12, f64::NAN].map(number).to_vec();
        assert_eq!(shown, ["0", "0", "3", "0.1235", "-12.500", "123.46", "1.000e-9", "3.200e12", "NaN"]);
    }

    #[test]
    fn large_matrices_are_cut() {
        let tensor = Tensor::new(vec![2, 20], (0..40).map(f64::from).collect()).unwrap();
        let text = table(&tensor, (0, 1, 15), false);
        assert_eq!(text, "        15  16  17  18  19\n    1   35  36  37  38  39\n");
    }
}
