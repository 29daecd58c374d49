//! The shader of a dispatch, as runs and the debugger take it: one that was compiled here, or a module of somebody else's.

use coopmat_analysis::Analysis;
use coopmat_analysis::config::Configuration;
use coopmat_codegen::Compiled;
use coopmat_debug::lines_of;
use coopmat_recipe::Module;
use coopmat_recipe::report::SourcePlace;
use coopmat_server::recipe_files::written;
use coopmat_simulator::debugger::Lines;
use coopmat_simulator::{Program, ProgramError, ProgramOptions};
use coopmat_spirv::dr;

use crate::files::name_of;
use crate::module::Foreign;
use crate::places::{self, Place};
use crate::prepare::Problem;

/// A shader that can be run.
pub struct Shader {
    /// What the page calls its file.
    pub name: String,
    pub code: Code,
    /// Values of specialization constants, whatever the recipe says of them.
    pub chosen: Vec<(String, String)>,
}

pub enum Code {
    Compiled { analysis: Box<Analysis>, compiled: Box<Compiled> },
    Module(Box<Foreign>),
}

impl Shader {
    pub fn module(&self) -> &dr::Module {
        match &self.code {
            Code::Compiled { compiled, .. } => &compiled.module,
            Code::Module(module) => &module.module,
        }
    }

    pub fn configuration(&self) -> &Configuration {
        match &self.code {
            Code::Compiled { analysis, .. } => &analysis.config,
            Code::Module(module) => &module.configuration,
        }
    }

    /// How many instructions it has.
    pub fn instructions(&self) -> u32 {
        match &self.code {
            Code::Compiled { compiled, .. } => compiled.map.len() as u32,
            Code::Module(module) => module.places.len() as u32,
        }
    }

    pub fn place(&self, instruction: u32) -> Option<Place> {
        match &self.code {
            Code::Compiled { analysis, compiled } => places::of_instruction(analysis, compiled, instruction),
            Code::Module(module) => module.places.get(instruction as usize)?.clone(),
        }
    }

    /// As reports have it: from 1.
    pub fn source_place(&self, instruction: u32) -> Option<SourcePlace> {
        let Place { file, start, .. } = self.place(instruction)?;
        Some(SourcePlace { path: file, line: start.line + 1, column: start.character + 1 })
    }

    /// What the debugger steps by.
    pub fn lines(&self) -> Lines {
        match &self.code {
            Code::Compiled { analysis, compiled } => {
                lines_of(analysis, compiled, |path| name_of(path).to_owned())
            }
            Code::Module(module) => module.lines(),
        }
    }

    /// As a plan takes it.
    pub fn given(&self) -> Module<'_> {
        Module {
            module: self.module(),
            configured: written(&self.configuration().specialization),
            chosen: self.chosen.clone(),
        }
    }

    pub fn program(&self) -> Result<Program, Problem> {
        let program = Program::new(self.module(), &ProgramOptions::default());
        program.map_err(|error| self.program_problem(error))
    }

    pub fn program_problem(&self, error: ProgramError) -> Problem {
        Problem { message: error.message, place: error.instruction.and_then(|it| self.place(it)) }
    }
}
