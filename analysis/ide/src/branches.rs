//! Reading a text through its `#if` lines: each branch starts from what held before the `#if`, and what the first branch leads to holds
//! behind the `#endif`.

use coopmat_analysis::preprocess::DirectiveKind;

/// The conditionals around the place, each with the state before it and, once that is known, after its first branch.
pub struct Branches<S> {
    open: Vec<(S, Option<S>)>,
}

impl<S> Default for Branches<S> {
    fn default() -> Branches<S> {
        Branches { open: Vec::new() }
    }
}

impl<S: Copy> Branches<S> {
    /// Goes past a directive.
    pub fn pass(&mut self, kind: DirectiveKind, state: &mut S) {
        match kind {
            DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                self.open.push((*state, None));
            }
            DirectiveKind::Elif | DirectiveKind::Else => {
                if let Some((before, after_first)) = self.open.last_mut() {
                    after_first.get_or_insert(*state);
                    *state = *before;
                }
            }
            DirectiveKind::Endif => {
                if let Some((_, Some(after_first))) = self.open.pop() {
                    *state = after_first;
                }
            }
            DirectiveKind::Null
            | DirectiveKind::Define
            | DirectiveKind::Undef
            | DirectiveKind::Error
            | DirectiveKind::Pragma
            | DirectiveKind::Extension
            | DirectiveKind::Version
            | DirectiveKind::Include
            | DirectiveKind::Line
            | DirectiveKind::Unknown => {}
        }
    }
}
