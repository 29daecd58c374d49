//! The modules of a crate, read from its files: what stands in each, and what each brings into scope.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use syn::{Attribute, Item, UseTree, Visibility};

/// A crate as its files write it.
#[derive(Default)]
pub struct Crate {
    /// Paths in the repository.
    pub files: Vec<String>,
    pub modules: Vec<Module>,
}

#[derive(Default)]
pub struct Module {
    /// The number of its file in [`Crate::files`].
    pub file: usize,
    pub parent: Option<usize>,
    pub children: BTreeMap<String, usize>,
    /// Names of what stands in it.
    pub items: BTreeSet<String>,
    pub uses: Vec<Use>,
    /// Everything but modules and tests.
    pub content: Vec<Item>,
}

/// A name that a `use` brings into scope.
pub struct Use {
    pub path: Vec<String>,
    /// `None` for `*`.
    pub name: Option<String>,
    /// Whether it is handed on.
    pub public: bool,
}

/// What a path stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Module(usize),
    /// Something that stands in a file.
    Item(usize),
}

type Load<'l> = &'l dyn Fn(&Path) -> Option<String>;

impl Crate {
    /// Reads what belongs to the roots (`lib.rs`, `main.rs`) of a crate.
    ///
    /// # Errors
    /// A file that is missing, or no Rust.
    pub fn read(repository: &Path, roots: &[PathBuf], load: Load<'_>) -> Result<Crate> {
        let mut krate = Crate::default();
        for root in roots {
            let folder = root.parent().unwrap_or(repository);
            krate.read_file(repository, root, folder, None, load)?;
        }
        Ok(krate)
    }

    /// `folder` is where the files of its modules are.
    fn read_file(
        &mut self,
        repository: &Path,
        path: &Path,
        folder: &Path,
        parent: Option<usize>,
        load: Load<'_>,
    ) -> Result<usize> {
        let text = load(path).with_context(|| format!("{} cannot be read", path.display()))?;
        let syntax = syn::parse_file(&text).with_context(|| path.display().to_string())?;
        let shown = path.strip_prefix(repository).unwrap_or(path).display().to_string();
        let file = self.files.iter().position(|known| *known == shown).unwrap_or_else(|| {
            self.files.push(shown);
            self.files.len() - 1
        });
        self.read_items(repository, syntax.items, (file, path), folder, parent, load)
    }

    fn read_items(
        &mut self,
        repository: &Path,
        items: Vec<Item>,
        (file, path): (usize, &Path),
        folder: &Path,
        parent: Option<usize>,
        load: Load<'_>,
    ) -> Result<usize> {
        let number = self.modules.len();
        self.modules.push(Module { file, parent, ..Module::default() });
        for item in items {
            if is_test(attributes(&item)) {
                continue;
            }
            if let Item::Mod(module) = item {
                let name = module.ident.to_string();
                let child = match module.content {
                    Some((_, items)) => self.read_items(
                        repository,
                        items,
                        (file, path),
                        &folder.join(&name),
                        Some(number),
                        load,
                    )?,
                    None => {
                        let (flat, deep) =
                            (folder.join(format!("{name}.rs")), folder.join(&name).join("mod.rs"));
                        let found = path_attribute(&module.attrs).map(|named| path.with_file_name(named));
                        let found = found.unwrap_or(if load(&flat).is_some() { flat } else { deep });
                        self.read_file(repository, &found, &folder.join(&name), Some(number), load)?
                    }
                };
                self.modules[number].children.insert(name, child);
                continue;
            }
            let module = &mut self.modules[number];
            if let Item::Use(item) = &item {
                let public = !matches!(item.vis, Visibility::Inherited);
                flatten(&item.tree, &mut Vec::new(), public, &mut module.uses);
            }
            module.items.extend(name_of(&item));
            module.content.push(item);
        }
        Ok(number)
    }

    /// What a path in a module stands for; `None` for what is of another crate, or no item.
    pub fn resolve(&self, module: usize, path: &[String]) -> Option<Target> {
        self.resolve_unseen(module, path, &mut BTreeSet::new())
    }

    fn resolve_unseen(
        &self,
        module: usize,
        path: &[String],
        seen: &mut BTreeSet<(usize, String)>,
    ) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(self.root(module)),
            name => self.member(module, name, seen)?,
        };
        for name in rest {
            target = match target {
                // A variant, an associated function.
                Target::Item(_) => return Some(target),
                // What a macro or an included file declares is not seen; it stands there all the same.
                Target::Module(at) => {
                    self.member(at, name, seen).unwrap_or(Target::Item(self.modules[at].file))
                }
            };
        }
        Some(target)
    }

    fn root(&self, module: usize) -> usize {
        let mut at = module;
        while let Some(parent) = self.modules[at].parent {
            at = parent;
        }
        at
    }

    fn member(&self, at: usize, name: &str, seen: &mut BTreeSet<(usize, String)>) -> Option<Target> {
        let module = &self.modules[at];
        match name {
            "self" => return Some(Target::Module(at)),
            "super" => return module.parent.map(Target::Module),
            _ => {}
        }
        if let Some(&child) = module.children.get(name) {
            return Some(Target::Module(child));
        }
        if module.items.contains(name) {
            return Some(Target::Item(module.file));
        }
        // Names that hand each other on in a circle end here.
        if !seen.insert((at, name.to_owned())) {
            return None;
        }
        let named = module.uses.iter().filter(|one| one.name.as_deref() == Some(name));
        for one in named {
            // `use x::y as y` and `use y;` do not look for `y` in themselves.
            if let Some(target) = self.resolve_unseen(at, &one.path, seen) {
                return Some(target);
            }
        }
        module.uses.iter().filter(|one| one.name.is_none()).find_map(|one| {
            match self.resolve_unseen(at, &one.path, seen)? {
                Target::Module(from) => self.member(from, name, seen),
                // The variants of an enum.
                Target::Item(_) => None,
            }
        })
    }
}

/// The names that a `use` brings.
pub fn flatten(tree: &UseTree, path: &mut Vec<String>, public: bool, uses: &mut Vec<Use>) {
    let mut add = |path: &[String], name: Option<String>| {
        uses.push(Use { path: path.to_vec(), name, public });
    };
    match tree {
        UseTree::Path(one) => {
            path.push(one.ident.to_string());
            flatten(&one.tree, path, public, uses);
            path.pop();
        }
        UseTree::Name(one) if one.ident == "self" => add(path, path.last().cloned()),
        UseTree::Name(one) => {
            let name = one.ident.to_string();
            add(&[path.as_slice(), std::slice::from_ref(&name)].concat(), Some(name));
        }
        UseTree::Rename(one) if one.ident == "self" => add(path, Some(one.rename.to_string())),
        UseTree::Rename(one) => {
            add(&[path.as_slice(), &[one.ident.to_string()]].concat(), Some(one.rename.to_string()));
        }
        UseTree::Glob(_) => add(path, None),
        UseTree::Group(group) => group.items.iter().for_each(|tree| flatten(tree, path, public, uses)),
    }
}

/// `#[cfg(test)]` and `#[test]`.
pub fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("test")
            || attribute.path().is_ident("cfg")
                && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    let named = attributes.iter().find(|attribute| attribute.path().is_ident("path"))?;
    match &named.meta.require_name_value().ok()?.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(path), .. }) => Some(path.value()),
        _ => None,
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
