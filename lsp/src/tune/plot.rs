//! `tune --plot`: each choice as a point, by the model and by the times that were measured, as a PNG file.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::path::Path;

use embedded_graphics::Pixel;
use embedded_graphics::geometry::{OriginDimensions, Point, Size};
use embedded_graphics::mono_font::iso_8859_1::{FONT_8X13, FONT_10X20};
use embedded_graphics::mono_font::{MonoFont, MonoTextStyle};
use embedded_graphics::pixelcolor::Rgb888;
use embedded_graphics::prelude::{DrawTarget, Drawable as _, Primitive as _, RgbColor as _};
use embedded_graphics::primitives::{Circle, Line, PrimitiveStyle};
use embedded_graphics::text::{Alignment, Baseline, Text, TextStyleBuilder};

use super::candidate::{Candidate, Measured};
use super::report::Report;
use crate::run::encode_png;

const WIDTH: u32 = 1200;
const HEIGHT: u32 = 760;
/// The area of the points.
const LEFT: i32 = 110;
const RIGHT: i32 = 1160;
const TOP: i32 = 110;
const BOTTOM: i32 = 660;
/// Pixels.
const RADIUS: u32 = 9;
/// Characters of a line in the larger font, and in the smaller one.
const LARGE: usize = 105;
const SMALL: usize = 130;
/// Marks of an axis, about.
const MARKS: f64 = 6.0;

const INK: Rgb888 = Rgb888::new(32, 33, 36);
const GRID: Rgb888 = Rgb888::new(222, 225, 230);
const PLAIN: Rgb888 = Rgb888::new(0, 94, 184);
const SPREAD: Rgb888 = Rgb888::new(150, 182, 214);
/// Another hue and another lightness than [`PLAIN`].
const FIRST: Rgb888 = Rgb888::new(200, 80, 0);
const WRONG: Rgb888 = Rgb888::new(160, 164, 170);

/// Why there is no picture.
pub const NOTHING: &str = "--plot: there is nothing to draw, as no order is predicted and nothing was measured: add --measure vulkan, or a --device with a model";

/// Before anything is run: whether a file can be written there.
///
/// # Errors
/// That the name does not end with `.png`, or that there is no such folder.
pub fn check(path: &Path) -> Result<(), String> {
    let shown = path.display();
    if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Err(format!("--plot {shown}: expected a name that ends with .png"));
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) if !folder.is_dir() => {
            Err(format!("--plot {shown}: there is no folder {}", folder.display()))
        }
        _ => Ok(()),
    }
}

/// One choice.
#[derive(Clone, Debug, PartialEq)]
struct Dot {
    x: f64,
    y: f64,
    /// The shortest and the longest time.
    spread: Option<(f64, f64)>,
    name: String,
    /// Its results are not what the recipe expects.
    wrong: bool,
}

/// What is drawn.
#[derive(Clone, Debug, PartialEq)]
struct Plot {
    title: String,
    subtitle: String,
    x: &'static str,
    y: &'static str,
    dots: Vec<Dot>,
    /// Dots with a name beside them, and what they are.
    named: Vec<(usize, &'static str)>,
}

/// # Errors
/// That there is nothing to draw.
pub fn png(report: &Report) -> Result<Vec<u8>, String> {
    let plot = plot(report)?;
    let mut canvas = Canvas { pixels: vec![255; (WIDTH * HEIGHT * 3) as usize] };
    plot.draw(&mut canvas);
    encode_png(
        &canvas.pixels,
        (WIDTH as usize, HEIGHT as usize),
        format!("{}: {}", plot.title, plot.subtitle),
    )
}

/// What there is to draw of a report: nothing that its text does not tell.
fn plot(report: &Report) -> Result<Plot, String> {
    let least = report.candidates.iter().filter_map(|it| it.predicted).fold(f64::INFINITY, f64::min);
    let model = |it: &Candidate| it.predicted.map(|cost| cost / least);
    let measured = report.candidates.iter().filter(|it| it.median().is_some()).count();
    let predicted = report.candidates.iter().filter(|it| it.predicted.is_some()).count();
    let times = |it: &Candidate| match &it.measured {
        Some(Measured::Times { times, .. }) => {
            Some((times.median * 1e6, Some((times.shortest * 1e6, times.longest * 1e6))))
        }
        Some(Measured::Refused(_)) | None => None,
    };
    let mut dots = Vec::new();
    for (rank, it) in report.candidates.iter().enumerate() {
        let rank = (rank + 1) as f64;
        let (x, (y, spread)) = match (measured > 0, predicted > 0) {
            (true, true) => match (model(it), times(it)) {
                (Some(model), Some(times)) => (model, times),
                _ => continue,
            },
            (true, false) => match times(it) {
                Some(times) => (rank, times),
                None => continue,
            },
            (false, true) => match model(it) {
                Some(model) => (rank, (model, None)),
                None => continue,
            },
            (false, false) => continue,
        };
        dots.push(Dot { x, y, spread, name: it.choice.to_string(), wrong: it.is_wrong() });
    }
    if dots.is_empty() {
        return Err(NOTHING.to_owned());
    }
    let on = report.device.as_ref().map(|device| format!(" on {device}")).unwrap_or_default();
    let title = format!("{}{on}: {} of {} combinations", report.shader, dots.len(), report.all);
    // Of equal ones the first.
    let lowest = |of: &dyn Fn(&Dot) -> f64| {
        let numbers = dots.iter().enumerate().filter(|(_, dot)| !dot.wrong).map(|(at, dot)| (at, of(dot)));
        numbers.reduce(|best, one| if one.1 < best.1 { one } else { best }).map(|(at, _)| at)
    };
    let fastest = lowest(&|dot| dot.y);
    let (x, y, mut subtitle, named) = match (measured > 0, predicted > 0) {
        (true, true) => {
            let first = lowest(&|dot| dot.x);
            let names = vec![(fastest, "fastest: "), (first, "the model's first of these: ")];
            let says = match &report.agreement {
                Some(it) => {
                    format!("times of a device beside the model; rank correlation {:.2}", it.rank_correlation)
                }
                None => "times of a device beside the model".to_owned(),
            };
            (
                "model, times its least",
                "median, microseconds; lines from the shortest to the longest",
                says,
                names,
            )
        }
        (true, false) => (
            "rank",
            "median, microseconds; lines from the shortest to the longest",
            "times of a device; no order is predicted".to_owned(),
            vec![(fastest, "fastest: ")],
        ),
        _ => (
            "rank by the model",
            "model, times its least",
            "a model of what is likely to be fast; nothing was measured".to_owned(),
            vec![(fastest, "the model's first: ")],
        ),
    };
    let mut named: Vec<(usize, &str)> =
        named.into_iter().filter_map(|(at, what)| Some((at?, what))).collect();
    if let [(a, _), (b, _)] = named.as_slice()
        && a == b
    {
        named = vec![(*a, "fastest, and the model's first of these: ")];
    }
    let missing = report.candidates.len() - dots.len();
    if missing > 0 {
        let _ = write!(subtitle, "; {missing} not measured");
    }
    let wrong = dots.iter().filter(|dot| dot.wrong).count();
    if wrong > 0 {
        let _ = write!(subtitle, "; {wrong} with wrong results, grey");
    }
    Ok(Plot { title, subtitle, x, y, dots, named })
}

/// An axis from zero on, with marks at round numbers.
struct Axis {
    end: f64,
    step: f64,
    from: i32,
    to: i32,
}

impl Axis {
    fn new(most: f64, from: i32, to: i32) -> Axis {
        let most = if most.is_finite() && most > 0.0 { most } else { 1.0 };
        let rough = most / MARKS;
        let magnitude = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|one| one * magnitude).find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        Axis { end: (most / step).ceil() * step, step, from, to }
    }

    fn at(&self, value: f64) -> i32 {
        self.from + (value / self.end * f64::from(self.to - self.from)).round() as i32
    }

    fn marks(&self) -> impl Iterator<Item = (i32, String)> + '_ {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        (0..=(self.end / self.step).round() as u32).map(move |number| {
            let value = f64::from(number) * self.step;
            (self.at(value), format!("{value:.digits$}"))
        })
    }
}

impl Plot {
    fn draw(&self, canvas: &mut Canvas) {
        let across = Axis::new(self.dots.iter().map(|dot| dot.x).fold(0.0, f64::max), LEFT, RIGHT);
        let tops = self.dots.iter().map(|dot| dot.spread.map_or(dot.y, |(_, longest)| longest));
        let up = Axis::new(tops.fold(0.0, f64::max), BOTTOM, TOP);
        canvas.text(&FONT_10X20, &short(&self.title, LARGE), (LEFT, 24), Alignment::Left, INK);
        canvas.text(&FONT_8X13, &short(&self.subtitle, SMALL), (LEFT, 52), Alignment::Left, INK);
        canvas.text(&FONT_8X13, self.y, (LEFT, 82), Alignment::Left, INK);
        canvas.text(&FONT_8X13, self.x, ((LEFT + RIGHT) / 2, BOTTOM + 34), Alignment::Center, INK);
        for (x, mark) in across.marks() {
            canvas.line((x, TOP), (x, BOTTOM), GRID, 1);
            canvas.text(&FONT_8X13, &mark, (x, BOTTOM + 10), Alignment::Center, INK);
        }
        for (y, mark) in up.marks() {
            canvas.line((LEFT, y), (RIGHT, y), GRID, 1);
            canvas.text(&FONT_8X13, &mark, (LEFT - 10, y - 6), Alignment::Right, INK);
        }
        canvas.line((LEFT, TOP), (LEFT, BOTTOM), INK, 1);
        canvas.line((LEFT, BOTTOM), (RIGHT, BOTTOM), INK, 1);
        for dot in &self.dots {
            if let Some((shortest, longest)) = dot.spread {
                let x = across.at(dot.x);
                canvas.line((x, up.at(shortest)), (x, up.at(longest)), SPREAD, 2);
            }
        }
        let place = |dot: &Dot| (across.at(dot.x), up.at(dot.y));
        for dot in &self.dots {
            canvas.dot(place(dot), RADIUS, if dot.wrong { WRONG } else { PLAIN });
        }
        // Names stand below the picture, so that they lie on no dot.
        for (number, (index, what)) in self.named.iter().enumerate() {
            let Some(dot) = self.dots.get(*index) else { continue };
            let letter = if number == 0 { "A" } else { "B" };
            canvas.dot(place(dot), RADIUS + 6, FIRST);
            let (x, y) = place(dot);
            canvas.text(&FONT_8X13, letter, (x, y - 6), Alignment::Center, Rgb888::WHITE);
            let line = BOTTOM + 58 + 18 * number as i32;
            let name = short(&format!("{letter}  {what}{}", dot.name), SMALL);
            canvas.text(&FONT_8X13, &name, (LEFT, line), Alignment::Left, FIRST);
        }
    }
}

/// The start of a line that is too long, with dots.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => text.chars().take(most - 3).chain("...".chars()).collect(),
        None => text.to_owned(),
    }
}

struct Canvas {
    /// Red, green and blue of each, in rows.
    pixels: Vec<u8>,
}

impl Canvas {
    fn text(
        &mut self,
        font: &MonoFont<'_>,
        text: &str,
        (x, y): (i32, i32),
        alignment: Alignment,
        colour: Rgb888,
    ) {
        let style = TextStyleBuilder::new().alignment(alignment).baseline(Baseline::Top).build();
        let text = Text::with_text_style(text, Point::new(x, y), MonoTextStyle::new(font, colour), style);
        let Ok(_) = text.draw(self);
    }

    fn line(&mut self, from: (i32, i32), to: (i32, i32), colour: Rgb888, width: u32) {
        let line = Line::new(Point::from(from), Point::from(to));
        let Ok(()) = line.into_styled(PrimitiveStyle::with_stroke(colour, width)).draw(self);
    }

    fn dot(&mut self, (x, y): (i32, i32), diameter: u32, colour: Rgb888) {
        let circle = Circle::with_center(Point::new(x, y), diameter);
        let Ok(()) = circle.into_styled(PrimitiveStyle::with_fill(colour)).draw(self);
    }
}

impl OriginDimensions for Canvas {
    fn size(&self) -> Size {
        Size::new(WIDTH, HEIGHT)
    }
}

impl DrawTarget for Canvas {
    type Color = Rgb888;
    type Error = Infallible;

    fn draw_iter<I: IntoIterator<Item = Pixel<Rgb888>>>(&mut self, pixels: I) -> Result<(), Infallible> {
        for Pixel(Point { x, y }, colour) in pixels {
            let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { continue };
            if x >= WIDTH as usize {
                continue;
            }
            let at = (y * WIDTH as usize + x) * 3;
            if let Some(pixel) = self.pixels.get_mut(at..at + 3) {
                pixel.copy_from_slice(&[colour.r(), colour.g(), colour.b()]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::Order;
    use super::*;

    #[test]
    fn marks_are_round_and_reach_the_last_number() {
        let marks = |most: f64| Axis::new(most, 0, 100).marks().map(|(_, mark)| mark).collect::<Vec<_>>();
        assert_eq!(marks(4.1), ["0", "1", "2", "3", "4", "5"]);
        assert_eq!(marks(0.7), ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(marks(1234.0), ["0", "500", "1000", "1500"]);
        assert_eq!(marks(0.0).last().unwrap(), "1.0");
    }

    fn report(candidates: Vec<Candidate>) -> Report {
        Report {
            shader: "a.comp".to_owned(),
            device: Some("nvidia-h200".to_owned()),
            is_module: false,
            expects: true,
            all: 9,
            excluded: 0,
            refused: std::collections::BTreeMap::default(),
            equal: 0,
            dropped: 0,
            order: Order::Times,
            candidates,
            agreement: None,
        }
    }

    #[test]
    fn wrong_and_unmeasured_choices_are_not_the_fastest() {
        let some = |number, predicted, measured| Candidate::of_test(number, Some(predicted), measured);
        let wrong = some(1, 4.0, Some((1e-6, false)));
        let right = some(2, 6.0, Some((2e-6, true)));
        let slow = some(3, 5.0, Some((3e-6, true)));
        let unmeasured = some(4, 2.0, None);
        let plot = plot(&report(vec![wrong, right, slow, unmeasured])).unwrap();
        assert_eq!(plot.title, "a.comp on nvidia-h200: 3 of 9 combinations");
        assert_eq!(
            plot.subtitle,
            "times of a device beside the model; 1 not measured; 1 with wrong results, grey"
        );
        let dots: Vec<(f64, f64, bool)> = plot.dots.iter().map(|dot| (dot.x, dot.y, dot.wrong)).collect();
        assert_eq!(dots, [(2.0, 1.0, true), (3.0, 2.0, false), (2.5, 3.0, false)]);
        let named: Vec<(&str, &str)> =
            plot.named.iter().map(|(at, what)| (*what, plot.dots[*at].name.as_str())).collect();
        assert_eq!(named, [("fastest: ", "T=2"), ("the model's first of these: ", "T=3")]);
    }

    #[test]
    fn without_times_and_without_a_model_there_is_nothing_to_draw() {
        assert_eq!(plot(&report(vec![Candidate::of_test(1, None, None)])), Err(NOTHING.to_owned()));
        let times_alone = plot(&report(vec![Candidate::of_test(1, None, Some((2e-6, true)))])).unwrap();
        assert_eq!(times_alone.subtitle, "times of a device; no order is predicted");
    }

    #[test]
    fn a_dot_is_drawn_where_its_numbers_are() {
        let dot = |x: f64, y: f64| Dot { x, y, spread: None, name: "T = 1".to_owned(), wrong: false };
        let plot = Plot {
            title: "t".to_owned(),
            subtitle: "s".to_owned(),
            x: "x",
            y: "y",
            dots: vec![dot(1.0, 5.0), dot(5.0, 2.5)],
            named: vec![(1, "fastest: ")],
        };
        let mut canvas = Canvas { pixels: vec![255; (WIDTH * HEIGHT * 3) as usize] };
        plot.draw(&mut canvas);
        let at = |x: i32, y: i32| {
            let at = ((y * WIDTH as i32 + x) * 3) as usize;
            Rgb888::new(canvas.pixels[at], canvas.pixels[at + 1], canvas.pixels[at + 2])
        };
        assert_eq!(at(LEFT + (RIGHT - LEFT) / 5, TOP), PLAIN);
        // Beside the letter.
        assert_eq!(at(RIGHT, (TOP + BOTTOM) / 2 + 6), FIRST);
        assert_eq!(at(LEFT + 30, TOP + 30), Rgb888::WHITE);
    }
}
