//! The share of words that are among the first three: by project, by what is taken away after the cursor, and by how many characters are typed.

use std::collections::BTreeMap;

use coopmat_analysis::Analyzer;
use coopmat_ide::completion::order::Model;
use coopmat_ide::completion::ordered;
use rayon::prelude::*;

use crate::client;
use crate::places::{Cut, Place, analyze, typed};
use crate::shaders::Project;

pub const CUTS: [(Cut, &str); 3] = [(Cut::Word, "word"), (Cut::Line, "line"), (Cut::File, "file")];
pub const KEPT: [usize; 3] = [1, 2, 3];

/// What was asked and found at one place.
struct Asked<'p> {
    place: &'p Place,
    cut: &'static str,
    kept: usize,
    found: bool,
    offered: bool,
    shown: Vec<String>,
    microseconds: u128,
}

/// So many words, and a third as many members.
pub fn sampled(all: &[Place], wanted: usize) -> Vec<Place> {
    let (members, words): (Vec<Place>, Vec<Place>) = all.iter().cloned().partition(|place| place.member);
    let mut places = sample(words, wanted);
    places.extend(sample(members, wanted / 3));
    places.sort_by_key(|place| place.shader);
    places
}

/// Every so many-th of the places, so that `wanted` are left.
fn sample(all: Vec<Place>, wanted: usize) -> Vec<Place> {
    let count = all.len();
    let taken = |index: usize| index * wanted / count.max(1);
    all.into_iter()
        .enumerate()
        .filter(|(index, _)| wanted >= count || taken(*index) != taken(index + 1))
        .map(|(_, place)| place)
        .collect()
}

fn ask<'p>(project: &Project, places: &'p [Place], model: &Model) -> Vec<Asked<'p>> {
    let groups: Vec<&[Place]> = places.chunk_by(|a, b| a.shader == b.shader).collect();
    let of_group = |group: &&'p [Place]| {
        let analyzer = Analyzer::default();
        let shader = &project.shaders[group[0].shader];
        let whole = analyze(shader);
        let mut asked = Vec::new();
        for place in *group {
            for (cut, name) in CUTS {
                for kept in KEPT.into_iter().filter(|&kept| kept < place.word.len()) {
                    let Some((analysis, position)) = typed(&analyzer, shader, &whole, place, kept, cut)
                    else {
                        continue;
                    };
                    let start = cpu_time::ThreadTime::now();
                    let completions = ordered(&analysis, position, model);
                    let microseconds = start.elapsed().as_micros();
                    let shown = client::first(&completions, &place.word[..kept]);
                    asked.push(Asked {
                        place,
                        cut: name,
                        kept,
                        found: shown.contains(&place.word.as_str()),
                        offered: completions.items.iter().any(|item| item.label == place.word),
                        shown: shown.into_iter().map(str::to_owned).collect(),
                        microseconds,
                    });
                }
            }
        }
        asked
    };
    groups.par_iter().flat_map(of_group).collect()
}

/// The figures of one project under a model.
pub fn run(project: &Project, all: &[Place], model: &Model, wanted: usize, misses: usize) {
    let places = sampled(all, wanted);
    let asked = ask(project, &places, model);
    println!("note {}: {} of {} words", project.name, places.len(), all.len());
    report(project.name, &asked);
    list_misses(&asked, misses);
}

fn report(project: &str, asked: &[Asked<'_>]) {
    let mut shares: BTreeMap<(bool, &str, usize), (usize, usize, usize)> = BTreeMap::new();
    for one in asked {
        let (count, found, offered) = shares.entry((one.place.member, one.cut, one.kept)).or_default();
        *count += 1;
        *found += usize::from(one.found);
        *offered += usize::from(one.offered);
    }
    for ((member, cut, kept), (count, found, offered)) in shares {
        let what = if member { "members" } else { "words" };
        let share = |part: usize| 100.0 * part as f64 / count as f64;
        println!("{project} {what} {cut} {kept} {:.2} {count} {:.2}", share(found), share(offered));
    }
    let mut times: Vec<u128> = asked.iter().map(|one| one.microseconds).collect();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).copied().unwrap_or(0);
    println!("note {project}: p50 {} us, p95 {} us, p99 {} us", at(50), at(95), at(99));
}

fn list_misses(asked: &[Asked<'_>], count: usize) {
    let mut missed: BTreeMap<(&str, usize), (usize, &Asked<'_>)> = BTreeMap::new();
    for one in asked.iter().filter(|one| !one.found && one.cut == "line") {
        missed.entry((&one.place.word, one.kept)).or_insert((0, one)).0 += 1;
    }
    let mut missed: Vec<_> = missed.into_iter().collect();
    missed.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for ((word, kept), (times, one)) in missed.into_iter().take(count) {
        let offered = if one.offered { "" } else { " (not offered)" };
        println!(
            "note   {times} x {word} after {kept}{offered}, {}:{}: {}",
            one.place.file,
            one.place.start,
            one.shown.join(", ")
        );
    }
}
