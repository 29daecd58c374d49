//! What speaks for an item: numbers, for which the model has weights.

use super::super::item::Item;
use super::super::rank;
use super::context::{Context, is_of_language, spelling};
use super::document::{BEFORE, Document, Uses};
use super::model::{Followers, Model};
use super::numbers::{KIND_NAMES, LANGUAGE, NAMES};
use crate::site::Site;

pub struct Evidence<'m> {
    model: &'m Model,
    kind: usize,
    followers: Vec<&'m Followers>,
    document: Document,
    /// Whether each item is a word of the language.
    of_language: Vec<bool>,
    /// The next item.
    next: usize,
    numbers: Vec<(u16, f32)>,
    /// The token before the last one.
    second: String,
    /// Names that are seen are as likely as any of these together.
    program: [f32; 2],
    candidates: f32,
}

impl<'m> Evidence<'m> {
    pub fn new(site: &Site<'_>, model: &'m Model, items: &[Item]) -> Evidence<'m> {
        let context = Context::new(site);
        let followers: Vec<&Followers> = context.keys.iter().filter_map(|key| model.followers(key)).collect();
        let call = context.call.as_ref().map(|(callee, argument)| (callee.as_str(), *argument));
        let document = Document::new(site, call, items.iter().map(|item| item.label.as_str()));
        let program = ["n", "N"].map(|spelling| model.likelihood(&followers, spelling));
        let of_language: Vec<bool> =
            items.iter().map(|item| context.of_language || is_of_language(&item.label)).collect();
        let candidates = of_language.iter().filter(|of_language| !**of_language).count() as f32;
        Evidence {
            model,
            kind: context.kind,
            followers,
            document,
            of_language,
            next: 0,
            numbers: Vec::new(),
            second: site.back(1).map_or(String::new(), |token| token.text.to_owned()),
            program,
            candidates,
        }
    }

    /// The numbers of the next item: they are asked for in the order of the items.
    pub fn of(&mut self, item: &Item) -> &[(u16, f32)] {
        let uses = self.document.uses.get(self.next).copied().unwrap_or_default();
        let of_language = self.of_language.get(self.next).copied().unwrap_or_default();
        self.next += 1;
        self.numbers.clear();
        let language = if of_language {
            self.model.likelihood(&self.followers, &item.label)
        } else {
            self.program[usize::from(spelling(&item.label) == "N")]
        };
        let document = self.document(&uses);
        let share = if of_language { language } else { language / (self.candidates + 1.0) };
        let number = |count: u32| (1.0 + count as f32).ln();
        let flag = |is: bool| if is { 1.0 } else { 0.0 };
        let used = uses.before + uses.after > 0;
        let fresh = !of_language && uses.before == 1 && uses.after == 0;
        if self.kind == super::context::DIRECTIVE {
            // A file says nothing there: each thing is written once.
            self.numbers.push((LANGUAGE, language.ln()));
            return &self.numbers;
        }
        let values: [f32; NAMES.len()] = [
            flag(of_language),
            flag(of_language) * language.ln(),
            flag(!of_language) * language.ln(),
            document.ln(),
            (0.5 * share + 0.5 * document).ln(),
            number(uses.alike[0]),
            number(uses.alike[1]),
            number(uses.alike[2]),
            number(uses.before),
            number(uses.after),
            flag(!used),
            number(uses.last),
            flag(uses.before > 0),
            number(uses.next),
            flag(uses.after > 0),
            flag(fresh),
            flag(fresh) * number(uses.last),
            number(uses.here),
            flag(item.label == self.second),
            number(uses.argument),
            item.label.len() as f32 / 10.0,
            number(uses.elsewhere[0]),
            number(uses.elsewhere[1]),
            flag(self.document.alike[1] > 0 && uses.alike[1] == 0),
            flag(of_language) * flag(self.followers.len() > 3),
            flag(!of_language && spelling(&item.label) == "N"),
        ];
        self.numbers.extend((0u16..).zip(values).filter(|(_, value)| *value != 0.0));
        let first = NAMES.len() as u16;
        self.numbers.push((first + rank::prior(item.rank) as u16, 1.0));
        let kind = KIND_NAMES.iter().position(|(kind, _)| *kind == item.kind).unwrap_or(0);
        let combination = self.kind * KIND_NAMES.len() + kind;
        self.numbers.push((first + rank::PRIORS as u16 + combination as u16, 1.0));
        &self.numbers
    }

    /// How likely a word is by the words that followed the same tokens in the file, those that followed fewer of the same filling in.
    fn document(&self, uses: &Uses) -> f32 {
        /// What the shorter row of tokens counts, in uses.
        const SHORTER: f32 = 1.5;
        let mut likely = (uses.before as f32 + uses.after as f32 + 0.1) / (self.document.words as f32 + 20.0);
        for length in 0..BEFORE {
            let (found, all) = (uses.alike[length] as f32, self.document.alike[length] as f32);
            likely = (found + SHORTER * likely) / (all + SHORTER);
        }
        likely
    }
}
