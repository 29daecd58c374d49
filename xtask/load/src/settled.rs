//! What has to hold when nothing is typed any more: the server's texts are the client's, what it pushed is what it hands out, and both are what a
//! server says that was just started on the same texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::{Value, json};

use crate::document::Document;
use crate::session::{Session, shortened};

/// How long the two servers may take to agree: the one that was just started has everything to look at.
const PATIENCE: Duration = Duration::from_secs(180);
/// How long the fresh server is asked to look at a header as part of another shader.
const PERSUASION: Duration = Duration::from_secs(20);

impl Session {
    /// Every document, by its URI, and as part of which shader it is checked.
    fn roots(&mut self) -> Result<BTreeMap<String, Value>> {
        let mut roots = BTreeMap::new();
        for index in 0..self.documents.len() {
            let uri = self.documents[index].uri.clone();
            let state = self.ask("coopmat-analyzer/documentState", json!({"uri": uri}), &uri)?;
            if state["version"] != self.documents[index].number {
                let words =
                    format!("an edit is lost: {state}, expected version {}", self.documents[index].number);
                self.problem(words);
            }
            roots.insert(uri, state["root"].clone());
        }
        Ok(roots)
    }

    /// The diagnostics of a document, in an order of their own.
    fn diagnostics(&mut self, uri: &str) -> Result<Vec<String>> {
        let params = json!({"textDocument": {"uri": uri}});
        let report = self.ask("textDocument/diagnostic", params, uri)?;
        Ok(sorted(&report["items"]))
    }

    /// Holds everything against a fresh server; how many documents were compared.
    pub fn settle(&mut self, server: &Path, root: &Path) -> Result<usize> {
        self.wait_until(0)?;
        let ours = self.roots()?;
        let copies = self.documents.iter().map(|one| Document::new(one.uri.clone(), one.text.clone()));
        let mut fresh = Session::start(server, root, copies.collect(), 1)?;
        fresh.open_all()?;
        let others = self.same_roots(&ours, &mut fresh)?;
        self.same_diagnostics(&mut fresh, &others)?;
        for words in std::mem::take(&mut fresh.problems) {
            self.problem(format!("in the fresh server: {words}"));
        }
        fresh.client.finish()?;
        self.pushed_is_pulled()?;
        Ok(self.documents.len() - others.len())
    }

    /// A header is looked at as part of one of the shaders that include it, by what happened before. The fresh server is brought there; the headers
    /// where it stays with another shader have other diagnostics, and are not compared.
    fn same_roots(
        &mut self,
        ours: &BTreeMap<String, Value>,
        fresh: &mut Session,
    ) -> Result<BTreeSet<String>> {
        let until = Instant::now() + PERSUASION;
        loop {
            let theirs = fresh.roots()?;
            let different: Vec<&String> =
                ours.keys().filter(|uri| ours.get(*uri) != theirs.get(*uri)).collect();
            if different.is_empty() {
                return Ok(BTreeSet::new());
            }
            if Instant::now() > until {
                // A shader is its own root, whatever happened; a few headers may differ.
                let few = different.len() * 10 <= ours.len();
                for uri in different.iter().filter(|uri| !few || !uri.ends_with(".glsl")) {
                    let (ours, theirs) = (&ours[*uri], &theirs[*uri]);
                    self.problem(format!("{uri} is checked in {ours}, by a fresh server in {theirs}"));
                }
                return Ok(different.into_iter().cloned().collect());
            }
            for uri in different {
                let wanted = ours[uri].as_str().and_then(|root| fresh.by_uri.get(root)).copied();
                if let (Some(wanted), Some(&index)) = (wanted, fresh.by_uri.get(uri))
                    && wanted != index
                {
                    fresh.close(index)?;
                    fresh.touch(wanted)?;
                    let wanted = fresh.documents[wanted].uri.clone();
                    fresh.diagnostics(&wanted)?;
                    fresh.open(index)?;
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Configurations that are not in view are checked behind the others: what they add comes later.
    fn same_diagnostics(&mut self, fresh: &mut Session, but: &BTreeSet<String>) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        let all = self.documents.iter().map(|document| document.uri.clone());
        let mut left: Vec<String> = all.filter(|uri| !but.contains(uri)).collect();
        while !left.is_empty() {
            let mut different = Vec::new();
            for uri in left {
                let (ours, theirs) = (self.diagnostics(&uri)?, fresh.diagnostics(&uri)?);
                if ours == theirs {
                    continue;
                }
                if Instant::now() > until {
                    let only = |these: &[String], others: &[String]| {
                        these
                            .iter()
                            .filter(|one| !others.contains(one))
                            .cloned()
                            .collect::<Vec<_>>()
                            .join(" ")
                    };
                    self.problem(format!(
                        "diagnostics of {uri} differ from those of a fresh server. Only here: {} Only there: {}",
                        only(&ours, &theirs),
                        only(&theirs, &ours)
                    ));
                } else {
                    different.push(uri);
                }
            }
            left = different;
            if !left.is_empty() {
                std::thread::sleep(Duration::from_millis(200));
            }
        }
        Ok(())
    }

    fn pushed_is_pulled(&mut self) -> Result<()> {
        let until = Instant::now() + PATIENCE;
        for index in 0..self.documents.len() {
            let uri = self.documents[index].uri.clone();
            loop {
                let pulled = self.diagnostics(&uri)?;
                let document = &self.documents[index];
                let pushed = document.pushed.as_ref().filter(|(version, _)| *version == document.number);
                if pushed.is_some_and(|(_, pushed)| sorted(pushed) == pulled) {
                    break;
                }
                if Instant::now() > until {
                    let pushed =
                        document.pushed.as_ref().map(|(version, items)| (*version, shortened(items)));
                    let (number, pulled) = (document.number, pulled.len());
                    self.problem(format!(
                        "{uri}: pushed {pushed:?}, handed out {pulled} of version {number}"
                    ));
                    break;
                }
                self.take(Duration::from_millis(100))?;
            }
        }
        Ok(())
    }
}

fn sorted(items: &Value) -> Vec<String> {
    let mut items: Vec<String> = items.as_array().into_iter().flatten().map(Value::to_string).collect();
    items.sort();
    items
}
