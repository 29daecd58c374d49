//! `textDocument/completion` and `completionItem/resolve`.
//!
//! Items carry what is needed to list and to insert them; what there is to read about one is asked for when it is looked at.

use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};
use coopmat_ide::completion::{
    self as ide, About, Completions, IncludePath, Insert, Item, ItemKind, include_item,
};
use coopmat_ide::extension_lines;
use serde_json::{Value, json};
use tower_lsp::ls_types::*;

use crate::client::CompletionSupport;
use crate::documents::Links;
use crate::paths;
use crate::reach::Reach;
use crate::snapshot::Snapshot;

/// No characters commit an item: a name that is typed to its end need not be the one that is selected.
pub fn capability() -> CompletionOptions {
    let triggers = [".", "<", ",", "(", "#", "\"", "/", ":", " "];
    CompletionOptions {
        resolve_provider: Some(true),
        trigger_characters: Some(triggers.map(str::to_owned).to_vec()),
        completion_item: Some(CompletionOptionsCompletionItem { label_details_support: Some(true) }),
        ..CompletionOptions::default()
    }
}

pub fn completion(snapshot: &Snapshot, params: &CompletionParams) -> Option<CompletionResponse> {
    let position = snapshot.position(params.text_document_position.position);
    let analysis = &snapshot.analysis;
    let typed = params
        .context
        .as_ref()
        .filter(|context| context.trigger_kind == CompletionTriggerKind::TRIGGER_CHARACTER)
        .and_then(|context| context.trigger_character.as_ref()?.chars().next());
    let mut found = match typed {
        Some(typed) => ide::completions_after(analysis, position, typed),
        None => ide::completions(analysis, position),
    };
    let mut explicit = needs_range(&found, &snapshot.document.text);
    if let Some(path) = found.include.take() {
        found.items = include_items(snapshot, &path);
        explicit = true;
    }
    if found.items.is_empty() {
        return None;
    }
    let maker = Maker {
        snapshot,
        uri: params.text_document_position.text_document.uri.as_str(),
        support: snapshot.client.completion,
        insert: snapshot.range(FileRange {
            file: snapshot.file,
            range: TextRange::new(found.replace.start(), found.insert_end.max(found.replace.start())),
        }),
        replace: snapshot.range(FileRange { file: snapshot.file, range: found.replace }),
        extension_lines: extension_lines::Place::of(&snapshot.analysis, snapshot.file),
        explicit,
    };
    let items = found.items.iter().filter_map(|item| maker.item(item)).collect();
    Some(CompletionResponse::List(CompletionList { is_incomplete: found.incomplete, items }))
}

/// Whether the client cannot know by itself what an item replaces: it takes the word before the cursor, and what it takes for a word
/// is certain for names alone.
fn needs_range(found: &Completions, text: &str) -> bool {
    let typed = text.get(usize::from(found.replace.start())..usize::from(found.insert_end));
    !typed.is_some_and(|typed| typed.is_empty() || is_name(typed))
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !text.starts_with(|first: char| first.is_ascii_digit())
}

/// Turns items into the protocol's.
struct Maker<'a> {
    snapshot: &'a Snapshot,
    uri: &'a str,
    support: CompletionSupport,
    insert: Range,
    replace: Range,
    /// Where lines go that an item needs.
    extension_lines: extension_lines::Place,
    explicit: bool,
}

impl Maker<'_> {
    /// `None` for what is nothing without tab stops, for a client that does not know them.
    fn item(&self, item: &Item) -> Option<CompletionItem> {
        let (text, format) = match &item.insert {
            Insert::Label => (None, None),
            Insert::Text(text) => (Some(text.clone()), None),
            Insert::Snippet { snippet, .. } if self.support.snippets => {
                (Some(snippet.clone()), Some(InsertTextFormat::SNIPPET))
            }
            Insert::Snippet { plain, .. } if plain.is_empty() => return None,
            Insert::Snippet { plain, .. } => (Some(plain.clone()).filter(|plain| *plain != item.label), None),
        };
        let mut made = CompletionItem {
            label: item.label.to_string(),
            kind: Some(kind(item.kind)),
            sort_text: Some(format!("{:06}", item.rank)),
            filter_text: item.filter.as_ref().map(ToString::to_string),
            insert_text_format: format,
            data: self.data(&item.about),
            ..CompletionItem::default()
        };
        if !item.detail.is_empty() {
            made.detail = Some(item.detail.clone());
            if self.support.label_details && item.detail.len() <= 48 {
                made.label_details =
                    Some(CompletionItemLabelDetails { detail: None, description: Some(item.detail.clone()) });
            }
        }
        if let About::Text(text) = item.about {
            made.documentation = Some(Documentation::String(text.to_owned()));
        }
        // Names alone are told from what is around them by every client.
        if self.explicit || !is_name(&item.label) {
            let new_text = text.unwrap_or_else(|| item.label.to_string());
            made.text_edit = Some(if self.support.insert_replace {
                InsertReplaceEdit { new_text, insert: self.insert, replace: self.replace }.into()
            } else {
                TextEdit { range: self.insert, new_text }.into()
            });
        } else {
            made.insert_text = text;
        }
        let edits =
            ide::extension_edits(&self.extension_lines, self.snapshot.file, &item.extensions).into_iter();
        let edits: Vec<TextEdit> = edits
            .map(|edit| TextEdit { range: self.snapshot.range(edit.range), new_text: edit.text })
            .collect();
        made.additional_text_edits = Some(edits).filter(|edits| !edits.is_empty());
        Some(made)
    }

    /// What `resolve` needs to know.
    fn data(&self, about: &About) -> Option<Value> {
        match *about {
            About::Nothing | About::Text(_) => None,
            About::Builtin => Some(json!(0)),
            About::Declared(at) => Some(json!([self.uri, u32::from(at)])),
            About::Macro(file, at) => Some(json!([self.uri, u32::from(at), file.0])),
        }
    }
}

fn kind(kind: ItemKind) -> CompletionItemKind {
    match kind {
        ItemKind::Variable | ItemKind::Parameter => CompletionItemKind::VARIABLE,
        ItemKind::Constant | ItemKind::Macro => CompletionItemKind::CONSTANT,
        ItemKind::EnumMember => CompletionItemKind::ENUM_MEMBER,
        ItemKind::Member => CompletionItemKind::FIELD,
        ItemKind::Function => CompletionItemKind::FUNCTION,
        ItemKind::Method => CompletionItemKind::METHOD,
        ItemKind::Type => CompletionItemKind::CLASS,
        ItemKind::Structure => CompletionItemKind::STRUCT,
        ItemKind::Keyword => CompletionItemKind::KEYWORD,
        ItemKind::Snippet => CompletionItemKind::SNIPPET,
        ItemKind::Extension => CompletionItemKind::MODULE,
        ItemKind::Property => CompletionItemKind::PROPERTY,
        ItemKind::File => CompletionItemKind::FILE,
        ItemKind::Folder => CompletionItemKind::FOLDER,
        ItemKind::Text => CompletionItemKind::TEXT,
    }
}

/// The document whose analysis tells about an item; `None` when none is needed.
pub fn document_of(item: &CompletionItem) -> Option<Uri> {
    item.data.as_ref()?.get(0)?.as_str()?.parse().ok()
}

/// Adds what there is to read about a built-in.
pub fn resolve_builtin(mut item: CompletionItem) -> CompletionItem {
    if item.data.is_some() {
        let markdown = ide::documentation(None, &item.label, &About::Builtin);
        item.documentation = markdown.map(markup);
    }
    item
}

/// Adds what there is to read about a declaration of the text.
pub fn resolve(snapshot: &Snapshot, item: &CompletionItem) -> CompletionItem {
    let mut item = item.clone();
    let number =
        |index: usize| item.data.as_ref()?.get(index)?.as_u64().and_then(|number| u32::try_from(number).ok());
    let Some(at) = number(1).map(TextSize::new) else { return item };
    let about = match number(2) {
        Some(file) => About::Macro(FileId(file), at),
        None => About::Declared(at),
    };
    let markdown = ide::documentation(Some(&snapshot.analysis), &item.label, &about);
    item.documentation = markdown.map(markup);
    item
}

fn markup(value: String) -> Documentation {
    Documentation::MarkupContent(MarkupContent { kind: MarkupKind::Markdown, value })
}

/// The files and folders that the path of an `#include` can go on with: those beside the file first.
fn include_items(snapshot: &Snapshot, path: &IncludePath) -> Vec<Item> {
    let own = paths::parent(&snapshot.document.path).filter(|_| path.quoted);
    let configured = snapshot.analysis.config.include_dirs.iter().map(String::as_str);
    let reach = Reach::of(&snapshot.analysis.config);
    let mut items: Vec<Item> = Vec::new();
    for root in own.into_iter().chain(configured) {
        let folder = paths::normalize(&format!("{}/{}", root.trim_end_matches('/'), path.folder));
        let folder = folder.trim_end_matches('/');
        // The folder of the file itself lies wherever its user has opened it.
        let readable = (path.folder.is_empty() && Some(root) == own)
            || reach.admit(folder, &Links(&*snapshot.host)).is_ok_and(|found| found.is_some());
        if !readable {
            continue;
        }
        let on_disk = snapshot.host.shaders_under(folder, true);
        let open = snapshot.documents.iter().map(|document| document.path.to_string());
        for file in on_disk.into_iter().chain(open) {
            let Some(rest) = file.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let (name, is_folder) = match rest.split_once('/') {
                Some((name, _)) => (name, true),
                None => (rest, false),
            };
            let itself = !is_folder && file == *snapshot.document.path;
            if !itself && !items.iter().any(|item| item.label == name) {
                items.push(include_item(path, name, is_folder, root));
            }
        }
    }
    items
}
