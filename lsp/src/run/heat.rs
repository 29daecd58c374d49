//! Matrices as pictures: the colours of numbers, and PNG files.
//!
//! The colours lie on a straight line in the colour space OKLab, from a dark blue to a light yellow: equal steps of a number are equal
//! steps to the eye, lightness alone tells them too, and red and green, which many people confuse, do not occur. The conversion to
//! sRGB is Björn Ottosson's, "A perceptual color space for image processing" (2020), with his matrices.

use std::path::{Path, PathBuf};

use coopmat_recipe::Tensor;

/// Lightness, green to red, blue to yellow.
const DARK: [f64; 3] = [0.24, 0.0, -0.13];
const LIGHT: [f64; 3] = [0.95, -0.02, 0.16];

/// The colour of a number that lies in the range at `part` between 0 and 1. What is no number is magenta.
pub fn colour(part: f64) -> [u8; 3] {
    if part.is_nan() {
        return [255, 0, 255];
    }
    let part = part.clamp(0.0, 1.0);
    let mix = |index: usize| DARK[index] + (LIGHT[index] - DARK[index]) * part;
    oklab_to_srgb([mix(0), mix(1), mix(2)])
}

fn oklab_to_srgb([lightness, a, b]: [f64; 3]) -> [u8; 3] {
    let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let linear = [
        4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
        -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
        -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
    ];
    linear.map(|value| {
        let value = value.clamp(0.0, 1.0);
        let encoded =
            if value <= 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
        (encoded * 255.0).round() as u8
    })
}

/// The smallest and the largest finite number.
pub fn range(values: &[f64]) -> (f64, f64) {
    let finite = || values.iter().copied().filter(|value| value.is_finite());
    (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max))
}

/// Where a number lies in a range; infinities at its ends.
pub fn part(value: f64, (low, high): (f64, f64)) -> f64 {
    if value.is_nan() {
        f64::NAN
    } else if value == f64::INFINITY {
        1.0
    } else if value == f64::NEG_INFINITY {
        0.0
    } else if high > low {
        (value - low) / (high - low)
    } else {
        0.5
    }
}

/// Pixels of the largest picture's side.
const MOST: usize = 16_384;
/// A picture that would be smaller than this gets larger elements.
const WANTED: usize = 512;

/// One square for each element; several matrices stand below one another, with a gap.
pub fn png(tensor: &Tensor) -> Result<Vec<u8>, String> {
    let (rows, columns, matrices) = (tensor.rows(), tensor.columns(), tensor.matrices());
    let lines = matrices * rows + matrices.saturating_sub(1);
    if lines == 0 || columns == 0 || lines > MOST || columns > MOST {
        return Err(format!("cannot draw {columns} x {lines} elements: the limit is {MOST}"));
    }
    let scale = (WANTED / lines.max(columns)).clamp(1, 32);
    let (width, height) = (columns * scale, lines * scale);
    let range = range(&tensor.data);
    let mut pixels = vec![255u8; width * height * 3];
    for matrix in 0..matrices {
        for row in 0..rows {
            for column in 0..columns {
                let value = tensor.data[(matrix * rows + row) * columns + column];
                let colour = colour(part(value, range));
                let top = (matrix * (rows + 1) + row) * scale;
                for y in top..top + scale {
                    for x in column * scale..(column + 1) * scale {
                        let at = (y * width + x) * 3;
                        pixels[at..at + 3].copy_from_slice(&colour);
                    }
                }
            }
        }
    }
    let note = format!("from {} (dark) to {} (light)", range.0, range.1);
    encode(&pixels, (width, height), note)
}

/// A PNG file of pixels in rows, three bytes each, with a description.
///
/// # Errors
/// Those of the encoder: none of pixels that are as many as said.
pub fn encode(
    pixels: &[u8],
    (width, height): (usize, usize),
    description: String,
) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder
        .add_text_chunk("Description".to_owned(), description)
        .and_then(|()| encoder.write_header())
        .and_then(|mut writer| writer.write_image_data(pixels));
    written.map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// `out.png` becomes `out-D.png`.
pub fn numbered(path: &Path, name: &str) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let extension = path.extension().map_or("png".into(), |extension| extension.to_string_lossy());
    path.with_file_name(format!("{stem}-{name}.{extension}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance grows with the number, so that the picture works in grey, too.
    #[test]
    fn larger_numbers_are_lighter() {
        let luminance = |part: f64| {
            let [red, green, blue] = colour(part).map(|value| (f64::from(value) / 255.0).powf(2.2));
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        for step in 0..20 {
            assert!(luminance(f64::from(step) / 20.0) < luminance(f64::from(step + 1) / 20.0), "{step}");
        }
    }

    #[test]
    fn a_picture_has_a_square_for_each_element() {
        let tensor = Tensor::new(vec![2, 2, 3], (0..12).map(f64::from).collect()).unwrap();
        let bytes = png(&tensor).unwrap();
        let decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        let reader = decoder.read_info().unwrap();
        assert_eq!((reader.info().width, reader.info().height), (96, 160));
    }
}
