//! Makes a module compress better: of functions that are the same one stays, and functions that are alike stand beside each other.
//!
//! wasm-bindgen leaves them sorted by their size. Most are instances of generic code that differ in little, and what a compressor finds a few
//! kilobytes back costs it less than what it finds megabytes back. Nothing that runs changes but the numbers of functions.

use std::collections::HashMap;
use std::convert::Infallible;

use anyhow::{Result, anyhow};
use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{
    CodeSectionReader, CustomSectionReader, FunctionBody, FunctionSectionReader, Operator, Parser, Payload,
    TypeRef,
};

/// A function of the module: its bytes without the functions that it names, and those.
struct Function<'a> {
    type_: u32,
    parts: Vec<&'a [u8]>,
    named: Vec<u32>,
}

pub fn arrange(module: &[u8]) -> Result<Vec<u8>> {
    let (imports, functions) = read(module)?;
    let same = duplicates(imports, &functions);
    let own = |index: usize| imports + index as u32;
    let mut order: Vec<usize> = (0..functions.len()).filter(|&i| same[own(i) as usize] == own(i)).collect();
    // By the size only roughly: a short function helps a long one little that begins like it.
    let magnitude = |function: &Function| function.parts.iter().map(|part| part.len()).sum::<usize>().ilog2();
    order.sort_by_cached_key(|&index| {
        let function = &functions[index];
        (function.type_, magnitude(function), function.parts.clone())
    });
    let mut place = vec![0; functions.len()];
    for (at, &index) in order.iter().enumerate() {
        place[index] = own(at);
    }
    // What is imported keeps its number.
    let new = same.iter().map(|&one| one.checked_sub(imports).map_or(one, |index| place[index as usize]));
    let mut arranged = Module::new();
    Arrangement { new: new.collect(), order }
        .parse_core_module(&mut arranged, Parser::new(0), module)
        .map_err(|error| anyhow!("cannot arrange the module: {error}"))?;
    Ok(arranged.finish())
}

/// How many functions are imported, and the module's own.
fn read(module: &[u8]) -> Result<(u32, Vec<Function<'_>>)> {
    let (mut imports, mut types, mut functions) = (0, Vec::new(), Vec::new());
    for payload in Parser::new(0).parse_all(module) {
        match payload? {
            Payload::ImportSection(section) => {
                for import in section.into_imports() {
                    imports += u32::from(matches!(import?.ty, TypeRef::Func(_) | TypeRef::FuncExact(_)));
                }
            }
            Payload::FunctionSection(section) => types = section.into_iter().collect::<Result<_, _>>()?,
            Payload::CodeSectionEntry(body) => {
                let type_ = types.get(functions.len()).copied().unwrap_or_default();
                functions.push(function(module, type_, &body)?);
            }
            _ => {}
        }
    }
    Ok((imports, functions))
}

fn function<'a>(module: &'a [u8], type_: u32, body: &FunctionBody) -> Result<Function<'a>> {
    let (mut parts, mut named) = (Vec::new(), Vec::new());
    let mut start = body.range().start;
    let mut operators = body.get_operators_reader()?;
    while !operators.eof() {
        let opcode = operators.original_position();
        let (Operator::Call { function_index } | Operator::RefFunc { function_index }) = operators.read()?
        else {
            continue;
        };
        // The opcode tells the two apart.
        parts.push(&module[start..opcode + 1]);
        named.push(function_index);
        start = operators.original_position();
    }
    parts.push(&module[start..body.range().end]);
    Ok(Function { type_, parts, named })
}

/// For each function the first one that is the same; again as long as that makes more of them the same.
fn duplicates(imports: u32, functions: &[Function]) -> Vec<u32> {
    let mut same: Vec<u32> = (0..imports + functions.len() as u32).collect();
    loop {
        let mut first = HashMap::new();
        let mut next = same.clone();
        for (own, function) in (imports..).zip(functions) {
            let named: Vec<u32> = function.named.iter().map(|&one| same[one as usize]).collect();
            next[own as usize] = *first.entry((function.type_, &function.parts, named)).or_insert(own);
        }
        if next == same {
            return same;
        }
        same = next;
    }
}

struct Arrangement {
    /// The new number of each function, by its old one.
    new: Vec<u32>,
    /// What stays of the module's own functions, by their old places.
    order: Vec<usize>,
}

impl Reencode for Arrangement {
    type Error = Infallible;

    fn function_index(&mut self, function: u32) -> Result<u32, Error> {
        Ok(self.new[function as usize])
    }

    fn parse_function_section(
        &mut self,
        functions: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error> {
        let types: Vec<u32> = section.into_iter().collect::<Result<_, _>>()?;
        for &index in &self.order {
            functions.function(types[index]);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        code: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error> {
        let bodies: Vec<FunctionBody> = section.into_iter().collect::<Result<_, _>>()?;
        for index in self.order.clone() {
            self.parse_function_body(code, bodies[index].clone())?;
        }
        Ok(())
    }

    fn parse_custom_section(
        &mut self,
        module: &mut Module,
        section: CustomSectionReader<'_>,
    ) -> Result<(), Error> {
        // Names are by number, in its order.
        if section.name() == "name" { Ok(()) } else { utils::parse_custom_section(self, module, section) }
    }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{ConstExpr, ElementSection, Elements, ExportKind, ExportSection, ImportSection};
    use wasm_encoder::{EntityType, RefType, TableSection, TableType, TypeSection};

    use super::*;

    /// One imported function; two that call it, two that call those, and one of its own.
    #[test]
    fn what_is_the_same_stays_once() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut imports = ImportSection::new();
        imports.import("host", "tell", EntityType::Function(0));
        let mut functions = FunctionSection::new();
        let mut code = CodeSection::new();
        for calls in [&[0][..], &[0], &[1, 1], &[2, 2], &[]] {
            functions.function(0);
            let mut body = wasm_encoder::Function::new([]);
            for &function in calls {
                body.instructions().call(function);
            }
            body.instructions().end();
            code.function(&body);
        }
        let mut tables = TableSection::new();
        let element_type = RefType::FUNCREF;
        tables.table(TableType { element_type, table64: false, minimum: 5, maximum: None, shared: false });
        let mut exports = ExportSection::new();
        exports.export("one", ExportKind::Func, 3);
        exports.export("other", ExportKind::Func, 4);
        exports.export("nothing", ExportKind::Func, 5);
        let mut elements = ElementSection::new();
        elements.active(
            None,
            &ConstExpr::i32_const(0),
            Elements::Functions([1, 2, 3, 4, 5].as_slice().into()),
        );
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&functions).section(&tables);
        module.section(&exports).section(&elements).section(&code);

        let arranged = arrange(&module.finish()).unwrap();
        wasmparser::validate(&arranged).unwrap();
        let (imports, functions) = read(&arranged).unwrap();
        assert_eq!((imports, functions.len()), (1, 3));
        let exported = Parser::new(0).parse_all(&arranged).find_map(|payload| match payload.unwrap() {
            Payload::ExportSection(section) => {
                Some(section.into_iter().map(|export| export.unwrap().index).collect::<Vec<_>>())
            }
            _ => None,
        });
        let [one, other, nothing] = exported.unwrap()[..] else { panic!("three functions are exported") };
        assert_eq!(one, other);
        let named = |function: u32| functions[function as usize - 1].named.clone();
        assert!(named(nothing).is_empty());
        let [inner, again] = named(one)[..] else { panic!("it calls two functions") };
        assert_eq!((inner, named(inner)), (again, vec![0]));
    }
}
