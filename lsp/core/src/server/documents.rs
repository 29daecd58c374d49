//! What follows from opened, edited and closed documents, and from changed files.

use std::sync::Arc;

use coopmat_analysis::config::Stage;
use tower_lsp::ls_types::*;

use super::Server;
use crate::documents::Document;
use crate::host::LogLevel;
use crate::outgoing::Outgoing;
use crate::pages;
use crate::paths;
use crate::projects;
use crate::recipe_files;
use crate::spirv::view;

impl Server {
    pub(super) fn opened(&mut self, item: TextDocumentItem) {
        // Virtual documents are texts of the server's own.
        if item.uri.scheme().as_str() == pages::SCHEME || view::is_virtual(&item.uri) {
            return;
        }
        let path: Arc<str> = paths::of_uri(&item.uri).into();
        if projects::is_project_file(&path) {
            // Some clients hand it to us for its diagnostics. It is no shader, and what is saved of it counts.
            return;
        }
        if Stage::of_path(&path).is_none()
            && self.session.folder_of(&path).is_none()
            && let Some(folder) = paths::parent(&path)
        {
            // A header from outside the workspace: who includes it is probably beside it.
            self.scan(folder.to_owned(), false);
        }
        if recipe_files::is_recipe(&path) {
            self.session.documents.insert(Document::new(item.uri, path.clone(), item.version, item.text));
            return self.recipe_changed(&path);
        }
        if self.projects.chosen().for_headers(&path).is_some() {
            self.choose(Some(&path), |chosen| chosen.prefer_for_itself(&path));
        }
        self.session.documents.insert(Document::new(item.uri, path.clone(), item.version, item.text));
        self.roots.opened(&path);
        self.text_changed(&path);
    }

    pub(super) fn changed(&mut self, change: DidChangeTextDocumentParams) {
        if view::is_virtual(&change.text_document.uri) {
            // The client takes over the text that it was sent.
            return;
        }
        let path = paths::of_uri(&change.text_document.uri);
        let Some(document) = self.session.documents.get(&path) else {
            if projects::is_project_file(&path) {
                return;
            }
            let message = format!("a change of {path}, which is not open");
            return self.session.host.log(LogLevel::Error, &message);
        };
        let encoding = self.session.encoding;
        let changed = document.changed(change.text_document.version, change.content_changes, encoding);
        let path = changed.path.clone();
        self.session.documents.insert(changed);
        if recipe_files::is_recipe(&path) {
            return self.recipe_changed(&path);
        }
        self.text_changed(&path);
    }

    /// Project files are not opened here; without a watch this is when a change of one is noticed.
    pub(super) fn saved(&mut self) {
        if !self.session.client.watch_files && self.projects.outdated(&*self.session.host) {
            self.configurations_changed();
        }
    }

    pub(super) fn closed(&mut self, uri: &Uri) {
        if view::is_virtual(uri) {
            return self.following.closed(uri);
        }
        let path = paths::of_uri(uri);
        self.following.shader_closed(&path);
        let Some(document) = self.session.documents.remove(&path) else { return };
        if recipe_files::is_recipe(&path) {
            return self.recipe_changed(&path);
        }
        self.roots.closed(&path);
        self.background.document_closed();
        self.text_changed(&document.path);
        let message = self.publishing.closed(&document);
        self.send(message);
    }

    /// The text that stands for a path is another one now.
    fn text_changed(&mut self, path: &Arc<str>) {
        self.file_changed(path);
        let pause = self.background.edited();
        self.carry_out(pause);
        self.units.edited(path, self.roots.of(path));
    }

    fn file_changed(&mut self, path: &Arc<str>) {
        self.units.file_changed(path);
        self.background.file_changed(path, &self.units);
    }

    pub(super) fn files_changed(&mut self, changes: Vec<FileEvent>) {
        for change in changes {
            let path: Arc<str> = paths::of_uri(&change.uri).into();
            if recipe_files::is_recipe(&path) {
                // Whether a shader can be run is shown above its entry point.
                if change.typ != FileChangeType::CHANGED && self.session.client.refresh_code_lenses {
                    self.send([Outgoing::RefreshCodeLenses]);
                }
                self.recipe_changed(&path);
                continue;
            }
            if self.projects.reads(&path) {
                self.configurations_changed();
                continue;
            }
            // An open document stands before the file.
            if self.session.documents.get(&path).is_none() {
                self.file_changed(&path);
            }
            self.roots.reconsider();
            if change.typ == FileChangeType::DELETED {
                self.roots.deleted(&path);
            } else {
                let path = path.to_string();
                self.scan_with(move |_| vec![path]);
            }
        }
    }
}
