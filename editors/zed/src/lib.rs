//! Starts the server in Zed: the program that the settings name, the one on the worktree's PATH.

use zed_extension_api::settings::LspSettings;
use zed_extension_api::{
    Command, Extension, LanguageServerId, Result, Worktree, register_extension, serde_json,
};

const PROGRAM: &str = "coopmat-analyzer";

struct Coopmat;

impl Extension for Coopmat {
    fn new() -> Self {
        Self
    }

    fn language_server_command(&mut self, id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let binary = LspSettings::for_worktree(id.as_ref(), worktree)?.binary;
        let (path, arguments, environment) =
            binary.map_or((None, None, None), |binary| (binary.path, binary.arguments, binary.env));
        let command = path.or_else(|| worktree.which(PROGRAM)).ok_or_else(|| {
            format!(
                "{PROGRAM} is not on PATH: install it, or set `lsp.{PROGRAM}.binary.path` in Zed's settings"
            )
        })?;
        let mut env = worktree.shell_env();
        env.extend(environment.into_iter().flatten());
        Ok(Command { command, args: arguments.unwrap_or_else(|| vec!["lsp".to_owned()]), env })
    }

    fn language_server_initialization_options(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        Ok(LspSettings::for_worktree(id.as_ref(), worktree)?.initialization_options)
    }

    /// The server asks for its own section.
    fn language_server_workspace_configuration(
        &mut self,
        id: &LanguageServerId,
        worktree: &Worktree,
    ) -> Result<Option<serde_json::Value>> {
        let settings = LspSettings::for_worktree(id.as_ref(), worktree)?.settings;
        Ok(settings.map(|own| serde_json::json!({ PROGRAM: own })))
    }
}

register_extension!(Coopmat);
