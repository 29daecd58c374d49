//! Parses files and says where error nodes are and how fast it went: `parse [--tree] [--quiet] FILES`.

use std::error::Error;
use std::time::{Duration, Instant};

use tree_sitter::{Node, Parser};
use tree_sitter_glsl_coopmat::LANGUAGE;

fn main() -> Result<(), Box<dyn Error>> {
    let (options, files): (Vec<_>, Vec<_>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let has = |option: &str| options.iter().any(|given| given == option);
    let mut parser = Parser::new();
    parser.set_language(&LANGUAGE.into())?;
    let (mut bytes, mut errors, mut files_with_errors, mut time) = (0, 0, 0, Duration::ZERO);
    for file in &files {
        let text = String::from_utf8_lossy(&std::fs::read(file)?).into_owned();
        let start = Instant::now();
        let tree = parser.parse(&text, None).ok_or("the parser gave up")?;
        time += start.elapsed();
        bytes += text.len();
        if has("--tree") {
            print(tree.root_node(), &text, None, 0);
        }
        let mut found = Vec::new();
        collect(tree.root_node(), &mut found);
        errors += found.len();
        files_with_errors += usize::from(!found.is_empty());
        if !has("--quiet") {
            for node in found {
                let (start, end) = (node.start_position(), node.end_position());
                let what =
                    if node.is_missing() { format!("missing {}", node.kind()) } else { "error".into() };
                let line = text.lines().nth(start.row).unwrap_or_default().trim();
                println!("{file}:{}:{}-{}: {what}: {line}", start.row + 1, start.column + 1, end.row + 1);
            }
        }
    }
    println!(
        "{} files, {files_with_errors} with errors, {errors} error nodes; {:.2} MB in {:.3} s, {:.1} MB/s",
        files.len(),
        bytes as f64 / 1e6,
        time.as_secs_f64(),
        bytes as f64 / 1e6 / time.as_secs_f64(),
    );
    Ok(())
}

fn collect<'tree>(node: Node<'tree>, found: &mut Vec<Node<'tree>>) {
    if node.is_error() || node.is_missing() {
        found.push(node);
    } else if node.has_error() {
        (0..node.child_count()).filter_map(|index| node.child(index)).for_each(|child| collect(child, found));
    }
}

fn print(node: Node<'_>, text: &str, field: Option<&str>, depth: usize) {
    let field = field.map(|field| format!("{field}: ")).unwrap_or_default();
    if node.is_named() || node.is_missing() {
        let shown =
            if node.named_child_count() == 0 { text.get(node.byte_range()).unwrap_or_default() } else { "" };
        println!("{:1$}{field}{2}  {shown}", "", depth * 2, node.kind());
    } else if !field.is_empty() {
        println!("{:1$}{field}{2:?}", "", depth * 2, node.kind());
    }
    for index in 0..node.child_count() {
        if let Some(child) = node.child(index) {
            print(child, text, node.field_name_for_child(index), depth + 1);
        }
    }
}
