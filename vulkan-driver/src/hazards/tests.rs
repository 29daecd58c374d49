//! Commands on one memory, with barriers as the chapter on synchronization has them.

use super::scopes::access::{MEMORY_READ, MEMORY_WRITE, SHADER_READ, SHADER_WRITE, TRANSFER_READ};
use super::scopes::stage::{ALL_COMMANDS, COMPUTE_SHADER, TRANSFER};
use super::scopes::{self, CLEAR, CLEAR_WRITE, COMPUTE, COPY, COPY_READ, STORAGE_READ, STORAGE_WRITE};
use super::*;

const QUEUE: u64 = 1;
const OTHER: u64 = 2;
const MEMORY: u64 = 7;

fn access(range: Range<u64>, stage: Stages, uses: Uses) -> Access {
    let writes = matches!(uses, STORAGE_WRITE | CLEAR_WRITE | scopes::COPY_WRITE);
    Access { memory: MEMORY, range, stage, uses, writes, atomic: false }
}

fn writes(range: Range<u64>) -> Access {
    access(range, COMPUTE, STORAGE_WRITE)
}

fn reads(range: Range<u64>) -> Access {
    access(range, COMPUTE, STORAGE_READ)
}

fn run(hazards: &mut Hazards, queue: u64, accesses: &[Access]) -> Vec<Conflict> {
    let by = hazards.begin();
    hazards.command(queue, by, accesses)
}

fn barrier(hazards: &mut Hazards, source: (u64, u64), target: (u64, u64)) {
    hazards.barrier(QUEUE, scopes::source(source.0, source.1), scopes::target(target.0, target.1), None);
}

/// What the second command lacks after a barrier.
fn lacks(first: Access, source: (u64, u64), target: (u64, u64), second: Access) -> Option<Lack> {
    let mut hazards = Hazards::default();
    assert_eq!(run(&mut hazards, QUEUE, &[first]), []);
    barrier(&mut hazards, source, target);
    run(&mut hazards, QUEUE, &[second]).first().map(|conflict| conflict.lack)
}

#[test]
fn a_read_needs_what_was_written_available_and_visible() {
    let after = |source, target| lacks(writes(0..8), source, target, reads(0..8));
    let (write, read) = ((COMPUTE_SHADER, SHADER_WRITE), (COMPUTE_SHADER, SHADER_READ));
    assert_eq!(after(write, read), None);
    assert_eq!(after((ALL_COMMANDS, MEMORY_WRITE), (ALL_COMMANDS, MEMORY_READ)), None);
    // Execution alone, the wrong stages, the wrong accesses.
    assert_eq!(after((COMPUTE_SHADER, 0), read), Some(Lack::Available));
    assert_eq!(after((COMPUTE_SHADER, SHADER_READ), read), Some(Lack::Available));
    assert_eq!(after((TRANSFER, MEMORY_WRITE), read), Some(Lack::Order));
    assert_eq!(after(write, (TRANSFER, TRANSFER_READ)), Some(Lack::Order));
    assert_eq!(after(write, (ALL_COMMANDS, TRANSFER_READ)), Some(Lack::Visible));
}

#[test]
fn a_write_needs_order_after_reads_and_availability_after_writes() {
    let order = ((COMPUTE_SHADER, 0), (COMPUTE_SHADER, 0));
    assert_eq!(lacks(reads(0..8), order.0, order.1, writes(0..8)), None);
    assert_eq!(lacks(reads(0..8), (TRANSFER, 0), order.1, writes(0..8)), Some(Lack::Order));
    assert_eq!(lacks(writes(0..8), order.0, order.1, writes(0..8)), Some(Lack::Available));
    let available = (COMPUTE_SHADER, SHADER_WRITE);
    assert_eq!(lacks(writes(0..8), available, (COMPUTE_SHADER, SHADER_READ), writes(0..8)), None);
    // Two reads need nothing.
    assert_eq!(lacks(reads(0..8), (0, 0), (0, 0), reads(0..8)), None);
}

#[test]
fn bytes_that_nobody_else_touched_need_no_order() {
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..8), writes(16..24), writes(30..40)]);
    assert_eq!(run(&mut hazards, QUEUE, &[reads(8..16), reads(24..30), writes(40..50)]), []);
    let found = run(&mut hazards, QUEUE, &[reads(4..33)]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].range.clone(), found[0].bytes, found[0].earlier), (4..8, 4 + 8 + 3, 1));
}

#[test]
fn what_a_command_both_reads_and_writes_is_not_its_own_conflict() {
    let mut hazards = Hazards::default();
    assert_eq!(run(&mut hazards, QUEUE, &[reads(0..8), writes(0..8)]), []);
    let found = run(&mut hazards, QUEUE, &[reads(0..8), writes(0..8)]);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn barriers_chain_if_their_stages_meet() {
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..8)]);
    // From "Execution and Memory Dependencies": the first makes available, the second visible.
    barrier(&mut hazards, (COMPUTE_SHADER, SHADER_WRITE), (TRANSFER, 0));
    barrier(&mut hazards, (TRANSFER, 0), (COMPUTE_SHADER, SHADER_READ));
    assert_eq!(run(&mut hazards, QUEUE, &[reads(0..8)]), []);
    // Without a stage in common there is no chain.
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..8)]);
    barrier(&mut hazards, (COMPUTE_SHADER, SHADER_WRITE), (0x4000, 0));
    barrier(&mut hazards, (TRANSFER, 0), (COMPUTE_SHADER, SHADER_READ));
    assert_eq!(run(&mut hazards, QUEUE, &[reads(0..8)])[0].lack, Lack::Order);
}

#[test]
fn a_buffer_barrier_orders_everything_and_carries_its_own_bytes() {
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..32)]);
    let (source, target) =
        (scopes::source(COMPUTE_SHADER, SHADER_WRITE), scopes::target(COMPUTE_SHADER, SHADER_READ));
    hazards.barrier(QUEUE, source, target, Some(&(MEMORY, 0..16)));
    assert_eq!(run(&mut hazards, QUEUE, &[reads(0..16)]), []);
    let found = run(&mut hazards, QUEUE, &[reads(8..20)]);
    assert_eq!((found[0].range.clone(), found[0].lack), (16..20, Lack::Available));
}

#[test]
fn transfers_have_stages_of_their_own() {
    let (fill, copy) = (access(0..8, CLEAR, CLEAR_WRITE), access(0..8, COPY, COPY_READ));
    assert_eq!(lacks(fill.clone(), (TRANSFER, 0x1000), (TRANSFER, TRANSFER_READ), copy.clone()), None);
    assert_eq!(lacks(fill, (0, 0), (0, 0), copy), Some(Lack::Order));
}

#[test]
fn atomic_operations_of_two_dispatches_need_no_order() {
    let atomic = Access { atomic: true, ..writes(0..4) };
    assert_eq!(lacks(atomic.clone(), (0, 0), (0, 0), atomic.clone()), None);
    assert_eq!(lacks(atomic, (0, 0), (0, 0), reads(0..4)), Some(Lack::Order));
}

#[test]
fn an_event_orders_what_was_before_it_was_set() {
    let (source, target) =
        (scopes::source(COMPUTE_SHADER, SHADER_WRITE), scopes::target(COMPUTE_SHADER, SHADER_READ));
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..8)]);
    hazards.set_event(QUEUE, 5, source.stages);
    run(&mut hazards, QUEUE, &[writes(8..16)]);
    hazards.wait_event(QUEUE, 5, (source, target), None);
    assert_eq!(run(&mut hazards, QUEUE, &[reads(0..8)]), []);
    assert_eq!(run(&mut hazards, QUEUE, &[reads(8..16)]).len(), 1);
}

#[test]
fn a_semaphore_that_is_signalled_after_a_stage_orders_that_stage_alone() {
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..8), access(8..16, COPY, COPY_READ)]);
    hazards.signal(QUEUE, 9, scopes::signalling(COMPUTE_SHADER));
    hazards.wait(OTHER, 9, scopes::waiting(ALL_COMMANDS));
    assert_eq!(run(&mut hazards, OTHER, &[reads(0..8)]), []);
    assert_eq!(run(&mut hazards, OTHER, &[writes(8..16)]).len(), 1);
}

#[test]
fn a_semaphore_orders_queues_and_a_seen_fence_ends_it_all() {
    let mut hazards = Hazards::default();
    run(&mut hazards, QUEUE, &[writes(0..8)]);
    assert_eq!(run(&mut hazards, OTHER, &[reads(0..8)]).len(), 1);
    hazards.signal(QUEUE, 9, scopes::signalling(ALL_COMMANDS));
    hazards.wait(OTHER, 9, scopes::waiting(COMPUTE_SHADER));
    assert_eq!(run(&mut hazards, OTHER, &[reads(0..8)]), []);
    // The wait was for shaders, and a copy was not ordered.
    assert_eq!(run(&mut hazards, OTHER, &[access(0..8, COPY, COPY_READ)]).len(), 1);
    // The next submission of the same queue is not ordered by being the next one.
    assert_eq!(run(&mut hazards, QUEUE, &[reads(0..8)]).len(), 1);
    hazards.fence(OTHER, 3);
    hazards.seen_fence(3);
    // The other queue had waited, so that its fence is after the write, too.
    let found = run(&mut hazards, QUEUE, &[writes(0..8)]);
    assert!(found.iter().all(|conflict| conflict.earlier > 4), "{found:?}");
    hazards.seen_idle(QUEUE);
    hazards.seen_idle(OTHER);
    assert_eq!(run(&mut hazards, OTHER, &[writes(0..8)]), []);
}
