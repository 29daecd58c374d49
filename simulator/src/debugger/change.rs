//! Variables that are changed while the run stands. A change belongs to the run from then on: it is undone when the run goes back before
//! it, and made again when the run comes by. What lay after it is forgotten, later changes among it: the run may go another way now.

use super::Debugger;
use super::motion::{Reason, Stop};

impl Debugger {
    /// Gives a variable or a part of one another value, which is an expression of the frame: in all lanes that have not left the frame, or
    /// in one.
    ///
    /// # Errors
    /// Why it cannot be changed.
    pub fn change(
        &mut self,
        frame: usize,
        expression: &str,
        lane: Option<u32>,
        value: &str,
    ) -> Result<(), String> {
        if self.is_moving() {
            return Err("variables are changed while the run stands".to_owned());
        }
        if self.execution.workgroup().is_none() {
            return Err("nothing is running here, so there are no variables".to_owned());
        }
        if self.is_broken || self.tracker.standing.is_none_or(|standing| standing.position.nested > 0) {
            return Err(
                "the run stands in a function that is called for the elements of a matrix: variables are changed before or after it"
                    .to_owned(),
            );
        }
        let scene = self.scene(frame).ok_or("nothing is running here, so there are no variables")?;
        let edits = scene.edits(expression, lane, value)?;
        let time = self.time();
        self.timeline.forget_after(time);
        for known in &mut self.breakpoints {
            known.forget_after(time);
        }
        (self.end, self.failure, self.furthest) = (None, None, time);
        // What the run stopped for may not happen any more.
        self.last_stop = Some(Stop { reason: Reason::Time, time });
        self.tracker.edits.add(time, edits);
        self.make_edit();
        Ok(())
    }

    /// How many changes there are up to the latest time of the run.
    pub fn changes(&self) -> usize {
        self.tracker.edits.count()
    }

    /// Makes the next change.
    pub(super) fn make_edit(&mut self) {
        self.tracker.edits.make(self.tracker.state.edited, &mut self.execution);
        self.tracker.state.edit_made();
    }
}
