//! Whether what is written is in colour.

use std::io::IsTerminal as _;

use crate::arguments::Color;

/// Whether standard output is.
pub fn in_colour(color: Color) -> bool {
    match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => std::io::stdout().is_terminal() && colour_is_wanted(),
    }
}

fn colour_is_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether standard error is.
pub fn errors_in_colour(color: Color) -> bool {
    match color {
        Color::Auto => std::io::stderr().is_terminal() && colour_is_wanted(),
        Color::Always | Color::Never => in_colour(color),
    }
}
