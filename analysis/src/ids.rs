//! Numbers of what a module declares, apart from the declarations: types name structures by them, and structures have types.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use la_arena::{Arena, Idx};

/// The key of [`StructId`].
#[derive(Debug)]
pub enum StructKey {}
/// The key of [`GlobalId`].
#[derive(Debug)]
pub enum GlobalKey {}

/// A structure, or the members of a block, of a module.
pub type StructId = Idx<StructKey>;
/// A variable, constant or block instance at top level of a module.
pub type GlobalId = Idx<GlobalKey>;

/// An arena whose numbers do not name the type of its entries.
pub struct Table<K, T> {
    entries: Arena<T>,
    key: PhantomData<fn() -> K>,
}

impl<K, T> Table<K, T> {
    /// Adds an entry.
    pub fn alloc(&mut self, entry: T) -> Idx<K> {
        Idx::from_raw(self.entries.alloc(entry).into_raw())
    }

    /// How many entries there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entries with their numbers, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (Idx<K>, &T)> + DoubleEndedIterator {
        self.entries.iter().map(|(id, entry)| (Idx::from_raw(id.into_raw()), entry))
    }
}

impl<K, T> Default for Table<K, T> {
    fn default() -> Self {
        Table { entries: Arena::default(), key: PhantomData }
    }
}

impl<K, T: fmt::Debug> fmt::Debug for Table<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.fmt(f)
    }
}

impl<K, T> Index<Idx<K>> for Table<K, T> {
    type Output = T;

    fn index(&self, id: Idx<K>) -> &T {
        &self.entries[Idx::from_raw(id.into_raw())]
    }
}

impl<K, T> IndexMut<Idx<K>> for Table<K, T> {
    fn index_mut(&mut self, id: Idx<K>) -> &mut T {
        &mut self.entries[Idx::from_raw(id.into_raw())]
    }
}
