//! Which file of a crate names items of which other.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};

use super::modules::{Crate, Target, Use, flatten, is_test};

/// One file names items that stand in another.
#[derive(Debug, PartialEq, Eq)]
pub struct Import {
    pub from: String,
    pub to: String,
    pub names: Vec<String>,
}

/// The imports between the files of a crate, sorted.
pub fn imports(krate: &Crate) -> Vec<Import> {
    let mut found: BTreeMap<(usize, usize), BTreeSet<String>> = BTreeMap::new();
    for (number, module) in krate.modules.iter().enumerate() {
        let mut add = |target: Option<Target>, path: &[String]| {
            if let (Some(Target::Item(to)), Some(name)) = (target, path.last())
                && to != module.file
            {
                found.entry((module.file, to)).or_default().insert(name.clone());
            }
        };
        let mut named = Named::default();
        module.content.iter().for_each(|item| named.visit_item(item));
        for one in named.uses.iter().filter(|one| !one.public) {
            let target = krate.resolve(number, &one.path);
            match (target, &one.name) {
                // Everything of a module: its own items, at least.
                (Some(Target::Module(from)), None) => {
                    add(Some(Target::Item(krate.modules[from].file)), &["*".to_owned()]);
                }
                _ => add(target, &one.path),
            }
        }
        for path in &named.paths {
            add(krate.resolve(number, path), path);
        }
    }
    let name = |file: usize| krate.files[file].clone();
    found
        .into_iter()
        .map(|((from, to), names)| Import {
            from: name(from),
            to: name(to),
            names: names.into_iter().collect(),
        })
        .collect()
}

/// The paths that stand in a module, macros' arguments included.
#[derive(Default)]
struct Named {
    paths: BTreeSet<Vec<String>>,
    uses: Vec<Use>,
}

impl Named {
    /// Paths among tokens that are not parsed.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.end(&mut path);
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
                TokenTree::Group(group) => {
                    self.end(&mut path);
                    self.tokens(group.stream());
                }
                _ => self.end(&mut path),
            }
        }
        self.end(&mut path);
    }

    fn end(&mut self, path: &mut Vec<String>) {
        if !path.is_empty() {
            self.paths.insert(std::mem::take(path));
        }
    }
}

impl<'ast> Visit<'ast> for Named {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        if !matches!(item, syn::Item::Fn(item) if is_test(&item.attrs)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_test(&item.attrs) {
            visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        flatten(&item.tree, &mut Vec::new(), public, &mut self.uses);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.paths.insert(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.visit_path(&mac.path);
        self.tokens(mac.tokens.clone());
    }

    /// `pub(in crate::x)` names no item, and attributes name none of ours.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::*;

    /// The imports of a crate of such files, as lines.
    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let load = |path: &Path| {
            files.iter().find(|(name, _)| Path::new(name) == path).map(|(_, text)| (*text).to_owned())
        };
        let krate = Crate::read(Path::new(""), &[PathBuf::from("lib.rs")], &load).unwrap();
        imports(&krate)
            .into_iter()
            .map(|Import { from, to, names }| format!("{from} -> {to}: {}", names.join(", ")))
            .collect()
    }

    #[test]
    fn an_item_that_is_handed_on_is_imported_from_where_it_stands() {
        let found = of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "mod inner; pub use inner::Thing;"),
            ("a/inner.rs", "pub struct Thing;"),
            ("b.rs", "use crate::a::Thing; fn f(_: Thing) {}"),
        ]);
        assert_eq!(found, ["b.rs -> a/inner.rs: Thing"]);
    }

    #[test]
    fn who_hands_on_and_uses_imports() {
        let found = of(&[
            ("lib.rs", "mod a; pub use a::Thing; fn f(_: Thing) {}"),
            ("a.rs", "pub struct Thing; fn g() { super::f(Thing) }"),
        ]);
        assert_eq!(found, ["lib.rs -> a.rs: Thing", "a.rs -> lib.rs: f"]);
    }

    #[test]
    fn paths_through_modules_and_in_macros_count() {
        let found = of(&[
            ("lib.rs", "mod a; mod b; mod c { pub fn h() {} }"),
            ("a.rs", "pub const SIZE: u32 = 1; pub fn g() {}"),
            ("b.rs", "use super::a; fn f() { a::g(); println!(\"{}\", [a::SIZE][0]); crate::c::h(); }"),
        ]);
        assert_eq!(found, ["b.rs -> lib.rs: h", "b.rs -> a.rs: SIZE, g"]);
    }

    #[test]
    fn everything_of_a_module_is_an_import_of_its_file() {
        let found = of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a/mod.rs", "mod deep; pub use deep::*; pub fn g() {}"),
            ("a/deep.rs", "pub fn h() {}"),
            ("b.rs", "use crate::a::*; fn f() { h() }"),
        ]);
        assert_eq!(found, ["b.rs -> a/mod.rs: *", "b.rs -> a/deep.rs: h"]);
    }

    #[test]
    fn declarations_other_crates_and_tests_import_nothing() {
        let found = of(&[
            ("lib.rs", "mod a; mod b; use std::fmt;"),
            ("a.rs", "pub fn g() {} #[cfg(test)] mod tests { use crate::b::f; }"),
            ("b.rs", "pub fn f() { fmt::x(); let a = 1; a; } #[test] fn t() { crate::a::g() }"),
        ]);
        assert_eq!(found, [""; 0]);
    }

    #[test]
    fn names_that_hand_each_other_on_end() {
        let found = of(&[
            ("lib.rs", "mod a; mod b;"),
            ("a.rs", "pub use crate::b::*; pub use crate::b::Nothing;"),
            ("b.rs", "pub use crate::a::*; pub use crate::a::Nothing; fn f() { Nothing() }"),
        ]);
        assert_eq!(found, [""; 0]);
    }
}
