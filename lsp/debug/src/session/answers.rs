//! Answers to what a client asks of a run, and what it wants to stop at.

use coopmat_simulator::debugger::{Debugger, Lines, Reason};
use dapts::event;
use serde::Serialize;
use serde_json::Value;

use super::{Answer, NO_RUN, Session, written};
use crate::breakpoints::lines_with_code;
use crate::outbox::Refusal;
use crate::sources::SourceFile;
use crate::variables::{Part, Shown, shown, unfold};
use crate::views::{self, FrameId};
use crate::{Host, disassembly, findings};

impl<H: Host> Session<H> {
    pub(super) fn set_breakpoints(
        &mut self,
        arguments: dapts::SetBreakpointsArguments,
    ) -> Result<dapts::SetBreakpointsResponse, Refusal> {
        let path =
            arguments.source.path.as_deref().ok_or("`setBreakpoints`: expected a source with a path")?;
        let path = self.host.normalized(path);
        let wanted = arguments.breakpoints.unwrap_or_default();
        self.breakpoints.replace_file(&path, &wanted, self.counting);
        self.set();
        Ok(dapts::SetBreakpointsResponse { breakpoints: self.breakpoints.of_file(&path, self.counting) })
    }

    pub(super) fn set_functions(
        &mut self,
        arguments: &dapts::SetFunctionBreakpointsArguments,
    ) -> dapts::SetFunctionBreakpointsResponse {
        self.breakpoints.replace_functions(&arguments.breakpoints);
        self.set();
        dapts::SetFunctionBreakpointsResponse { breakpoints: self.breakpoints.of_functions(self.counting) }
    }

    /// Whether accesses to a variable can stop the run.
    pub(super) fn data_info(
        &mut self,
        arguments: &dapts::DataBreakpointInfoArguments,
    ) -> Result<dapts::DataBreakpointInfoResponse, Refusal> {
        self.standing()?;
        let part = match arguments.variables_reference.filter(|reference| *reference > 0) {
            Some(reference) => self.part_of(reference, &arguments.name),
            None => Ok(Part {
                frame: self.frame_of(arguments.frame_id)?,
                expression: arguments.name.trim().to_owned(),
                lane: None,
            }),
        };
        let debuggee = self.debuggee.as_mut().ok_or(NO_RUN)?;
        Ok(match part {
            Ok(part) => self.data.info(debuggee, &part),
            Err(description) => dapts::DataBreakpointInfoResponse { description, ..Default::default() },
        })
    }

    /// A child of what is behind a reference.
    fn part_of(&self, reference: u32, name: &str) -> Result<Part, Refusal> {
        let handle = self.handles.get(reference);
        handle.ok_or("these variables belong to an earlier stop")?.part(name)
    }

    /// A frame that the client names, or the innermost one.
    fn frame_of(&mut self, number: Option<u64>) -> Result<FrameId, Refusal> {
        match number {
            Some(number) => Ok(FrameId::of(number).ok_or("there is no such frame")?),
            None => {
                let debugger = self.standing()?.debugger().ok_or(NO_RUN)?;
                Ok(FrameId { subgroup: debugger.focus().subgroup, depth: 0 })
            }
        }
    }

    pub(super) fn set_data(
        &mut self,
        arguments: &dapts::SetDataBreakpointsArguments,
    ) -> dapts::SetDataBreakpointsResponse {
        self.breakpoints.replace_data(&arguments.breakpoints);
        self.set();
        dapts::SetDataBreakpointsResponse { breakpoints: self.breakpoints.of_data(self.counting) }
    }

    pub(super) fn set_instructions(
        &mut self,
        arguments: &disassembly::SetBreakpoints,
    ) -> dapts::SetInstructionBreakpointsResponse {
        self.breakpoints.replace_instructions(&arguments.breakpoints);
        self.set();
        dapts::SetInstructionBreakpointsResponse {
            breakpoints: self.breakpoints.at_instructions(self.counting),
        }
    }

    /// Instructions of the module that runs, with the lines that they come from.
    pub(super) fn disassemble(
        &mut self,
        arguments: &disassembly::Arguments,
    ) -> Result<dapts::DisassembleResponse, Refusal> {
        let debuggee = self.debuggee.as_ref().ok_or(NO_RUN)?;
        let dispatch = debuggee.dispatch();
        let module = debuggee.subject().module(dispatch).ok_or(NO_RUN)?;
        let debugger = debuggee.debugger().ok_or(NO_RUN)?;
        let listing = self.listing.take().filter(|listing| listing.dispatch == dispatch);
        let listing = listing.unwrap_or_else(|| disassembly::Listing::new(dispatch, module));
        let instructions = listing.part(arguments, debugger.lines(), self.counting);
        self.listing = Some(listing);
        Ok(dapts::DisassembleResponse { instructions: instructions? })
    }

    fn set(&mut self) {
        match &mut self.debuggee {
            Some(debuggee) => {
                self.breakpoints.set(debuggee, &self.data, self.counting);
            }
            None => self.breakpoints.postpone(),
        }
    }

    /// Sets all breakpoints again, and says which of them are now elsewhere.
    pub(super) fn show_changed(&mut self) {
        let Some(debuggee) = &mut self.debuggee else { return };
        for breakpoint in self.breakpoints.set(debuggee, &self.data, self.counting) {
            let reason = dapts::BreakpointEventReason::Changed;
            self.outbox.tell::<event::Breakpoint>(&dapts::BreakpointEvent { breakpoint, reason });
        }
    }

    pub(super) fn set_exceptions(
        &mut self,
        arguments: &dapts::SetExceptionBreakpointsArguments,
    ) -> Result<dapts::SetExceptionBreakpointsResponse, Refusal> {
        let kinds = arguments.filters.iter().map(|filter| {
            findings::of_filter(filter).ok_or_else(|| format!("checked mode has no finding `{filter}`"))
        });
        self.stop_at = kinds.collect::<Result<_, _>>()?;
        let stop_at = self.stop_at.clone();
        let is_checked = self.debuggee.as_mut().map(|debuggee| {
            debuggee.stop_at_findings(stop_at);
            debuggee.subject().modes().checked
        });
        let message = match is_checked {
            Some(false) => Some("checked mode is off: launch with `\"checked\": true`".to_owned()),
            Some(true) | None => None,
        };
        let breakpoint =
            dapts::Breakpoint { verified: message.is_none(), message, ..dapts::Breakpoint::default() };
        let breakpoints = Some(vec![breakpoint; arguments.filters.len()]);
        Ok(dapts::SetExceptionBreakpointsResponse { breakpoints })
    }

    pub(super) fn breakpoint_locations(
        &mut self,
        arguments: &dapts::BreakpointLocationsArguments,
    ) -> Result<dapts::BreakpointLocationsResponse, Refusal> {
        let path = arguments.source.path.as_deref().unwrap_or_default();
        let path = self.host.normalized(path);
        let counting = self.counting;
        let first = counting.zero_based(arguments.line);
        let last = arguments.end_line.map_or(first, |line| counting.zero_based(line));
        let debuggee = self.debuggee()?;
        let lines = debuggee.debugger().map(|debugger| lines_with_code(debugger, &path, first, last));
        let location = |line: u32| dapts::BreakpointLocation {
            line: counting.line(line),
            column: None,
            end_line: None,
            end_column: None,
        };
        let breakpoints = lines.unwrap_or_default().into_iter().map(location).collect();
        Ok(dapts::BreakpointLocationsResponse { breakpoints })
    }

    pub(super) fn threads(&mut self) -> Answer {
        let threads = self.threads_now()?.into_iter().map(|(_, thread)| thread).collect();
        written(&dapts::ThreadsResponse { threads })
    }

    fn threads_now(&mut self) -> Result<Vec<(coopmat_simulator::debugger::Focus, dapts::Thread)>, Refusal> {
        let debuggee = self.debuggee()?;
        let groups = debuggee.subject().plan().dispatches.get(debuggee.dispatch()).map(|it| it.workgroups);
        let debugger = debuggee.debugger().ok_or(NO_RUN)?;
        Ok(views::threads(debugger, groups.unwrap_or([1; 3])))
    }

    /// The subgroup of a thread.
    pub(super) fn subgroup_of(&mut self, thread: u64) -> Result<u32, Refusal> {
        let threads = self.threads_now()?;
        let found = threads.iter().find(|(_, known)| known.id == thread);
        found.map(|(focus, _)| focus.subgroup).ok_or_else(|| {
            format!("there is no thread {thread}: threads are the subgroups of the workgroup that runs")
        })
    }

    pub(super) fn stack_trace(
        &mut self,
        arguments: &dapts::StackTraceArguments,
    ) -> Result<dapts::StackTraceResponse, Refusal> {
        self.standing()?;
        let subgroup = self.subgroup_of(arguments.thread_id)?;
        let counting = self.counting;
        let debugger = self.standing()?.debugger_mut().ok_or(NO_RUN)?;
        let frames = views::frames(debugger, subgroup, counting);
        let total_frames = Some(frames.len() as u64);
        let start = usize::try_from(arguments.start_frame.unwrap_or_default()).unwrap_or(usize::MAX);
        let levels = arguments.levels.filter(|levels| *levels > 0).unwrap_or(u64::MAX);
        let levels = usize::try_from(levels).unwrap_or(usize::MAX);
        let stack_frames = frames.into_iter().skip(start).take(levels).collect();
        Ok(dapts::StackTraceResponse { stack_frames, total_frames })
    }

    pub(super) fn scopes(
        &mut self,
        arguments: &dapts::ScopesArguments,
    ) -> Result<dapts::ScopesResponse, Refusal> {
        self.standing()?;
        let frame = FrameId::of(arguments.frame_id).ok_or("there is no such frame")?;
        let (debuggee, handles) = (self.debuggee.as_mut(), &mut self.handles);
        let debugger = debuggee.and_then(|debuggee| debuggee.debugger_mut()).ok_or(NO_RUN)?;
        Ok(dapts::ScopesResponse { scopes: views::scopes(debugger, handles, frame)? })
    }

    pub(super) fn variables(
        &mut self,
        arguments: &dapts::VariablesArguments,
    ) -> Result<dapts::VariablesResponse, Refusal> {
        self.standing()?;
        let handle = self.handles.get(arguments.variables_reference).cloned();
        let handle = handle.ok_or("these variables belong to an earlier stop")?;
        let (debuggee, handles) = (self.debuggee.as_mut(), &mut self.handles);
        let debugger = debuggee.and_then(|debuggee| debuggee.debugger_mut()).ok_or(NO_RUN)?;
        let page = (arguments.start.unwrap_or_default(), arguments.count);
        Ok(dapts::VariablesResponse { variables: unfold(handles, debugger, &handle, page)? })
    }

    pub(super) fn evaluate(
        &mut self,
        arguments: &dapts::EvaluateArguments,
    ) -> Result<dapts::EvaluateResponse, Refusal> {
        self.standing()?;
        let frame = self.frame_of(arguments.frame_id)?;
        let (debuggee, handles) = (self.debuggee.as_mut(), &mut self.handles);
        let debugger = debuggee.and_then(|debuggee| debuggee.debugger_mut()).ok_or(NO_RUN)?;
        let expression = arguments.expression.trim();
        let (value, view) = views::evaluate(debugger, frame, expression)?;
        let shown = shown(handles, frame, expression, &value, view.live);
        Ok(dapts::EvaluateResponse {
            result: shown.text,
            ty: Some(value.type_name),
            variables_reference: shown.reference,
            indexed_variables: shown.indexed,
            named_variables: shown.named,
            ..dapts::EvaluateResponse::default()
        })
    }

    /// An answer about the matrices of a frame.
    pub(super) fn matrices<T: Serialize>(
        &mut self,
        frame: u64,
        look: impl FnOnce(&mut Debugger, FrameId) -> Result<T, String>,
    ) -> Answer {
        let debugger = self.standing()?.debugger_mut().ok_or(NO_RUN)?;
        let frame = FrameId::of(frame).ok_or("there is no such frame")?;
        written(&look(debugger, frame)?)
    }

    pub(super) fn set_variable(
        &mut self,
        arguments: &dapts::SetVariableArguments,
    ) -> Result<dapts::SetVariableResponse, Refusal> {
        self.standing()?;
        let part = self.part_of(arguments.variables_reference, &arguments.name)?;
        let (ty, shown) = self.changed(&part, &arguments.value)?;
        Ok(dapts::SetVariableResponse {
            value: shown.text,
            ty: Some(ty),
            variables_reference: Some(shown.reference),
            indexed_variables: shown.indexed,
            named_variables: shown.named,
            ..dapts::SetVariableResponse::default()
        })
    }

    pub(super) fn set_expression(
        &mut self,
        arguments: &dapts::SetExpressionArguments,
    ) -> Result<dapts::SetExpressionResponse, Refusal> {
        self.standing()?;
        let frame = self.frame_of(arguments.frame_id)?;
        let part = Part { frame, expression: arguments.expression.trim().to_owned(), lane: None };
        let (ty, shown) = self.changed(&part, &arguments.value)?;
        Ok(dapts::SetExpressionResponse {
            value: shown.text,
            ty: Some(ty),
            variables_reference: Some(shown.reference),
            indexed_variables: shown.indexed,
            named_variables: shown.named,
            ..dapts::SetExpressionResponse::default()
        })
    }

    /// Gives a variable another value, and shows it.
    fn changed(&mut self, part: &Part, value: &str) -> Result<(String, Shown), Refusal> {
        let (debuggee, handles) = (self.debuggee.as_mut().ok_or(NO_RUN)?, &mut self.handles);
        debuggee.change(part, value)?;
        let debugger = debuggee.debugger_mut().ok_or(NO_RUN)?;
        let (value, view) = views::evaluate(debugger, part.frame, &part.expression)?;
        let shown = match part.lane {
            Some(lane) => Shown { text: value.text(1 << lane.min(127)), ..Shown::default() },
            None => shown(handles, part.frame, &part.expression, &value, view.live),
        };
        Ok((value.type_name, shown))
    }

    pub(super) fn exception_info(&mut self) -> Result<dapts::ExceptionInfoResponse, Refusal> {
        let debuggee = self.standing()?;
        let debugger = debuggee.debugger().ok_or(NO_RUN)?;
        let reason = debugger.stop().map(|stop| stop.reason.clone());
        let always = dapts::ExceptionBreakMode::Always;
        match reason {
            Some(Reason::Finding(_)) => {
                let finding = debugger.finding_here().ok_or("there is no such finding any more")?;
                let dispatch = debuggee.dispatch();
                let other = finding.other.map(|(instruction, invocation)| {
                    let [x, y, z] = invocation.workgroup;
                    let place = debuggee.subject().place(dispatch, instruction);
                    let place =
                        place.map(|place| format!("{}:{}:{}, ", place.path, place.line, place.column));
                    let place = place.unwrap_or_default();
                    format!("\nwith {place}workgroup {x},{y},{z}, invocation {}", invocation.index)
                });
                let message =
                    format!("{} ({}){}", finding.message, findings::who(finding), other.unwrap_or_default());
                Ok(exception(finding.kind.id(), message, always))
            }
            Some(Reason::Error(error)) => {
                Ok(exception("error", debuggee.subject().plan().explain(&error), always))
            }
            _ => Err("the run has not stopped at a finding or an error".to_owned()),
        }
    }

    pub(super) fn source(
        &mut self,
        arguments: &dapts::SourceArguments,
    ) -> Result<dapts::SourceResponse, Refusal> {
        let given = arguments.source.as_ref();
        let reference =
            given.and_then(|source| source.source_reference).unwrap_or(arguments.source_reference);
        let debuggee = self.debuggee()?;
        // A client may ask for the text of an earlier dispatch.
        let dispatches = (0..).take_while(|dispatch| debuggee.subject().module(*dispatch).is_some());
        let all: Vec<Lines> = dispatches.map(|dispatch| debuggee.subject().lines(dispatch)).collect();
        let held = all.iter().find_map(|lines| {
            let is_meant =
                |number: &u32| SourceFile::of(lines, *number).is_some_and(|file| file.is(reference));
            lines.text((0..lines.files.len() as u32).find(is_meant)?)
        });
        if let Some(content) = held {
            return Ok(dapts::SourceResponse { content: content.to_owned(), mime_type: None });
        }
        let path = given.and_then(|source| source.path.as_deref());
        let path = self.host.normalized(path.ok_or("`source`: expected a source with a path")?);
        let files: Vec<String> = all.into_iter().flat_map(|lines| lines.files).collect();
        if !files.contains(&path) {
            return Err(format!("{path}: no code that runs here comes from this file"));
        }
        let content = self.host.read(&path).map_err(|error| format!("{path}: {error}"))?;
        Ok(dapts::SourceResponse { content, mime_type: Some("text/x-glsl".to_owned()) })
    }

    pub(super) fn loaded_sources(&mut self) -> Answer {
        let debuggee = self.debuggee()?;
        let lines = debuggee.debugger().map(Debugger::lines);
        let of = |lines: &Lines| -> Vec<SourceFile> {
            (0..lines.files.len() as u32).filter_map(|number| SourceFile::of(lines, number)).collect()
        };
        let files = lines.map(of).unwrap_or_default();
        let sources = files.iter().map(|file| file.shown(self.counting)).collect();
        written(&dapts::LoadedSourcesResponse { sources })
    }
}

fn exception(
    id: &str,
    message: String,
    break_mode: dapts::ExceptionBreakMode,
) -> dapts::ExceptionInfoResponse {
    let details = dapts::ExceptionDetails {
        message: Some(message.clone()),
        type_name: Some(id.to_owned()),
        full_type_name: None,
        evaluate_name: None,
        inner_exception: None,
        stack_trace: None,
    };
    dapts::ExceptionInfoResponse {
        exception_id: id.to_owned(),
        description: Some(message),
        break_mode,
        details: Some(details),
    }
}

/// An argument of a request that is a number.
pub(super) fn number(arguments: &Value, name: &str) -> Option<u64> {
    arguments.get(name).and_then(Value::as_u64)
}
