//! NumPy's `.npy` files (format versions 1 to 3), for numbers that are no structures, in both byte orders and both element orders.

use crate::component::Component;
use crate::tensor::{Tensor, count, shown};

/// Reads a file. The second value is the type of its elements.
pub fn read(bytes: &[u8]) -> Result<(Tensor, Component), String> {
    let body = bytes
        .strip_prefix(b"\x93NUMPY")
        .ok_or("this is not a .npy file: it does not begin with \\x93NUMPY")?;
    let (header_length, header_start): (usize, usize) = match body {
        [1, _, low, high, ..] => (usize::from(u16::from_le_bytes([*low, *high])), 4),
        [2 | 3, _, a, b, c, d, ..] => (u32::from_le_bytes([*a, *b, *c, *d]) as usize, 6),
        _ => return Err("unknown version of the .npy format".to_owned()),
    };
    let header = body.get(header_start..header_start.saturating_add(header_length));
    let header =
        header.and_then(|header| std::str::from_utf8(header).ok()).ok_or("the .npy header is incomplete")?;
    let data = body.get(header_start + header_length..).unwrap_or_default();

    let text = entry(header, "descr").map(|text| text.trim_matches(|char| matches!(char, '\'' | '"')));
    let text = text.ok_or("the .npy header has no `descr`")?;
    let (order, kind) = text.split_at_checked(1).unwrap_or(("", text));
    let (big, kind) = match order {
        ">" => (true, kind),
        "<" | "=" | "|" => (false, kind),
        _ => (false, text),
    };
    let component = match kind {
        "f8" => Component::F64,
        "f4" => Component::F32,
        "f2" => Component::F16,
        "i1" => Component::S8,
        "u1" | "b1" => Component::U8,
        "i2" => Component::S16,
        "u2" => Component::U16,
        "i4" => Component::S32,
        "u4" => Component::U32,
        "i8" => Component::S64,
        "u8" => Component::U64,
        _ => {
            return Err(format!(
                "elements of type `{text}` are not supported: only plain integers and floats"
            ));
        }
    };
    let shape = entry(header, "shape").ok_or("the .npy header has no `shape`")?;
    let lengths = shape.trim_matches(|char| matches!(char, '(' | ')')).split(',').map(str::trim);
    let lengths: Result<Vec<usize>, _> =
        lengths.filter(|length| !length.is_empty()).map(str::parse).collect();
    let lengths = lengths.map_err(|_| format!("`{shape}` is not a shape"))?;
    let elements = count(&lengths)?;
    if data.len() < elements * component.size() {
        return Err(format!(
            "{} of {} take {} bytes, but the file has {}",
            shown(&lengths),
            component.name(),
            elements * component.size(),
            data.len()
        ));
    }
    let piece = |index: usize| {
        let at = index * component.size();
        let mut bytes = [0; 8];
        let piece = &mut bytes[..component.size()];
        piece.copy_from_slice(&data[at..at + component.size()]);
        if big {
            piece.reverse();
        }
        bytes
    };
    let fortran = entry(header, "fortran_order") == Some("True");
    let place = |index: usize| if fortran { fortran_place(&lengths, index) } else { index };
    let tensor = match component.is_wide_integer() {
        true => {
            let integer = |index: usize| component.read_integer(&piece(place(index)), 0).unwrap_or(0);
            Tensor::of_integers(lengths.clone(), (0..elements).map(integer))?
        }
        false => {
            let value = |index: usize| component.read(&piece(place(index)), 0).unwrap_or(f64::NAN);
            Tensor::new(lengths.clone(), (0..elements).map(value).collect())?
        }
    };
    Ok((tensor, component))
}

/// The value behind a key of the header, which is a Python dictionary.
fn entry<'h>(header: &'h str, key: &str) -> Option<&'h str> {
    let start = ['\'', '"'].iter().find_map(|quote| header.find(&format!("{quote}{key}{quote}")))?;
    let value = header.get(start + key.len() + 2..)?.trim_start().strip_prefix(':')?.trim_start();
    let end = if value.starts_with('(') { value.find(')')? + 1 } else { value.find([',', '}'])? };
    Some(value.get(..end)?.trim())
}

/// Where an element is in a file whose first direction is the fastest.
fn fortran_place(shape: &[usize], mut index: usize) -> usize {
    let (mut at, mut step) = (0, shape.iter().product::<usize>());
    for length in shape.iter().rev() {
        step /= (*length).max(1);
        at += index % (*length).max(1) * step;
        index /= (*length).max(1);
    }
    at
}

/// Writes a file of version 1. bf16 and the 8-bit floats, which NumPy lacks, become 32-bit floats.
pub fn write(tensor: &Tensor, component: Component) -> Vec<u8> {
    let component = match component {
        Component::Bf16 | Component::E4m3 | Component::E5m2 => Component::F32,
        other => other,
    };
    let kind = match component {
        Component::F64 => "<f8",
        Component::F32 | Component::Bf16 | Component::E4m3 | Component::E5m2 => "<f4",
        Component::F16 => "<f2",
        Component::S8 => "|i1",
        Component::U8 => "|u1",
        Component::S16 => "<i2",
        Component::U16 => "<u2",
        Component::S32 => "<i4",
        Component::U32 => "<u4",
        Component::S64 => "<i8",
        Component::U64 => "<u8",
    };
    let lengths: Vec<String> = tensor.shape.iter().map(|length| format!("{length},")).collect();
    let shape = lengths.join(" ");
    let shape = if tensor.shape.len() > 1 { shape.trim_end_matches(',') } else { &shape };
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // Magic, version and length are ten bytes; the data begins at a multiple of 64, after a line feed.
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    let start = bytes.len();
    bytes.resize(start + tensor.data.len() * component.size(), 0);
    for (index, value) in tensor.data.iter().enumerate() {
        let at = start + index * component.size();
        match tensor.integer(index).filter(|_| component.is_wide_integer()) {
            Some(integer) => component.write_integer(&mut bytes, at, integer),
            None => component.write(&mut bytes, at, *value),
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for shape in [vec![6], vec![2, 3], vec![1, 2, 3]] {
            let tensor = Tensor::new(shape, vec![1.0, -2.0, 0.5, 3.0, 4.0, 65504.0]).unwrap();
            for component in [Component::F64, Component::F32, Component::F16] {
                let bytes = write(&tensor, component);
                assert_eq!((bytes.len() - 6 * component.size()) % 64, 0);
                assert_eq!(read(&bytes), Ok((tensor.clone(), component)));
            }
        }
    }

    #[test]
    fn other_orders_are_understood() {
        let header = "{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }";
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend([0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5]);
        assert_eq!(read(&bytes).unwrap().0.data, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        bytes.pop();
        assert_eq!(read(&bytes).unwrap_err(), "2x3 of s16 take 12 bytes, but the file has 11");
    }
}
