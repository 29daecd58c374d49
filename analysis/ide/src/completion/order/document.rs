//! What a file itself tells about the words that may follow: how often and how near each is used, and after which tokens.

use rustc_hash::FxHashMap;

use crate::site::Site;
use coopmat_analysis::lex::TokenKind;
use coopmat_analysis::text::FileId;

/// How many tokens before the cursor are compared with those before each use.
pub const BEFORE: usize = 3;

/// The uses of one word, without the one at the cursor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    pub before: u32,
    pub after: u32,
    /// How many tokens before the cursor the last one is.
    pub last: u32,
    /// How many tokens after the cursor the next one is.
    pub next: u32,
    /// Uses after the same token, after the same two, the same three.
    pub alike: [u32; BEFORE],
    /// Uses in the same argument of the same call.
    pub argument: u32,
    /// In the statement before the cursor.
    pub here: u32,
    /// In the other files of the program, and those after the same token.
    pub elsewhere: [u32; 2],
}

/// The uses of some words, and of all.
pub struct Document {
    pub uses: Vec<Uses>,
    /// How often any word follows the same token, the same two, the same three.
    pub alike: [u32; BEFORE],
    pub words: u32,
}

/// Words by their index. Most tokens begin like none of them.
struct Places<'w> {
    indices: FxHashMap<&'w str, usize>,
    begins: [bool; 256],
}

impl Default for Places<'_> {
    fn default() -> Self {
        Places { indices: FxHashMap::default(), begins: [false; 256] }
    }
}

impl<'w> Places<'w> {
    fn add(&mut self, word: &'w str) -> usize {
        if let Some(&first) = word.as_bytes().first() {
            self.begins[usize::from(first)] = true;
        }
        let next = self.indices.len();
        *self.indices.entry(word).or_insert(next)
    }

    fn get(&self, text: &str) -> Option<usize> {
        let first = *text.as_bytes().first()?;
        if self.begins[usize::from(first)] { self.indices.get(text).copied() } else { None }
    }
}

impl Document {
    /// The uses of these words, in their order.
    pub fn new<'w>(
        site: &Site<'_>,
        call: Option<(&str, usize)>,
        words: impl Iterator<Item = &'w str>,
    ) -> Document {
        let mut places = Places::default();
        let index: Vec<usize> = words.map(|word| places.add(word)).collect();
        let mut document =
            Document { uses: vec![Uses::default(); places.indices.len()], alike: [0; BEFORE], words: 0 };
        let mut before = [""; BEFORE];
        for (at, place) in before.iter_mut().enumerate() {
            *place = site.back(at).map_or("", |token| token.text);
        }
        document.own(site, &places, before, call);
        for (file, _) in site.analysis.files().iter() {
            if file != site.file {
                document.other(site, file, &places, before);
            }
        }
        for token in site.segment() {
            if let Some(word) = places.get(token.text) {
                document.uses[word].here += 1;
            }
        }
        document.uses = index.iter().map(|&word| document.uses[word]).collect();
        document
    }

    fn own(
        &mut self,
        site: &Site<'_>,
        places: &Places<'_>,
        before: [&str; BEFORE],
        call: Option<(&str, usize)>,
    ) {
        let Some(lexed) = site.analysis.preprocessed.lexed(site.file) else { return };
        let (start, end) = (u32::from(site.word().start()), u32::from(site.word().end()));
        let here = lexed.tokens.partition_point(|token| token.start < start);
        let mut previous = [""; BEFORE];
        // A member is used after a `.`: its declaration, and what else has its name, are no uses.
        let is_use = |previous: &str| before[0] != "." || previous == ".";
        // Of each bracket that is open: whether it is that of the call, and which argument it has come to.
        let mut open: Vec<(bool, usize)> = Vec::new();
        for (at, token) in lexed.tokens.iter().enumerate() {
            if token.start >= start && token.end <= end && start < end {
                continue;
            }
            let text = site.text.get(token.start as usize..token.end as usize).unwrap_or_default();
            if token.kind == TokenKind::Identifier && is_use(previous[0]) {
                let same = previous.iter().zip(before).take_while(|(a, b)| **a == *b).count();
                self.words += 1;
                self.alike[..same].iter_mut().for_each(|count| *count += 1);
                if let Some(word) = places.get(text) {
                    let uses = &mut self.uses[word];
                    if at < here {
                        uses.before += 1;
                        uses.last = (here - at) as u32;
                    } else {
                        uses.after += 1;
                        if uses.after == 1 {
                            uses.next = (at - here + 1) as u32;
                        }
                    }
                    uses.alike[..same].iter_mut().for_each(|count| *count += 1);
                    if open.last().is_some_and(|&(of_call, argument)| {
                        of_call && call.is_some_and(|(_, wanted)| wanted == argument)
                    }) {
                        uses.argument += 1;
                    }
                }
            }
            match text {
                "(" | "[" | "{" => open.push((call.is_some_and(|(callee, _)| callee == previous[0]), 0)),
                ")" | "]" | "}" => {
                    open.pop();
                }
                "," => {
                    if let Some((_, argument)) = open.last_mut() {
                        *argument += 1;
                    }
                }
                _ => {}
            }
            previous.rotate_right(1);
            previous[0] = text;
        }
    }

    fn other(&mut self, site: &Site<'_>, file: FileId, places: &Places<'_>, before: [&str; BEFORE]) {
        let Some(lexed) = site.analysis.preprocessed.lexed(file) else { return };
        let source: &str = &site.analysis.files()[file].text;
        let mut previous = "";
        for token in &lexed.tokens {
            let text = source.get(token.start as usize..token.end as usize).unwrap_or_default();
            if token.kind == TokenKind::Identifier
                && let Some(word) = places.get(text)
            {
                self.uses[word].elsewhere[0] += 1;
                self.uses[word].elsewhere[1] += u32::from(previous == before[0]);
            }
            previous = text;
        }
    }
}
