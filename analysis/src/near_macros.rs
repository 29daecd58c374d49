//! Macros that were probably meant by a name that nothing declares.

use std::cell::{Cell, OnceCell};

use crate::lower::closest;
use crate::preprocess::{MacroOrigin, Preprocessed};

/// More names are not compared with all macros: where nothing is declared, that would take long.
const MOST: u32 = 64;

/// The macros of one text.
pub(crate) struct NearMacros<'a> {
    preprocessed: &'a Preprocessed,
    /// With whether it has parameters; those of the language are found as what is declared is.
    names: OnceCell<Vec<(&'a str, bool)>>,
    asked: Cell<u32>,
}

impl<'a> NearMacros<'a> {
    pub fn new(preprocessed: &'a Preprocessed) -> NearMacros<'a> {
        NearMacros { preprocessed, names: OnceCell::new(), asked: Cell::new(0) }
    }

    /// The macro that is nearest to a name, if any is near. What is called has parameters, and what has a value a body.
    pub fn closest(&self, name: &str, called: bool) -> Option<&'a str> {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() > MOST {
            return None;
        }
        let names = self.names.get_or_init(|| {
            let defined = self.preprocessed.macros.iter();
            let own = defined.filter(|known| known.origin != MacroOrigin::Builtin);
            let useful = own.filter(|known| known.parameters().is_some() || known.has_body());
            useful.map(|known| (known.name().as_str(), known.parameters().is_some())).collect()
        });
        let fitting = names.iter().filter(|(_, parameters)| *parameters == called).map(|(name, _)| *name);
        // What is written in capitals is not taken for what is not.
        let has_small = |name: &str| name.bytes().any(|byte| byte.is_ascii_lowercase());
        closest(name, fitting).filter(|close| has_small(name) == has_small(close))
    }
}
