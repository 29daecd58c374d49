//! Questions that one analysis cannot answer: uses of a name in every shader that includes a header, open or not, under all
//! configurations that the project gives it.
//!
//! A search looks at shaders one job each, between the analyses of what is being edited. What it finds may reach into files
//! that other shaders include; those are looked at next, until nothing new comes. A rename is then tried on copies of the
//! texts before it is answered.

mod conclusion;
mod look;
pub mod question;
pub mod state;
pub mod texts;

use std::collections::VecDeque;
use std::sync::Arc;

use tower_lsp::jsonrpc::Error;

use self::look::{Looked, Work};
use self::question::{Purpose, Question};
use self::state::Search;
use crate::effects::Effect;
use crate::projects::Projects;
use crate::roots::Roots;
use crate::session::Session;

pub enum SearchEvent {
    /// A job has looked at a shader.
    Looked(u64, Arc<Work>, Option<Looked>),
    /// A search goes on.
    GoesOn(Box<Search>, Purpose),
}

impl SearchEvent {
    /// Whether a job has ended that counts among the analyses under way.
    pub fn ends_look(&self) -> bool {
        matches!(self, SearchEvent::Looked(..))
    }
}

/// What searches ask of the rest of the server: which shaders there are, and their configurations.
pub struct Around<'a> {
    pub session: &'a Session,
    pub projects: &'a mut Projects,
    pub roots: &'a Roots,
}

/// The next job of a search.
pub enum Step {
    /// It looks at a shader, and counts among the analyses under way.
    Look(Effect<SearchEvent>),
    /// It draws conclusions.
    Conclude(Effect<SearchEvent>),
}

#[derive(Default)]
pub struct Searches {
    next: u64,
    active: VecDeque<(Box<Search>, Purpose)>,
}

impl Searches {
    pub fn ask(&mut self, question: Question, session: &Session) {
        let (search, purpose) = Search::new(self.next, question, session);
        self.next += 1;
        self.active.push_back((Box::new(search), purpose));
    }

    pub fn take(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Looked(id, work, looked) => {
                let found = self.active.iter_mut().find(|(search, _)| search.id == id);
                if let Some((search, _)) = found {
                    search.looked(work, looked);
                }
            }
            SearchEvent::GoesOn(search, purpose) => self.active.push_back((search, purpose)),
        }
    }

    /// Starts the next job of a search.
    pub fn start(&mut self, around: &mut Around<'_>) -> Option<Step> {
        // Which shaders include what is not known before.
        if around.roots.is_scanning() {
            return None;
        }
        for (search, purpose) in std::mem::take(&mut self.active) {
            if search.running > 0 || !(purpose.cancelled() || search.link.is_stopped()) {
                self.active.push_back((search, purpose));
            } else {
                purpose.fail(Error::request_cancelled());
            }
        }
        for index in 0..self.active.len() {
            let Some((search, purpose)) = self.active.get_mut(index) else { continue };
            gather(search, around);
            if search.running == 0 && purpose.is_too_much(search.size()) {
                if let Some((_, purpose)) = self.active.remove(index) {
                    purpose.leave();
                }
                return self.start(around);
            }
            if purpose.cancelled() || search.link.is_stopped() {
                search.todo.clear();
                continue;
            }
            if let Some(work) = search.todo.pop_front() {
                let look = search.look(work, purpose, around.session.analyzer.clone());
                return Some(Step::Look(Effect::work(move |host| {
                    let (id, work, looked) = look(host);
                    Some(SearchEvent::Looked(id, work, looked))
                })));
            }
            if search.running == 0
                && let Some((search, purpose)) = self.active.remove(index)
            {
                return Some(Step::Conclude(Effect::work(move |host| {
                    if purpose.cancelled() {
                        return None;
                    }
                    let (search, purpose) = conclusion::conclude(search, purpose, host)?;
                    Some(SearchEvent::GoesOn(search, purpose))
                })));
            }
        }
        None
    }
}

/// Turns files into the shaders that include them.
fn gather(search: &mut Search, around: &mut Around<'_>) {
    let files = std::mem::take(&mut search.new_files);
    let everywhere = search.is_everywhere();
    if files.is_empty() && !everywhere {
        return;
    }
    let mut roots: Vec<Arc<str>> = Vec::new();
    if everywhere {
        search.files.insert(Arc::from(""));
        roots = around.roots.shaders();
    }
    for file in files {
        if search.files.insert(file.clone()) {
            let is_shader = !around.roots.is_part(&file) && around.projects.is_shader(&file, around.session);
            roots.extend(around.roots.shaders_with(&file, is_shader));
            roots.extend(around.projects.users_of_preamble(&file, || around.roots.shaders()));
        }
    }
    for root in roots {
        if !search.roots.insert(root.clone()) {
            continue;
        }
        let configurations = match everywhere {
            true => vec![around.projects.configuration(&root, around.session)],
            false => around.projects.variants(&root, around.session).list.clone(),
        };
        search.add(&root, configurations);
    }
}
