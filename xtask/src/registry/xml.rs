//! XML as a tree of elements, which is all that the registry needs.

use anyhow::{Context, Result, bail};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    /// The text between its own tags, without that of its children.
    pub text: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

impl Element {
    fn new(start: &BytesStart) -> Result<Element> {
        let mut element = Element { name: start.name().as_ref().to_owned(), ..Element::default() };
        for attribute in start.attributes() {
            let attribute = attribute?;
            element.attributes.push((attribute.key.as_ref().to_owned(), attribute.value.into_owned()));
        }
        Ok(element)
    }

    pub fn attribute(&self, name: &str) -> Result<&str> {
        let found = self.attributes.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).with_context(|| format!("a <{}> without {name}", self.name))
    }

    pub fn is(&self, attribute: &str, value: &str) -> bool {
        self.attribute(attribute).is_ok_and(|known| known == value)
    }

    pub fn children(&self, name: &str) -> impl Iterator<Item = &Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    pub fn child(&self, name: &str) -> Option<&Element> {
        self.children(name).next()
    }
}

/// The outermost element of a text.
pub fn parse(text: &str) -> Result<Element> {
    let mut reader = Reader::from_str(text);
    let mut open = vec![Element::default()];
    loop {
        match reader.read_event()? {
            Event::Start(start) => open.push(Element::new(&start)?),
            Event::Empty(start) => {
                let element = Element::new(&start)?;
                open.last_mut().context("an element outside of all")?.children.push(element);
            }
            Event::End(_) => {
                let element = open.pop().context("an end without a start")?;
                open.last_mut().context("an end without a start")?.children.push(element);
            }
            Event::Text(text) => {
                let element = open.last_mut().context("text outside of all")?;
                element.text.push_str(&text);
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match open.pop() {
        Some(outside) if open.is_empty() => outside.children.into_iter().next().context("no element"),
        _ => bail!("an element without its end"),
    }
}
