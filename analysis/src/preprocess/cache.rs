//! What preprocessing keeps between runs: identifiers' numbers, and the tokens of files that did not change.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;
use smol_str::SmolStr;

use super::engine::Engine;
use super::known_extensions;
use super::tokens::{BodyToken, Interner, LexedFile, MacroSyntax, NO_PARAMETER, Symbol, Token, range};
use super::{Configuration, FileLoader, Preprocessed};
use crate::lex::TokenKind;

/// Shared by any number of runs, in any number of threads. A file is known by its `Arc`: a loader that hands out the same
/// `Arc` for an unchanged file saves lexing it again.
pub struct PreprocessCache {
    inner: Mutex<Inner>,
    /// Macros that are defined because an extension is known.
    pub(super) extension_macros: ExtensionMacros,
    /// The bodies of builtin macros point into this text.
    pub(super) builtin_text: String,
    pub(super) builtins: Builtins,
}

/// Macros of the language.
pub(super) struct Builtins {
    pub line: Arc<MacroSyntax>,
    pub file: Arc<MacroSyntax>,
    pub version: Arc<MacroSyntax>,
    pub vulkan: Arc<MacroSyntax>,
    pub es: Arc<MacroSyntax>,
    pub high_precision: Arc<MacroSyntax>,
    pub core: Arc<MacroSyntax>,
    pub compatibility: Arc<MacroSyntax>,
}

pub(super) struct ExtensionMacros {
    pub desktop: Vec<Arc<MacroSyntax>>,
    pub es: Vec<Arc<MacroSyntax>>,
}

struct Inner {
    interner: Interner,
    files: FxHashMap<(usize, usize), (Arc<str>, Arc<LexedFile>)>,
    prune_at: usize,
}

impl Inner {
    /// Texts that nobody but this cache holds are old versions.
    fn forget_old_texts(&mut self) {
        self.files.retain(|_, (text, _)| Arc::strong_count(text) > 1);
        self.prune_at = 64.max(self.files.len() * 2);
    }
}

impl Default for PreprocessCache {
    fn default() -> Self {
        PreprocessCache::new()
    }
}

impl PreprocessCache {
    /// Without any file, with the macros of the language and of all extensions.
    pub fn new() -> PreprocessCache {
        let mut interner = Interner::new();
        let mut builtin_text = String::new();
        let mut builtin = |name: &str, value: Option<i32>| {
            let none = range(0, 0);
            let value = value.map(|value| {
                let start = builtin_text.len() as u32;
                builtin_text.push_str(&value.to_string());
                (start, builtin_text.len() as u32)
            });
            Arc::new(MacroSyntax {
                symbol: interner.intern(name),
                name: SmolStr::new(name),
                name_range: none,
                directive: none,
                parameters: None,
                body: value
                    .map(|(start, end)| BodyToken {
                        token: Token { kind: TokenKind::Number, flags: 0, start, end, symbol: Symbol::NONE },
                        parameter: NO_PARAMETER,
                    })
                    .into_iter()
                    .collect(),
                body_range: none,
                body_names: Box::default(),
                has_paste: false,
                problem: None,
            })
        };
        let mut of_profile =
            |es| known_extensions::macros(es).map(|(name, value)| builtin(name, Some(value))).collect();
        let extension_macros = ExtensionMacros { desktop: of_profile(false), es: of_profile(true) };
        let builtins = Builtins {
            line: builtin("__LINE__", None),
            file: builtin("__FILE__", None),
            version: builtin("__VERSION__", None),
            vulkan: builtin("VULKAN", Some(100)),
            es: builtin("GL_ES", Some(1)),
            high_precision: builtin("GL_FRAGMENT_PRECISION_HIGH", Some(1)),
            core: builtin("GL_core_profile", Some(1)),
            compatibility: builtin("GL_compatibility_profile", Some(1)),
        };
        let inner = Inner { interner, files: FxHashMap::default(), prune_at: 64 };
        PreprocessCache { inner: Mutex::new(inner), extension_macros, builtin_text, builtins }
    }

    /// As [`super::preprocess`], with what earlier runs left.
    pub fn preprocess(
        &self,
        root_path: &str,
        text: Arc<str>,
        config: &Configuration,
        loader: &dyn FileLoader,
    ) -> Preprocessed {
        Engine::new(self, config, loader).run(root_path, text)
    }

    pub(super) fn lex(&self, text: &Arc<str>) -> Arc<LexedFile> {
        let mut inner = self.lock();
        let key = (text.as_ptr() as usize, text.len());
        if let Some((_, lexed)) = inner.files.get(&key) {
            return lexed.clone();
        }
        let lexed = Arc::new(LexedFile::new(text, &mut inner.interner));
        if inner.files.len() >= inner.prune_at {
            inner.forget_old_texts();
        }
        inner.files.insert(key, (text.clone(), lexed.clone()));
        lexed
    }

    /// Forgets the tokens of texts that nobody else holds. It happens now and then by itself.
    pub fn forget_old_texts(&self) {
        self.lock().forget_old_texts();
    }

    pub(super) fn lex_once(&self, text: &str) -> LexedFile {
        LexedFile::new(text, &mut self.lock().interner)
    }

    pub(super) fn intern(&self, name: &str) -> Symbol {
        self.lock().interner.intern(name)
    }

    pub(super) fn symbol_count(&self) -> usize {
        self.lock().interner.len()
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
