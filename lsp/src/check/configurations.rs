//! Under which configurations a file is checked: the project file's, with the command line's options laid over them.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;

use crate::arguments::CheckOptions;

pub struct Configurations<'a> {
    options: &'a CheckOptions,
}

impl<'a> Configurations<'a> {
    pub fn new(options: &'a CheckOptions) -> Configurations<'a> {
        Configurations { options }
    }

    /// The configurations of a file. `named`: the command line names the file itself, rather than a folder that holds it.
    pub fn of(&mut self, _path: &str, _named: bool) -> Result<Vec<Arc<Configuration>>, String> {
        let mut configuration = Configuration::default();
        self.overlay(&mut configuration);
        Ok(vec![Arc::new(configuration)])
    }

    fn overlay(&self, configuration: &mut Configuration) {
        let options = self.options;
        for define in &options.defines {
            let (name, value) = coopmat_server::split_define(define);
            configuration.defines.retain(|(defined, _)| *defined != name);
            configuration.defines.push((name, value));
        }
        // What the command line names is searched first.
        let dirs = options.include_dirs.iter().map(|folder| folder.replace('\\', "/"));
        configuration.include_dirs.splice(0..0, dirs);
        if let Some(env) = options.target_env {
            configuration.target_env = env;
        }
        if options.device.is_some() {
            configuration.device.clone_from(&options.device);
        }
        if options.subgroup_size.is_some() {
            configuration.subgroup_size = options.subgroup_size;
        }
        if options.stage.is_some() {
            configuration.stage = options.stage;
        }
        configuration.google_include |= options.google_include;
    }
}
