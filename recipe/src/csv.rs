//! Numbers in rows, separated by commas, semicolons or blanks. Lines that begin with `#` are comments.

use crate::tensor::Tensor;

pub fn read(bytes: &[u8]) -> Result<Tensor, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "the file is not UTF-8 text".to_owned())?;
    let mut data = Vec::new();
    let mut columns = None;
    let mut rows = 0;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let before = data.len();
        for cell in line.split([',', ';', ' ', '\t']).map(str::trim).filter(|cell| !cell.is_empty()) {
            let value =
                cell.parse::<f64>().map_err(|_| format!("line {}: `{cell}` is not a number", number + 1))?;
            data.push(value);
        }
        let found = data.len() - before;
        let expected = *columns.get_or_insert(found);
        if found != expected {
            return Err(format!("line {} has {found} numbers, but the first has {expected}", number + 1));
        }
        rows += 1;
    }
    Tensor::new(vec![rows, columns.unwrap_or(0)], data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_one_length() {
        assert_eq!(read(b"# a\n1, 2\n3;-4e1\n").unwrap().data, [1.0, 2.0, 3.0, -40.0]);
        assert_eq!(read(b"1 2\n3\n").unwrap_err(), "line 2 has 1 numbers, but the first has 2");
    }
}
