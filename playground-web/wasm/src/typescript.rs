//! TypeScript's side of what this crate and the page's workers say to each other: `shared/src/messages.ts` is made of the types here.

use std::collections::BTreeMap;

use coopmat_recipe::ownership::Row;
use coopmat_recipe::profile::Profile;
use ts_rs::{Config, TS, TypeVisitor};

use crate::debug::messages::{Evaluated, State, Variable, Wanted};
use crate::describe::{BufferInfo, Description, FirstRecipe, JudgedAnswer, Lists, RanAnswer};
use crate::edit::Edit;
use crate::prepare::Request;
use crate::record::Index;

/// Declarations by name, with those of the types that they are made of.
struct Declarations {
    config: Config,
    texts: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // What comes with the language, lists and the like have no declarations of their own.
        if T::output_path().is_none() {
            return;
        }
        let name = T::ident(&self.config);
        if self.texts.contains_key(&name) {
            return;
        }
        let docs = T::docs().unwrap_or_default();
        self.texts.insert(name, format!("{docs}export {}\n", T::decl(&self.config)));
        T::visit_dependencies(self);
    }
}

fn declarations() -> String {
    // JSON has one kind of numbers.
    let config = Config::new().with_large_int("number");
    let mut all = Declarations { config, texts: BTreeMap::new() };
    all.visit::<Request>();
    all.visit::<Edit>();
    all.visit::<Lists>();
    all.visit::<Description>();
    all.visit::<FirstRecipe>();
    all.visit::<BufferInfo>();
    all.visit::<RanAnswer<'static>>();
    all.visit::<Row>();
    all.visit::<JudgedAnswer<'static>>();
    all.visit::<Index>();
    all.visit::<Wanted>();
    all.visit::<State<'static>>();
    all.visit::<Variable>();
    all.visit::<Evaluated>();
    // Of the command line's report, for who reads it in TypeScript.
    all.visit::<Profile>();
    let texts: Vec<String> = all.texts.into_values().collect();
    format!(
        "// What the page and the module say to each other, as JSON. Made by `cargo xtask generate` of the types in `playground-web/wasm/src`: change those.\n\n{}",
        texts.join("\n")
    )
}

#[test]
fn the_types_of_typescript_are_those_of_rust() {
    expect_test::expect_file!["../../shared/src/messages.ts"].assert_eq(&declarations());
}
