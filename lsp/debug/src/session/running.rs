//! The run of a session: motions, where they stop, the report at the end.

use coopmat_simulator::debugger::{Command, DataStop, Motion, Reason};
use dapts::{OutputEventCategory, StoppedEventReason, event};
use serde_json::{Value, json};

use super::answers::number;
use super::{Answer, Session};
use crate::Host;
use crate::breakpoints::Sort;
use crate::debuggee::{Debuggee, Happening};
use crate::views;

impl<H: Host> Session<H> {
    /// Begins the run, once the client has said what it wants to stop at.
    pub(super) fn begin_run(&mut self) {
        if !self.is_configured {
            return;
        }
        self.show_changed();
        if let Some(note) = self.note.take() {
            self.outbox.print(OutputEventCategory::Console, format!("{note}\n"));
        }
        let launch = &self.launch;
        let Some(debuggee) = &mut self.debuggee else { return };
        if launch.no_debug {
            return debuggee.report();
        }
        let dispatch = launch.dispatch.as_ref().and_then(|wanted| debuggee.find(wanted).ok());
        match dispatch {
            Some(dispatch) if dispatch > 0 => debuggee.approach(dispatch),
            _ if launch.stop_on_entry => self.show_stop(&Reason::Start),
            _ => debuggee.start(),
        }
    }

    /// Begins a motion.
    pub(super) fn moved(&mut self, command: &str, arguments: &Value) -> Answer {
        self.standing()?;
        if let Some(thread) = number(arguments, "threadId") {
            let subgroup = self.subgroup_of(thread)?;
            if let Some(debugger) = self.standing()?.debugger_mut() {
                // At the end no subgroup is left to follow.
                debugger.set_focus(subgroup);
            }
        }
        let by_instruction = arguments.get("granularity").and_then(Value::as_str) == Some("instruction");
        let motion = match command {
            "next" | "stepBack" if by_instruction => Motion::OverInstruction,
            "stepIn" if by_instruction => Motion::IntoInstruction,
            "next" | "stepBack" => Motion::Over,
            "stepIn" => Motion::Into,
            "stepOut" => Motion::Out,
            _ => Motion::Continue,
        };
        let backwards = matches!(command, "stepBack" | "reverseContinue");
        self.handles.clear();
        self.standing()?.begin(Command { motion, backwards });
        Ok(match command {
            "continue" => json!({ "allThreadsContinued": true }),
            _ => Value::Null,
        })
    }

    /// Ends what is going on, where the run is by now.
    pub(super) fn pause(&mut self) -> Answer {
        match self.debuggee()?.is_reporting() {
            true => Err("the run has ended, and its report is being made".to_owned()),
            false => Ok(Value::Null),
        }
    }

    pub(super) fn show_pause(&mut self) {
        let reason = self.debuggee.as_mut().and_then(|debuggee| debuggee.pause());
        match reason {
            Some(Reason::End) => self.run_ended(),
            Some(reason) => {
                self.show_output();
                self.show_stop(&reason);
            }
            None => {}
        }
    }

    /// Works on for about so many steps of the simulator.
    pub fn work(&mut self, steps: u64) {
        let Some(debuggee) = self.debuggee.as_mut().filter(|debuggee| debuggee.is_working()) else { return };
        let happening = debuggee.work(steps);
        self.show_output();
        match happening {
            Happening::Working => {}
            Happening::Stopped(reason) => self.show_stop(&reason),
            Happening::Approached if self.launch.stop_on_entry => self.show_stop(&Reason::Start),
            Happening::Approached => {
                if let Some(debuggee) = &mut self.debuggee {
                    debuggee.start();
                }
            }
            Happening::NextDispatch => self.next_dispatch(),
            Happening::Ended => self.run_ended(),
            Happening::Report(text, met) => self.show_report(text, met),
            Happening::Failed(problem) => {
                self.outbox.print(OutputEventCategory::Stderr, format!("{problem}\n"));
                self.end_run(Some(1));
            }
        }
    }

    fn next_dispatch(&mut self) {
        self.show_changed();
        let Some(debuggee) = &mut self.debuggee else { return };
        if let Some(name) = debuggee.dispatch_name() {
            let text = format!("dispatch {name}\n");
            self.outbox.print(OutputEventCategory::Console, text);
        }
        if let Some(reason) = debuggee.go_on() {
            self.show_stop(&reason);
        }
    }

    /// The last dispatch has ended.
    fn run_ended(&mut self) {
        self.show_output();
        if let Some(debuggee) = &mut self.debuggee {
            debuggee.report();
        }
        self.end_if_over();
    }

    /// Nothing is left to report.
    pub(super) fn end_if_over(&mut self) {
        if self.debuggee.as_ref().is_some_and(Debuggee::is_over) {
            self.end_run(None);
        }
    }

    fn show_report(&mut self, text: String, met: bool) {
        let category = if met { OutputEventCategory::Stdout } else { OutputEventCategory::Stderr };
        self.outbox.print(category, text);
        self.exit_code = if met { 0 } else { 1 };
        if self.launch.stop_at_end && !self.launch.no_debug {
            if let Some(debuggee) = &mut self.debuggee {
                debuggee.stand();
            }
            return self.show_stop(&Reason::End);
        }
        self.end_run(None);
    }

    /// Tells the client that the run is over.
    pub(super) fn end_run(&mut self, code: Option<u64>) {
        if self.debuggee.take().is_none() {
            return;
        }
        let exit_code = code.unwrap_or(self.exit_code);
        self.outbox.tell::<event::Exited>(&dapts::ExitedEvent { exit_code });
        self.outbox.tell::<event::Terminated>(&dapts::TerminatedEvent { restart: None });
    }

    /// What the shader and breakpoints wrote.
    fn show_output(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        let (written, logged) = debuggee.take_output();
        for line in written {
            let end = if line.ends_with('\n') { "" } else { "\n" };
            self.outbox.print(OutputEventCategory::Stdout, format!("{line}{end}"));
        }
        for one in logged {
            let place = self.breakpoints.place_of(one.breakpoint);
            let place = place.map(|(file, line)| (file.shown(self.counting), self.counting.line(line)));
            self.outbox.print_from(OutputEventCategory::Console, format!("{}\n", one.text), place);
        }
    }

    /// Tells the client that the run stands, and why.
    fn show_stop(&mut self, reason: &Reason) {
        self.handles.clear();
        let Some(debuggee) = &self.debuggee else { return };
        let Some(debugger) = debuggee.debugger() else { return };
        let groups = debuggee.subject().plan().dispatches.get(debuggee.dispatch()).map(|it| it.workgroups);
        let thread_id =
            views::thread_id(debugger.focus(), groups.unwrap_or([1; 3]), debugger.subgroups().len());
        let mut stopped = dapts::StoppedEvent {
            thread_id: Some(thread_id),
            all_threads_stopped: Some(true),
            ..dapts::StoppedEvent::default()
        };
        stopped.reason = match reason {
            Reason::Step | Reason::Time => StoppedEventReason::Step,
            Reason::Breakpoint(index) => {
                let hit = self.breakpoints.hit(*index);
                stopped.hit_breakpoint_ids = hit.map(|(id, _)| vec![id]);
                match hit {
                    Some((_, Sort::Function)) => StoppedEventReason::FunctionBreakpoint,
                    Some((_, Sort::Data)) => {
                        stopped.description = Some("Paused on a data breakpoint".to_owned());
                        stopped.text = debugger.data_here().map(accessed);
                        StoppedEventReason::DataBreakpoint
                    }
                    Some((_, Sort::Instruction)) => StoppedEventReason::InstructionBreakpoint,
                    Some((_, Sort::Line)) | None => StoppedEventReason::Breakpoint,
                }
            }
            Reason::Finding(_) => {
                let finding = debugger.finding_here();
                let kind = finding.map_or("finding", |finding| finding.kind.id());
                stopped.description = Some(format!("Paused on the finding {kind}"));
                stopped.text = finding.map(|finding| format!("{kind}: {}", finding.message));
                StoppedEventReason::Exception
            }
            Reason::Error(error) => {
                stopped.description = Some("Paused where the run cannot go on".to_owned());
                stopped.text = Some(debuggee.subject().plan().explain(error));
                StoppedEventReason::Exception
            }
            Reason::Start => {
                stopped.description = Some("Paused at the start of the run".to_owned());
                StoppedEventReason::Entry
            }
            Reason::End => {
                stopped.description = Some("Paused at the end of the run".to_owned());
                StoppedEventReason::Pause
            }
            Reason::Cancelled => StoppedEventReason::Pause,
        };
        self.outbox.tell::<event::Stopped>(&stopped);
    }
}

/// What is about to happen to data, in words.
fn accessed(stop: &DataStop) -> String {
    let DataStop { expression, writes, after, focus, lanes } = stop;
    let accessed = if *writes { "written" } else { "read" };
    let who = match lanes.count_ones() {
        1 => format!("lane {}", lanes.trailing_zeros()),
        count => format!("{count} lanes"),
    };
    let after = match after {
        Some(after) if *writes => format!(": {after} afterwards"),
        Some(_) | None => String::new(),
    };
    format!("{expression} is {accessed} by {who} of subgroup {}{after}", focus.subgroup)
}
