//! What speaks for an item: numbers, for which the model has weights.

use super::super::item::Item;
use super::super::rank;
use super::context::{Context, MEMBER, is_of_language, spelling};
use super::document::{BEFORE, Document, Uses};
use super::model::{Followers, Model};
use super::numbers::{KIND_NAMES, LANGUAGE, NAMES};
use super::siblings::{Sibling, siblings, stem};
use crate::site::Site;

/// How many tokens before the cursor names are looked at for how they end.
const NEAR: usize = 10;

pub struct Evidence<'m> {
    model: &'m Model,
    kind: usize,
    followers: Vec<&'m Followers>,
    document: Document,
    siblings: Vec<Sibling>,
    /// The nearest names and numbers before the cursor, in the same statement, that end in digits.
    ends: Vec<String>,
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
        let siblings = if context.kind == MEMBER { siblings(items, &document.uses) } else { Vec::new() };
        let program = ["n", "N"].map(|spelling| model.likelihood(&followers, spelling));
        let of_language: Vec<bool> =
            items.iter().map(|item| context.of_language || is_of_language(&item.label)).collect();
        let candidates = of_language.iter().filter(|of_language| !**of_language).count() as f32;
        Evidence {
            model,
            kind: context.kind,
            followers,
            document,
            siblings,
            ends: site
                .segment()
                .iter()
                .rev()
                .take(NEAR)
                .filter(|token| token.text.ends_with(|last: char| last.is_ascii_digit()))
                .map(|token| token.text.to_owned())
                .collect(),
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
        let sibling = self.siblings.get(self.next).copied().unwrap_or_default();
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
        let fresh = !of_language && self.kind != MEMBER && uses.before == 1 && uses.after == 0;
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
            flag(self.kind == MEMBER) * number(self.next as u32),
            number(sibling.order),
            flag(sibling.last.is_some()),
            number(sibling.last.unwrap_or_default()),
            flag(sibling.follows),
            flag(sibling.follows) * number(sibling.last.unwrap_or_default()),
            number(self.same_end(&item.label)),
        ];
        let from = if self.kind == MEMBER { super::numbers::OF_MEMBERS } else { 0 };
        self.numbers.extend((from..).zip(values).filter(|(_, value)| *value != 0.0));
        let first = 2 * NAMES.len() as u16;
        self.numbers.push((first + rank::prior(item.rank) as u16, 1.0));
        let kind = KIND_NAMES.iter().position(|(kind, _)| *kind == item.kind).unwrap_or(0);
        let combination = self.kind * KIND_NAMES.len() + kind;
        self.numbers.push((first + rank::PRIORS as u16 + combination as u16, 1.0));
        &self.numbers
    }

    /// How many digits at the end of a name are those of the name or number that was written last, apart from its like: `nb12` follows `i12 * p.`
    fn same_end(&self, name: &str) -> u32 {
        let digits = |text: &str| text.bytes().rev().take_while(u8::is_ascii_digit).count();
        if digits(name) == 0 {
            return 0;
        }
        let near = self.ends.iter().find(|near| stem(near) != stem(name));
        near.map_or(0, |near| {
            let own = digits(name).min(digits(near));
            name.bytes().rev().zip(near.bytes().rev()).take(own).take_while(|(a, b)| a == b).count() as u32
        })
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
