//! What ARCHITECTURE.md says of the server by name: its parts, and the way of a keystroke.

use std::path::Path;

/// What stands in backticks.
fn code(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

/// The rows of the first table behind some words, as their cells.
fn table<'p>(page: &'p str, behind: &str) -> Vec<Vec<&'p str>> {
    let (_, rest) = page.split_once(behind).unwrap_or_else(|| panic!("ARCHITECTURE.md has no `{behind}`"));
    let rows =
        rest.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let rows: Vec<_> = rows.skip(2).map(|line| line.trim_matches('|').split(" | ").collect()).collect();
    assert!(rows.len() > 5, "{rows:?}");
    rows
}

fn page() -> String {
    read("ARCHITECTURE.md")
}

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn each_part_of_the_server_is_where_the_page_says() {
    for row in table(&page(), "## The server\n") {
        let (part, file) = (code(row[0])[0], code(row[1])[0]);
        let defined = format!("pub struct {part} {{");
        assert!(read(&format!("lsp/core/src/{file}")).contains(&defined), "{file} has no part `{part}`");
    }
}

#[test]
fn each_step_of_a_keystroke_names_functions_that_exist() {
    for row in table(&page(), "### A keystroke, from `didChange` to the diagnostic\n") {
        let file = code(row[0])[0];
        let text = read(file);
        for function in code(row[1]) {
            let defined = [format!("fn {function}("), format!("fn {function}<")];
            assert!(defined.iter().any(|words| text.contains(words)), "{file} has no function `{function}`");
        }
    }
}

/// The files of the crate, by their paths in it.
fn sources(folder: &Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn no_part_knows_the_server() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&folder, &mut files);
    assert!(files.len() > 50, "{files:?}");
    for path in files {
        let name = path.strip_prefix(&folder).unwrap().to_str().unwrap().replace('\\', "/");
        // The connection starts it.
        if name == "connection.rs" || name == "server.rs" || name.starts_with("server/") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            !text.contains("crate::server") && !text.contains("impl Server"),
            "{name} reaches for the server"
        );
    }
}
