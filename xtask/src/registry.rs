//! `cargo xtask registry`: what codegen/spirv/src/vulkan says of Vulkan, beside Vulkan's own registry (`vk.xml`): which capability asks for
//! what, and what the structures of features look like. Each difference is told; those with a reason are listed in
//! codegen/spirv/src/vulkan/registry.rs, where a row that is not needed is a difference, too. And what our Vulkan driver has of it.

mod versions;
mod xml;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use anyhow::{Context, Result, bail};
use coopmat_spirv::Capability;
use coopmat_spirv::vulkan::{self, FloatControl, Means, Origin, Structure, SubgroupOperation, registry};

use crate::debian;
use xml::Element;

/// In the folder that setup unpacks.
const REGISTRY: &str = "usr/share/vulkan/registry/vk.xml";

pub fn run() -> Result<()> {
    debian::install()?;
    let path = debian::folder().join(REGISTRY);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let registry = Registry(xml::parse(&text)?);
    let mut differences = Vec::new();
    let capabilities = registry.capabilities(&mut differences)?;
    let structures = registry.structures(&mut differences)?;
    registry.properties(&mut differences)?;
    if capabilities < 150 || structures < 40 {
        bail!("too little was compared: {capabilities} capabilities, {structures} structures");
    }
    versions::check(&registry)?;
    if differences.is_empty() {
        println!("{capabilities} capabilities and {structures} structures of features are the registry's");
        return Ok(());
    }
    for difference in &differences {
        println!("{difference}");
    }
    bail!("{} differences from Vulkan's registry", differences.len())
}

struct Registry(Element);

impl Registry {
    /// How many capabilities were compared.
    fn capabilities(&self, differences: &mut Vec<String>) -> Result<usize> {
        let list = self.0.child("spirvcapabilities").context("no <spirvcapabilities>")?;
        let mut seen = BTreeSet::new();
        let (mut other_names, mut left_out) = (BTreeSet::new(), BTreeSet::new());
        for element in list.children("spirvcapability") {
            let name = element.attribute("name")?;
            if let Some((name, _)) = registry::LEFT_OUT.iter().find(|(known, _)| *known == name) {
                left_out.insert(*name);
                continue;
            }
            let other = registry::OTHER_NAMES.iter().find(|(known, _)| *known == name);
            let capability = match (capability(name), other) {
                (None, Some((name, capability))) => {
                    other_names.insert(*name);
                    *capability
                }
                (Some(capability), _) => capability,
                (None, None) => {
                    differences.push(format!("{name}: no capability of codegen/spirv has this name"));
                    continue;
                }
            };
            seen.insert(capability);
            let theirs = ways(element)?;
            let ours: BTreeSet<String> =
                vulkan::means(capability).iter().flat_map(|means| spelled(*means)).collect();
            for way in theirs.difference(&ours) {
                differences.push(format!("{name}: the registry has {way}, our table has not"));
            }
            for way in ours.difference(&theirs) {
                differences.push(format!("{name}: our table has {way}, the registry has not"));
            }
        }
        let added: BTreeSet<Capability> = registry::ADDED.iter().map(|(capability, _)| *capability).collect();
        for capability in BTreeSet::from_iter(vulkan::capabilities()).difference(&seen) {
            if !added.contains(capability) {
                differences.push(format!("our table has {capability:?}, the registry has not"));
            }
        }
        for capability in added.intersection(&seen) {
            differences.push(format!("ADDED: {capability:?} is not needed"));
        }
        for (name, _) in registry::OTHER_NAMES.iter().filter(|(name, _)| !other_names.contains(name)) {
            differences.push(format!("OTHER_NAMES: {name} is not needed"));
        }
        for (name, _) in registry::LEFT_OUT {
            if !left_out.contains(name) || capability(name).is_some() {
                differences.push(format!("LEFT_OUT: {name} is not needed"));
            }
        }
        Ok(seen.len())
    }

    /// How many structures of features were compared.
    fn structures(&self, differences: &mut Vec<String>) -> Result<usize> {
        let types = self.0.child("types").context("no <types>")?;
        let kinds = self.kinds()?;
        let brought = self.brought()?;
        let mut by_kind: BTreeMap<i32, (&str, &Element)> = BTreeMap::new();
        // Other names of a structure, beside its own.
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for element in types.children("type").filter(|element| element.is("category", "struct")) {
            let name = element.attribute("name")?;
            if let Ok(alias) = element.attribute("alias") {
                names.entry(alias).or_default().push(name);
                continue;
            }
            names.entry(name).or_default().push(name);
            let kind = element.children("member").find_map(|member| member.attribute("values").ok());
            if let Some(kind) = kind.and_then(|kind| kinds.get(kind)) {
                by_kind.insert(*kind, (name, element));
            }
            if name == "VkPhysicalDeviceFeatures" {
                compare("VkPhysicalDeviceFeatures", vulkan::CORE, &members(element)?, differences);
            }
        }
        let all = || vulkan::STRUCTURES.iter().chain(vulkan::OLDER).chain(vulkan::PROPERTIES);
        for structure in all() {
            let Some((name, element)) = by_kind.get(&structure.kind) else {
                differences.push(format!("no structure of the registry has the type {}", structure.kind));
                continue;
            };
            let members = members(element)?;
            compare(name, structure.features, members.get(2..).unwrap_or_default(), differences);
            let whole = names.get(name).into_iter().flatten();
            let theirs: BTreeSet<&str> =
                whole.flat_map(|name| brought.get(name).into_iter().flatten().copied()).collect();
            since(name, structure, &theirs, differences);
        }
        Ok(all().count())
    }

    /// `VkStructureType`'s values.
    fn kinds(&self) -> Result<BTreeMap<String, i32>> {
        let mut found = BTreeMap::new();
        let mut add = |element: &Element, number: Option<&str>| -> Result<()> {
            let name = element.attribute("name")?.to_owned();
            if let Ok(value) = element.attribute("value") {
                found.insert(name, value.parse()?);
            } else if let (Ok(offset), Some(number)) = (element.attribute("offset"), number) {
                // Vulkan's style guide: "Assigning Extension Token Values".
                let number: i32 = element.attribute("extnumber").unwrap_or(number).parse()?;
                found.insert(name, 1_000_000_000 + (number - 1) * 1000 + offset.parse::<i32>()?);
            }
            Ok(())
        };
        for enums in self.0.children("enums").filter(|enums| enums.is("name", "VkStructureType")) {
            for element in enums.children("enum") {
                add(element, None)?;
            }
        }
        let extensions = self.0.child("extensions").context("no <extensions>")?;
        for source in self.0.children("feature").chain(extensions.children("extension")) {
            let number = source.attribute("number").ok();
            for require in source.children("require") {
                for element in
                    require.children("enum").filter(|element| element.is("extends", "VkStructureType"))
                {
                    add(element, number)?;
                }
            }
        }
        Ok(found)
    }

    /// Which versions and extensions require a type, by its name.
    fn brought(&self) -> Result<BTreeMap<&str, BTreeSet<&str>>> {
        let mut found: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let extensions = self.0.child("extensions").context("no <extensions>")?;
        let sources = self.0.children("feature").chain(extensions.children("extension"));
        for source in sources.filter(|source| !source.is("supported", "disabled")) {
            for require in source.children("require") {
                for element in require.children("type") {
                    found.entry(element.attribute("name")?).or_default().insert(source.attribute("name")?);
                }
            }
        }
        Ok(found)
    }

    /// The bits of subgroup operations, and the order of the properties of float controls.
    fn properties(&self, differences: &mut Vec<String>) -> Result<()> {
        let bits = self.0.children("enums").find(|enums| enums.is("name", "VkSubgroupFeatureFlagBits"));
        let mut theirs = BTreeMap::new();
        for element in bits.context("no VkSubgroupFeatureFlagBits")?.children("enum") {
            theirs
                .insert(element.attribute("name")?.to_owned(), element.attribute("bitpos")?.parse::<u32>()?);
        }
        for (operation, bit, _) in SubgroupOperation::ALL {
            let name = subgroup_bit(operation);
            let others = [name.clone(), format!("{name}_NV")];
            // Bits that came later are listed where they came from.
            let known = others.iter().find_map(|name| theirs.get(name));
            if known.is_some_and(|position| 1 << position != bit) {
                differences.push(format!("{name} is not {bit:#x}"));
            }
        }
        let types = self.0.child("types").context("no <types>")?;
        let mut structures = types.children("type");
        let controls =
            structures.find(|element| element.is("name", "VkPhysicalDeviceFloatControlsProperties"));
        let members = members(controls.context("no VkPhysicalDeviceFloatControlsProperties")?)?;
        for control in FloatControl::ALL {
            for width in FloatControl::WIDTHS {
                let place = control.place(width).map(|place| place + 2);
                if place.and_then(|place| members.get(place)) != Some(&control.property(width).as_str()) {
                    differences.push(format!("{} is not where it is looked for", control.property(width)));
                }
            }
        }
        Ok(())
    }
}

/// The ways in which the registry lets a capability be declared, in words that ours are compared with.
fn ways(capability: &Element) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for enable in capability.children("enable") {
        let requires = || enable.attribute("requires").map(|text| text.split(','));
        if let Ok(feature) = enable.attribute("feature") {
            for origin in requires()? {
                found.insert(format!("the feature {feature} of {origin}"));
            }
        } else if let Ok(member) = enable.attribute("member") {
            let value = enable.attribute("value")?;
            for origin in requires()? {
                found.insert(match value {
                    // Of one width here, of a version or its extension there: the property is what is asked.
                    "VK_TRUE" => format!("the property {member}"),
                    _ => format!("the property {member} with {value} of {origin}"),
                });
            }
        } else if let Ok(version) = enable.attribute("version") {
            found.insert(format!("all of {version}"));
        } else {
            found.insert(format!("all of {}", enable.attribute("extension")?));
        }
    }
    Ok(found)
}

fn spelled(means: Means) -> Vec<String> {
    match means {
        Means::Feature { name, from } => {
            from.iter().map(|origin| format!("the feature {name} of {}", registry_name(*origin))).collect()
        }
        Means::Whole(origin) => vec![format!("all of {}", registry_name(origin))],
        Means::Subgroup(operation, origin) => {
            let suffix = if operation == SubgroupOperation::Partitioned { "_NV" } else { "" };
            let bit = format!("{}{suffix}", subgroup_bit(operation));
            vec![format!("the property subgroupSupportedOperations with {bit} of {}", registry_name(origin))]
        }
        Means::FloatControl(control, width) => vec![format!("the property {}", control.property(width))],
    }
}

fn subgroup_bit(operation: SubgroupOperation) -> String {
    format!("VK_SUBGROUP_FEATURE_{}_BIT", operation.name().to_uppercase())
}

fn registry_name(origin: Origin) -> String {
    match origin {
        Origin::Version(major, minor) => format!("VK_VERSION_{major}_{minor}"),
        Origin::Extension(name) => name.to_owned(),
    }
}

fn capability(name: &str) -> Option<Capability> {
    Capability::ALL.iter().copied().find(|known| known.name() == name)
}

/// The names of a structure's members.
fn members(structure: &Element) -> Result<Vec<&str>> {
    // Members of Vulkan SC are listed beside those of Vulkan.
    let members = structure.children("member").filter(|member| !member.is("api", "vulkansc"));
    members.map(|member| Ok(member.child("name").context("a member without a name")?.text.as_str())).collect()
}

fn compare(name: &str, ours: &[&str], theirs: &[&str], differences: &mut Vec<String>) {
    if ours != theirs {
        differences.push(format!("{name} has the members {}, not {}", theirs.join(", "), ours.join(", ")));
    }
}

/// Which versions and extensions a structure came with.
fn since(name: &str, structure: &Structure, theirs: &BTreeSet<&str>, differences: &mut Vec<String>) {
    let ours: Vec<String> = structure.since.iter().map(|origin| registry_name(*origin)).collect();
    let theirs: BTreeSet<String> = theirs.iter().map(|name| versioned(name)).collect();
    if BTreeSet::from_iter(ours.iter().cloned()) != theirs {
        let theirs = theirs.into_iter().collect::<Vec<_>>().join(", ");
        differences.push(format!("{name} came with {theirs}, not with {}", ours.join(", ")));
    }
}

/// The registry splits versions: `VK_COMPUTE_VERSION_1_2` is a part of 1.2.
fn versioned(name: &str) -> String {
    name.split_once("VERSION_")
        .map_or_else(|| name.to_owned(), |(_, version)| format!("VK_VERSION_{version}"))
}
