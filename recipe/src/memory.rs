//! How much memory a recipe may take.

/// Bytes that buffers to come may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Memory {
    pub left: usize,
    /// How the user allows more.
    pub more: &'static str,
}

impl Memory {
    /// An end of a sentence about what takes more.
    pub fn is_left(&self) -> String {
        let advice = if self.more.is_empty() { String::new() } else { format!("; {}", self.more) };
        format!("{} are available{advice}", self.left)
    }
}
