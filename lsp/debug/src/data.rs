//! Data that the client wants to stop at: what it has asked about, by the ids under which it sets breakpoints.

use coopmat_simulator::debugger::{Accesses, Debugger, Watched};

use crate::debuggee::Debuggee;
use crate::variables::Part;
use crate::views::FrameId;

/// What the client has asked about.
#[derive(Clone, Debug)]
struct Known {
    id: String,
    /// In which it was asked about.
    dispatch: usize,
    lane: Option<u32>,
    /// Or why it cannot be watched any more.
    watched: Result<Watched, String>,
}

/// All data that the client has asked about in this session.
#[derive(Debug, Default)]
pub struct Data(Vec<Known>);

impl Data {
    /// The answer to `dataBreakpointInfo`.
    pub fn info(&mut self, debuggee: &mut Debuggee, part: &Part) -> dapts::DataBreakpointInfoResponse {
        let dispatch = debuggee.dispatch();
        let watched = debuggee
            .debugger_mut()
            .ok_or_else(|| crate::outbox::NO_RUN.to_owned())
            .and_then(|debugger| watched(debugger, part));
        let watched = match watched {
            Ok(watched) => watched,
            Err(description) => {
                return dapts::DataBreakpointInfoResponse { description, ..Default::default() };
            }
        };
        let access_types = match watched.sees_reads() {
            true => vec![
                dapts::DataBreakpointAccessType::Read,
                dapts::DataBreakpointAccessType::Write,
                dapts::DataBreakpointAccessType::ReadWrite,
            ],
            false => vec![dapts::DataBreakpointAccessType::Write],
        };
        let description = match part.lane {
            Some(lane) => format!("{}, lane {lane}", part.expression),
            None => part.expression.clone(),
        };
        dapts::DataBreakpointInfoResponse {
            access_types: Some(access_types),
            can_persist: Some(false),
            data_id: Some(self.id_of(dispatch, part.lane, watched, &description)),
            description,
        }
    }

    /// The same data has the same id.
    fn id_of(&mut self, dispatch: usize, lane: Option<u32>, watched: Watched, name: &str) -> String {
        let is_same = |known: &&Known| {
            (known.dispatch == dispatch || watched.is_of_run())
                && known.lane == lane
                && known.watched.as_ref() == Ok(&watched)
        };
        if let Some(known) = self.0.iter().find(is_same) {
            return known.id.clone();
        }
        let is_taken = |id: &str| self.0.iter().any(|known| known.id == id);
        let mut numbered = (2..).map(|number: u32| format!("{name} ({number})"));
        let id = match is_taken(name) {
            true => numbered.find(|id| !is_taken(id)).unwrap_or_default(),
            false => name.to_owned(),
        };
        self.0.push(Known { id: id.clone(), dispatch, lane, watched: Ok(watched) });
        id
    }

    /// What a breakpoint watches in a dispatch.
    pub fn watched(
        &self,
        id: &str,
        access: Option<dapts::DataBreakpointAccessType>,
        dispatch: usize,
    ) -> Result<Watched, String> {
        let known = self.0.iter().find(|known| known.id == id);
        let known = known.ok_or_else(|| format!("no data is known as `{id}` in this session"))?;
        let watched = known.watched.as_ref().map_err(Clone::clone)?;
        if known.dispatch != dispatch && !watched.is_of_run() {
            return Err("it belongs to another dispatch of the recipe".to_owned());
        }
        let accesses = match access {
            Some(dapts::DataBreakpointAccessType::Read) => Accesses { reads: true, writes: false },
            Some(dapts::DataBreakpointAccessType::ReadWrite) => Accesses { reads: true, writes: true },
            Some(dapts::DataBreakpointAccessType::Write) | None => Accesses { reads: false, writes: true },
        };
        if accesses.reads && !watched.sees_reads() {
            return Err("reads of variables in registers are not seen: choose `write`".to_owned());
        }
        Ok(watched.with(accesses))
    }

    /// Looks for the same data in a run that begins anew.
    pub fn renew(&mut self, debuggee: &mut Debuggee) {
        let dispatch = debuggee.dispatch();
        let Some(debugger) = debuggee.debugger_mut() else { return };
        let frame = FrameId { subgroup: debugger.focus().subgroup, depth: 0 };
        for known in &mut self.0 {
            let Ok(before) = &known.watched else { continue };
            let part = Part { frame, expression: before.expression().to_owned(), lane: known.lane };
            known.watched = watched(debugger, &part);
            known.dispatch = dispatch;
        }
    }
}

fn watched(debugger: &mut Debugger, part: &Part) -> Result<Watched, String> {
    part.frame.look(debugger, |debugger, depth| debugger.watched(depth, &part.expression, part.lane))?
}
