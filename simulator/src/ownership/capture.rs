//! What the capture shader (`examples/khr/capture_ownership.comp`) writes, and the table that several such captures make.

use serde::Serialize;
use serde_json::{Map as Object, Value, json};

use crate::matrix::Use;

/// The first word of a capture, and the version of its form.
const MARK: u32 = 0x4E57_4F43;
const VERSION: u32 = 1;
/// Words before the elements.
const HEADER: usize = 8;

/// Who owns the elements of one type, as a device told.
#[derive(Clone, Debug, PartialEq)]
pub struct Capture {
    /// What VkComponentTypeKHR has for the components.
    pub kind: u32,
    /// What the matrix is to a multiply-add.
    pub use_: Use,
    /// Of the matrix.
    pub rows: u32,
    /// Of the matrix.
    pub columns: u32,
    /// Invocations that own the elements.
    pub subgroup_size: u32,
    /// For each invocation the elements that it owns, as indices in rows.
    pub owner: Vec<Vec<u32>>,
}

impl Capture {
    /// Reads the bytes of the shader's buffer.
    pub fn read(bytes: &[u8]) -> Result<Capture, String> {
        let (words, _) = bytes.as_chunks::<4>();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let Some((header, owned)) = words.split_at_checked(HEADER) else {
            return Err("this is shorter than what the capture shader writes".to_owned());
        };
        let &[mark, version, kind, use_, rows, columns, subgroup_size, count] = header else {
            return Err("this is shorter than what the capture shader writes".to_owned());
        };
        if mark != MARK {
            return Err(format!(
                "the first word is {mark:#010x}, not {MARK:#010x}: the capture shader did not write this"
            ));
        }
        if version != VERSION {
            return Err(format!("the capture is of version {version}, expected {VERSION}"));
        }
        let use_ = match use_ {
            0 => Use::A,
            1 => Use::B,
            2 => Use::Accumulator,
            other => return Err(format!("the use is {other}, expected 0 (A), 1 (B) or 2 (accumulator)")),
        };
        if !subgroup_size.is_power_of_two() || subgroup_size > 128 || count == 0 {
            return Err(format!("no device has {subgroup_size} invocations that own {count} elements each"));
        }
        let elements = rows.checked_mul(columns).filter(|elements| *elements > 0);
        let elements = elements.ok_or_else(|| format!("a matrix cannot be {rows}x{columns}"))?;
        let places = subgroup_size as usize * count as usize;
        let Some(owned) = owned.get(..places) else {
            return Err(format!(
                "the buffer ends after {} of {places} elements: give the shader a longer one",
                owned.len()
            ));
        };
        if let Some(element) = owned.iter().find(|element| **element >= elements) {
            return Err(format!("an invocation owns element {element} of {elements}"));
        }
        let owner: Vec<Vec<u32>> = owned.chunks(count as usize).map(<[u32]>::to_vec).collect();
        if elements as usize > places {
            return Err(format!("{places} places hold fewer than {elements} elements"));
        }
        let mut known = vec![false; elements as usize];
        owned.iter().for_each(|element| known[*element as usize] = true);
        let lost = known.iter().filter(|known| !**known).count();
        if lost > 0 {
            return Err(format!("{lost} of {elements} elements have no owner"));
        }
        Ok(Capture { kind, use_, rows, columns, subgroup_size, owner })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct File<'a> {
    device: &'a str,
    driver: &'a str,
    subgroup_size: u32,
    how: &'a str,
    layouts: Object<String, Value>,
}

/// The table of captures of one device, each with the name of its component type. [`super::Ownership::from_json`] reads it.
pub fn table(device: &str, driver: &str, captures: &[(&str, Capture)]) -> Result<String, String> {
    let Some((_, first)) = captures.first() else {
        return Err("nothing was captured".to_owned());
    };
    let mut layouts = Object::new();
    for (component, capture) in captures {
        if capture.subgroup_size != first.subgroup_size {
            return Err(format!(
                "there are captures of subgroups of {} and of {}, but a table is for one size",
                first.subgroup_size, capture.subgroup_size
            ));
        }
        let use_ = match capture.use_ {
            Use::A => "A",
            Use::B => "B",
            Use::Accumulator | Use::Unspecified => "Acc",
        };
        let Capture { rows, columns, owner, .. } = capture;
        let layout = json!({
            "component": component,
            "use": use_,
            "rows": rows,
            "columns": columns,
            "length": owner.first().map_or(0, Vec::len),
            "owner": owner,
        });
        layouts.insert(format!("{component}_{use_}_{rows}x{columns}"), layout);
    }
    let how = "coopmat-analyzer's capture shader";
    let file = File { device, driver, subgroup_size: first.subgroup_size, how, layouts };
    let mut text = serde_json::to_string(&file).map_err(|error| error.to_string())?;
    text.push('\n');
    Ok(text)
}
