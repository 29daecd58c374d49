//! What the verdicts come to: figures, and an example of each kind.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use coopmat_corpus::mutants::{Kind, Listed, Ours, Theirs, first_error};

use super::by_count;
use super::subjects::{Bases, Mutant};

/// One mutant about which the judges disagree.
pub struct Disagreement<'m> {
    pub number: usize,
    pub mutant: &'m Mutant,
    pub kind: Kind,
    pub ours: Ours,
    pub theirs: Theirs,
    /// What `spirv-val` says to glslang's module, where glslang makes one.
    pub complaint: Option<String>,
}

pub struct Report<'m> {
    pub bases: &'m Bases,
    pub seed: u64,
    /// How many mutants count: those of shaders that glslang accepts before the edit.
    pub judged: usize,
    /// How many are valid for every judge.
    pub accepted: usize,
    pub found: Vec<Disagreement<'m>>,
}

impl Report<'_> {
    /// Prints everything, writes the examples, and fails where something must not be.
    pub fn conclude(self, listed: &Listed, folder: &Path, print: bool, at_least: f64) -> Result<()> {
        fs::create_dir_all(folder)?;
        let mut groups: BTreeMap<&Kind, Vec<&Disagreement<'_>>> = BTreeMap::new();
        for found in &self.found {
            groups.entry(&found.kind).or_default().push(found);
        }
        let (kinds, mut beyond, mut fatal) = (groups.len(), 0, 0);
        let mut used = BTreeSet::new();
        for (kind, members) in by_count(groups) {
            let row = listed.row(&kind.name);
            used.extend(row);
            if row.is_none() {
                beyond += members.len();
                fatal += usize::from(kind.fatal);
            }
            if let (true, Some(example)) =
                (row.is_none() || print, members.iter().min_by_key(|found| found.mutant.edit.text.len()))
            {
                let mark = match (row, kind.fatal) {
                    (Some(_), _) => "listed",
                    (None, true) => "WRONG",
                    (None, false) => "not listed",
                };
                println!("{:5} {mark}: {kind}", members.len());
                self.show(example, folder)?;
            }
        }
        if print {
            for row in listed.others(&used) {
                println!("listed, and not met: {row}");
            }
        }
        let share = |agreed: usize| 100.0 * agreed as f64 / self.judged.max(1) as f64;
        let (raw, listed) = (share(self.judged - self.found.len()), share(self.judged - beyond));
        println!(
            "{} edited shaders with seed {}: {} are valid for every judge, {raw:.1} % agreed, {listed:.1} % beyond the listed kinds; \
             {kinds} kinds of disagreement, {fatal} of them wrong by themselves",
            self.judged, self.seed, self.accepted
        );
        if fatal > 0 {
            bail!(
                "{fatal} kinds are wrong by themselves: a panic, or `check` passes and there is no valid module"
            );
        }
        if listed < at_least {
            bail!("{listed:.1} % agreed beyond the listed kinds, and {at_least:.1} % have to");
        }
        Ok(())
    }

    /// The edited line before and after, and what each judge says.
    fn show(&self, found: &Disagreement<'_>, folder: &Path) -> Result<()> {
        let Disagreement { number, mutant, .. } = found;
        let shader = self.bases.shader(mutant.base);
        let edit = &mutant.edit;
        let before = self.bases.shaders.text(shader);
        let line = |text: &str| text.lines().nth(edit.line - 1).unwrap_or_default().trim().to_owned();
        let path = folder.join(format!("{}-{number}.comp", self.seed));
        fs::write(&path, &edit.text)?;
        println!("      {} line {} ({}), {}", shader.name, edit.line, edit.what, path.display());
        println!("      - {}", line(&before));
        println!("      + {}", line(&edit.text));
        println!("      ours: {}", ours(&found.ours));
        let theirs = match &found.theirs {
            Theirs::Accepted => match &found.complaint {
                None => "accepts, with a valid module".to_owned(),
                Some(complaint) => format!("accepts, with a module that is not valid: {}", short(complaint)),
            },
            Theirs::Refused(log) => short(first_error(log)),
            Theirs::Crash => "crashes".to_owned(),
            Theirs::Hang => "does not end".to_owned(),
        };
        println!("      glslang: {theirs}");
        Ok(())
    }
}

fn ours(verdict: &Ours) -> String {
    match verdict {
        Ours::Valid => "valid".to_owned(),
        Ours::Refused { id, message } => format!("{id}: {}", short(message)),
        Ours::NotCompiled { message, told } => {
            let how = if *told { "warns that it is not compiled" } else { "passes, and is not compiled" };
            format!("{how}: {}", short(message))
        }
        Ours::Invalid { complaint, .. } => {
            format!("passes, and its module is not valid: {}", short(complaint))
        }
        Ours::Panic { message, place } => format!("panics at {place}: {}", short(message)),
    }
}

/// As much of a message as one line takes.
fn short(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let mut out: String = line.chars().take(240).collect();
    if out.len() < line.len() {
        out.push('…');
    }
    out
}
