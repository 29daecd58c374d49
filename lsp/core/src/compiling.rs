//! Whether shaders are compiled: looked at behind their errors, while nobody types and nothing is left to analyse, one shader at a time. The
//! module is the one that listings, lenses and devices are asked about, too.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::effects::Effect;
use crate::engine::Checked;
use crate::host::LogLevel;
use crate::session::Session;
use crate::units::{Unit, Units};

/// A job has looked at the module of a root.
pub struct LookedAt {
    root: Arc<str>,
    checked: Arc<Checked>,
}

#[derive(Default)]
pub struct Compiling {
    running: bool,
}

impl Compiling {
    /// Whether a look is under way.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Starts to look at the module of the root that was touched last, where nobody has yet.
    pub fn start(&mut self, session: &Session, units: &Units) -> Option<Effect<LookedAt>> {
        if self.running {
            return None;
        }
        let unknown = |unit: &Unit| {
            let checked = unit.checked.clone().filter(|_| unit.fresh() && !unit.failed)?;
            (!checked.is_whole()).then_some((checked, unit.configuration()?.clone()))
        };
        let ready = units.iter().filter_map(|(root, unit)| Some((unit.touched, root, unknown(unit)?)));
        let (_, root, (checked, configuration)) = ready.max_by_key(|(touched, root, _)| (*touched, *root))?;
        self.running = true;
        let (root, inputs) = (root.clone(), session.inputs(configuration));
        Some(Effect::work(move |host| {
            let look = || checked.look_at_module(&inputs);
            if catch_unwind(AssertUnwindSafe(look)).is_err() {
                host.log(LogLevel::Error, &format!("compiling {root} panicked"));
                checked.leave_module();
            }
            Some(LookedAt { root, checked })
        }))
    }

    /// Takes a look in: whether there may be something new to tell.
    pub fn take(&mut self, looked: &LookedAt, units: &Units) -> bool {
        self.running = false;
        let current = units.get(&looked.root).filter(|unit| unit.fresh());
        current.and_then(|unit| unit.checked.as_ref()).is_some_and(|now| Arc::ptr_eq(now, &looked.checked))
    }
}
