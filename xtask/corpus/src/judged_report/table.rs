//! The table of the document: a row for each variant and each set of types that it reads.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use coopmat_corpus::llama::Variant;

/// The largest errors, and what they may be, in units of the sum of absolute products.
#[derive(Clone, Copy)]
pub struct Worst {
    pub ours: f64,
    pub glslang: f64,
    pub bound: f64,
}

pub struct Row {
    pub variant: String,
    pub types: String,
    subgroup: u32,
    sizes: Vec<String>,
    /// That of the shape whose error comes closest to its bound.
    worst: Option<Worst>,
    runs: usize,
    failures: usize,
    /// Whether the document says that llama.cpp's source is to blame.
    judged: bool,
}

impl Row {
    pub fn new(variant: &str, types: &str, subgroup: u32, judged: bool) -> Row {
        Row {
            variant: variant.to_owned(),
            types: types.to_owned(),
            subgroup,
            sizes: Vec::new(),
            worst: None,
            runs: 0,
            failures: 0,
            judged,
        }
    }

    pub fn add(&mut self, sizes: &str, worst: Worst, runs: usize, failures: usize) {
        self.sizes.push(sizes.to_owned());
        let share = |worst: Worst| worst.ours.max(worst.glslang) / worst.bound;
        if self.worst.is_none_or(|before| share(worst) > share(before)) {
            self.worst = Some(worst);
        }
        self.runs += runs;
        self.failures += failures;
    }
}

impl Row {
    fn verdict(&self) -> &'static str {
        match (self.failures > 0, self.judged) {
            (false, _) => "met",
            (true, true) => "wrong in llama.cpp",
            (true, false) => "**wrong**",
        }
    }
}

/// Variants whose results are wrong, and whose source is to blame: rows `| `wrong` | variant | why |` of the document.
pub fn wrong_in_llama(document: &str) -> BTreeSet<String> {
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let ["`wrong`", variants, why] = cells[..] else { return None };
        (!why.is_empty())
            .then(|| variants.split(',').map(|variant| variant.trim().to_owned()).collect::<Vec<_>>())
    };
    document.lines().filter_map(row).flatten().collect()
}

/// The rows, and how many of the variants they are of.
pub fn markdown(rows: &[Row], variants: &[&Variant]) -> String {
    let mut text =
        "| variant | of | shapes | subgroups of | bound | ours | glslang's | runs | verdict |\n|---|---|---|---|---|---|---|---|---|\n"
            .to_owned();
    for row in rows {
        let Some(worst) = row.worst else { continue };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.1e} | {:.1e} | {:.1e} | {} | {} |",
            row.variant,
            row.types,
            row.sizes.join(", "),
            row.subgroup,
            worst.bound,
            worst.ours,
            worst.glslang,
            row.runs,
            row.verdict()
        );
    }
    let judged: BTreeSet<&str> = rows.iter().map(|row| row.variant.as_str()).collect();
    let runs: usize = rows.iter().map(|row| row.runs).sum();
    let wrong: BTreeSet<&str> =
        rows.iter().filter(|row| row.failures > 0).map(|row| row.variant.as_str()).collect();
    let _ = writeln!(
        text,
        "\n{} of {} variants judged, {} met, {} wrong; {} rows, {runs} runs.",
        judged.len(),
        variants.len(),
        judged.len() - wrong.len(),
        wrong.len(),
        rows.len()
    );
    text
}
