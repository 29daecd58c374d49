//! What runs a dispatch: the interpreter, or machine code that is made of the shader.

use clap::ValueEnum;
use coopmat_native::{Ended, Machine};
use coopmat_recipe::Tier;
use coopmat_simulator::{Execution, Pool};

/// Who may run a dispatch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TierChoice {
    /// The interpreter, and machine code once a run turns out to be long
    #[default]
    Auto,
    /// The interpreter alone
    Interpreter,
    /// Machine code from the start, wherever the shader can be compiled
    Compiled,
}

/// What the interpreter does in about a tenth of a second, in which a shader of some size is compiled.
const PATIENCE: u64 = 4 << 20;

/// The share of a run's instructions that has to be generated for machine code to be the faster one: it asks the interpreter for the others.
const WORTH: f64 = 0.7;

/// Machine code, made when it is needed.
pub struct MachineCode {
    patience: u64,
}

impl TierChoice {
    /// Nothing where the interpreter runs everything.
    pub fn machine_code(self) -> Option<MachineCode> {
        match self {
            TierChoice::Auto => Some(MachineCode { patience: PATIENCE }),
            TierChoice::Compiled => Some(MachineCode { patience: 0 }),
            TierChoice::Interpreter => None,
        }
    }
}

impl Tier for MachineCode {
    fn patience(&self) -> u64 {
        self.patience
    }

    fn run(
        &self,
        execution: &mut Execution,
        pool: Option<&dyn Pool>,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<bool, String> {
        let machine =
            Machine::new(execution.program(), execution.settings()).map_err(|left| left.to_string())?;
        // What has run so far tells what the rest will do.
        if self.patience > 0 && execution.generated_share(machine.compiled()) < WORTH {
            return Err("most of it is done by the interpreter's code either way".to_owned());
        }
        let ended = machine.run(execution, pool, go_on).map_err(|left| left.to_string())?;
        Ok(ended == Ended::Finished)
    }
}
