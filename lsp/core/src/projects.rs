//! Which configuration a file is checked under: the project file's, with the client's settings laid over it.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use rustc_hash::FxHashMap;

use crate::contexts::Includes;
use crate::host::Host;
use crate::settings::Settings;

/// The project file's name.
pub const PROJECT_FILE: &str = "coopmat-analyzer.toml";

/// What the client is asked to watch.
pub const WATCHED: &[&str] = &[
    "**/*.{comp,vert,tesc,tese,geom,frag,task,mesh,rgen,rint,rahit,rchit,rmiss,rcall}",
    "**/*.{glsl,glslh,h,hglsl,inc}",
    "**/coopmat-analyzer.toml",
];

pub fn is_project_file(path: &str) -> bool {
    path.rsplit('/').next() == Some(PROJECT_FILE)
}

/// The configurations in force, until something changes.
#[derive(Default)]
pub struct Projects {
    configurations: FxHashMap<String, Arc<Configuration>>,
    message: Option<String>,
}

impl Projects {
    pub fn forget(&mut self) {
        self.configurations.clear();
    }

    /// What is wrong with a project file, told once.
    pub fn take_message(&mut self) -> Option<String> {
        self.message.take()
    }

    /// The configuration in view for a file. `folder` is the workspace folder that holds it.
    pub fn configuration(
        &mut self,
        path: &str,
        folder: Option<&str>,
        settings: &Settings,
        _host: &dyn Host,
    ) -> Arc<Configuration> {
        if let Some(configuration) = self.configurations.get(path) {
            return configuration.clone();
        }
        let mut configuration = Configuration::default();
        settings.apply(&mut configuration, folder);
        let configuration = Arc::new(configuration);
        self.configurations.insert(path.to_owned(), configuration.clone());
        configuration
    }
}

/// Reads the include lines of files.
pub fn find_includes(files: Vec<String>, include_dirs: &[String], host: &dyn Host) -> Vec<Includes> {
    files.iter().filter_map(|path| Some(Includes::find(path, &host.read(path)?, include_dirs))).collect()
}
