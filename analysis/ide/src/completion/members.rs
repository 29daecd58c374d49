//! What follows a `.`: members of structures, blocks and references, swizzles of vectors, `length()`.

use super::expected::{Expected, expected};
use super::item::{About, Completions, Item, ItemKind};
use super::rank::{LOCAL, ranked};
use super::scope::{Scope, is_called};
use super::value::{Value, receiver, structure};
use crate::site::Site;
use coopmat_analysis::display::display_type;
use coopmat_analysis::text::TextSize;
use coopmat_analysis::types::{Scalar, TypeKind};

/// The names that components have; one selection keeps to one set.
const SETS: [&str; 3] = ["xyzw", "rgba", "stpq"];

pub fn complete(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) {
    let Some((dot, before)) = site.tokens.split_last() else { return };
    // What the position asks for is asked of the whole `a.b`.
    let start = super::value::postfix_start(before);
    let wanted = expected(scope, &site.before(start));
    let Some(value) = receiver(scope, site, before, dot.start) else {
        // A matrix, in text that is too broken for its type.
        if let [name] = &before[start..]
            && scope.local(name.text).is_some_and(|local| local.generic)
        {
            length(site, &wanted, completions);
        }
        return;
    };
    let module = &scope.analysis.module;
    if let Some(id) = structure(scope.types(), value) {
        let structure = &module.structs[id];
        let base = structure.owner.map_or(TextSize::new(0), |owner| module.functions[owner].range.start());
        for member in &structure.members {
            if member.name.is_empty() {
                continue;
            }
            let fit = wanted.fit(Value::of(scope.types(), member.ty));
            let item = Item::new(member.name.clone(), ItemKind::Member, ranked(fit, LOCAL))
                .detail(display_type(&module.types, &module.structs, member.ty))
                .about(About::Declared(member.name_range.start() + base));
            completions.items.push(item);
        }
        return;
    }
    let has_length = match value {
        Value::Vector(scalar, length) => {
            swizzles(site, scalar, length, &wanted, completions);
            length > 1
        }
        Value::Matrix { .. } => true,
        Value::Void => false,
        Value::Ty(ty) => matches!(
            scope.types().kind(ty),
            TypeKind::Array(..)
                | TypeKind::LongVector(..)
                | TypeKind::CoopVec(..)
                | TypeKind::Coopmat(_)
                | TypeKind::CoopmatNv(_)
        ),
    };
    if has_length {
        length(site, &wanted, completions);
    }
}

fn length(site: &Site<'_>, wanted: &Expected, completions: &mut Completions) {
    let mut item = Item::new("length", ItemKind::Method, ranked(wanted.fit(Some(Value::INT)), 9))
        .detail("int length()")
        .about(About::Text(
            "The number of elements: of an array, a vector or a matrix's columns. Of a cooperative matrix: how many elements \
             the invocation holds, which the implementation decides.",
        ));
    if !is_called(site) {
        item = item.insert("length()");
    }
    completions.items.push(item);
}

fn swizzles(site: &Site<'_>, scalar: Scalar, length: u32, wanted: &Expected, completions: &mut Completions) {
    let length = length.min(4) as usize;
    completions.settled = true;
    let mut add = |names: &str, place: u32| {
        let count = names.len() as u32;
        let fit = wanted.fit(Some(Value::Vector(scalar, count)));
        let shown =
            if count == 1 { scalar.name().to_owned() } else { format!("{}{count}", scalar.vector_prefix()) };
        completions.items.push(Item::new(names, ItemKind::Member, ranked(fit, place)).detail(shown));
    };
    for (place, set) in SETS.iter().enumerate() {
        let available = &set[..length];
        let place = place as u32 * 3;
        for index in 0..length {
            add(&available[index..=index], place);
        }
        // Neighbours in their order; of `stpq` nobody selects several.
        if place < 6 {
            for count in 2..=length {
                for first in 0..=length - count {
                    add(&available[first..first + count], place + 1);
                }
            }
        }
    }
    // What has been selected so far, and one more.
    let prefix = site.prefix;
    let set = SETS.iter().find(|set| {
        let available = &set[..length];
        !prefix.is_empty() && prefix.chars().all(|name| available.contains(name))
    });
    let Some(set) = set.filter(|_| prefix.len() < 4) else { return };
    completions.incomplete = true;
    let consecutive = |names: &str| set.contains(names);
    for name in set[..length].chars() {
        let names = format!("{prefix}{name}");
        if !consecutive(&names) {
            add(&names, 2);
        }
    }
    if prefix.len() > 1 && !consecutive(prefix) {
        add(prefix, 1);
    }
}
