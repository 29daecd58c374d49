//! Runs what [`coopmat_simulator::Compiled`] makes as machine code: wasmtime translates the module, which stays in its sandbox.
//!
//! A [`Machine`] is a program that is ready to run. It runs an execution to its end, or leaves it as it was for the interpreter and says why.

#![deny(missing_docs)]
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use coopmat_simulator::{
    Compiled, CompiledDispatch, CompiledRun, Execution, Next, Pool, Program, Refusal, Results, RunError,
    Settings,
};
use wasmtime::{Caller, Engine, Extern, Linker, Memory, Module, Store, TypedFunc};

/// Steps between two looks at the host.
const SLICE: u64 = 1 << 22;

/// The most bytes of memory that all threads have together: each has a copy of the buffers.
const MOST_COPIED: u64 = 1 << 30;

/// Bytes of a page of WebAssembly's memory.
const PAGE: u64 = 1 << 16;

/// Why an execution is left to the interpreter. Nothing of it has run then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// The program or the run is not taken.
    Refused(Refusal),
    /// The buffers are too large for so many threads to have a copy each.
    Copies(u64),
    /// The run fails, which the interpreter tells of in its own words: the error.
    Failed(String),
    /// The translation to machine code failed, or what it gave: the error.
    Machine(String),
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Left::Refused(refusal) => refusal.fmt(f),
            Left::Copies(threads) => {
                write!(f, "the buffers are too large for {threads} threads to have a copy each")
            }
            Left::Failed(error) => write!(f, "the run fails: {error}"),
            Left::Machine(error) => write!(f, "there is no machine code for it: {error}"),
        }
    }
}

impl std::error::Error for Left {}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All workgroups ran.
    Finished,
    /// The host wanted no more of it.
    Stopped,
}

/// A program as machine code.
pub struct Machine {
    compiled: Arc<Compiled>,
    engine: Engine,
    module: Module,
}

fn machine(error: wasmtime::Error) -> Left {
    Left::Machine(error.to_string())
}

fn failed(error: RunError) -> Left {
    Left::Failed(error.message)
}

impl Machine {
    /// Translates a program for these settings.
    pub fn new(program: &Program, settings: &Settings) -> Result<Machine, Left> {
        let compiled = Compiled::new(program, settings).map_err(Left::Refused)?;
        let engine = Engine::default();
        let module = Module::new(&engine, compiled.wasm()).map_err(machine)?;
        Ok(Machine { compiled: Arc::new(compiled), engine, module })
    }

    /// The program as WebAssembly.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// Runs an execution, from the workgroup that comes next to its end: workgroups at the same time where there is a pool and their results
    /// cannot depend on it. `go_on` is told how many workgroups have ended, of all, and stops a run without a pool by answering false.
    pub fn run(
        &self,
        execution: &mut Execution,
        pool: Option<&dyn Pool>,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Ended, Left> {
        let first = execution.ended_workgroups().ok_or(Left::Refused(Refusal::Begun))?;
        let dispatch = execution.begin_compiled(self.compiled.clone()).map_err(Left::Refused)?;
        let parallel = execution.is_parallel() && dispatch.workgroups() - first > 1;
        let pool = pool.filter(|pool| parallel && pool.at_once() > 1);
        let copies = pool.map_or(1, |pool| pool.at_once() as u64);
        if copies > 1 && dispatch.run().memory_size().saturating_mul(copies) > MOST_COPIED {
            execution.end_compiled(dispatch, None);
            return Err(Left::Copies(copies));
        }
        let outcome = match pool {
            Some(pool) => self.in_parallel(&dispatch, first, pool),
            None => self.in_order(&dispatch, first, go_on),
        };
        match outcome {
            Ok((results, done)) => {
                let all = dispatch.workgroups();
                execution.end_compiled(dispatch, Some((results, done)));
                Ok(if done == all { Ended::Finished } else { Ended::Stopped })
            }
            Err(left) => {
                execution.end_compiled(dispatch, None);
                Err(left)
            }
        }
    }

    /// Runs workgroups one after the other: the results, and how many have ended.
    fn in_order(
        &self,
        dispatch: &CompiledDispatch,
        first: u64,
        go_on: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<(Results, u64), Left> {
        let all = dispatch.workgroups();
        let mut room = self.room(dispatch)?;
        let mut done = first;
        while done < all && room.workgroup(done, &mut || go_on(done, all))? {
            done += 1;
        }
        let mut results = dispatch.results();
        let (bytes, state) = room.memory.data_and_store_mut(&mut room.store);
        results.take(&mut state.run, bytes);
        Ok((results, done))
    }

    /// Runs workgroups at the same time. Each job takes the room of one that has ended.
    fn in_parallel(
        &self,
        dispatch: &CompiledDispatch,
        first: u64,
        pool: &dyn Pool,
    ) -> Result<(Results, u64), Left> {
        let all = dispatch.workgroups();
        let rooms: Mutex<Vec<Room>> = Mutex::new(Vec::new());
        let outcome: Mutex<Result<bool, Left>> = Mutex::new(Ok(true));
        pool.run((all - first) as usize, &|index| {
            if *hold(&outcome) != Ok(true) {
                return;
            }
            let room = hold(&rooms).pop().map_or_else(|| self.room(dispatch), Ok);
            let ended = room.and_then(|mut room| {
                let ended = room.workgroup(first + index as u64, &mut || pool.go_on());
                hold(&rooms).push(room);
                ended
            });
            if ended != Ok(true) {
                *hold(&outcome) = ended;
            }
        });
        let finished = outcome.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let mut results = dispatch.results();
        for room in rooms.into_inner().unwrap_or_else(PoisonError::into_inner) {
            room.end(&mut results);
        }
        Ok((results, if finished { all } else { first }))
    }

    fn room(&self, dispatch: &CompiledDispatch) -> Result<Room, Left> {
        let mut store = Store::new(&self.engine, State { run: dispatch.run(), memory: None });
        let mut linker = Linker::new(&self.engine);
        let execute = |mut caller: Caller<'_, State>, site: u32, place: u32, lanes: u64| -> u32 {
            let Some(memory) = caller.data().memory else { return 1 };
            let (bytes, state) = memory.data_and_store_mut(&mut caller);
            state.run.execute(bytes, site, place, lanes) as u32
        };
        linker.func_wrap("host", "execute", execute).map_err(machine)?;
        let instance = linker.instantiate(&mut store, &self.module).map_err(machine)?;
        let Some(Extern::Memory(memory)) = instance.get_export(&mut store, "memory") else {
            return Err(Left::Machine("the module has no memory".to_owned()));
        };
        let function = instance.get_typed_func::<u32, i32>(&mut store, "run").map_err(machine)?;
        store.data_mut().memory = Some(memory);
        let pages = store.data().run.memory_size().div_ceil(PAGE);
        let more = pages.saturating_sub(memory.size(&store));
        memory.grow(&mut store, more).map_err(machine)?;
        let (bytes, state) = memory.data_and_store_mut(&mut store);
        state.run.fill(bytes);
        state.run.allow(bytes, SLICE);
        Ok(Room { store, memory, function })
    }
}

/// What belongs to a running module.
struct State {
    run: CompiledRun,
    memory: Option<Memory>,
}

/// An instance of the module, in which workgroups run one after the other.
struct Room {
    store: Store<State>,
    memory: Memory,
    function: TypedFunc<u32, i32>,
}

impl Room {
    /// Runs a workgroup to its end; false where it was stopped.
    fn workgroup(&mut self, index: u64, go_on: &mut dyn FnMut() -> bool) -> Result<bool, Left> {
        let (bytes, state) = self.memory.data_and_store_mut(&mut self.store);
        state.run.begin(bytes, index).map_err(failed)?;
        let mut next = state.run.go_on(bytes).map_err(failed)?;
        loop {
            match next {
                Next::Call(place) => {
                    let status = self.function.call(&mut self.store, place).map_err(machine)?;
                    let (bytes, state) = self.memory.data_and_store_mut(&mut self.store);
                    next = state.run.returned(bytes, status).map_err(failed)?;
                }
                Next::Slice => {
                    if !go_on() {
                        return Ok(false);
                    }
                    let (bytes, state) = self.memory.data_and_store_mut(&mut self.store);
                    state.run.allow(bytes, SLICE);
                    next = state.run.go_on(bytes).map_err(failed)?;
                }
                Next::Ended => return Ok(true),
            }
        }
    }

    fn end(mut self, results: &mut Results) {
        let (bytes, state) = self.memory.data_and_store_mut(&mut self.store);
        results.add(&mut state.run, bytes);
    }
}

/// What a lock holds, also where a thread died while it had it.
fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
