//! How a call is carried out: with the driver's lock, its mistakes told, a panic caught; and how arguments are read and written.

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use ash::vk::{self, StructureType};
use coopmat_driver_report::Event;

use crate::driver::{CHANGED, Driver, Message, Messenger, lock};
use crate::fault::Fault;

/// # Safety
/// Null, or a text with a zero at its end that lives long enough.
pub unsafe fn name_of<'a>(name: *const c_char) -> Option<&'a str> {
    if name.is_null() {
        return None;
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(name) }.to_str().ok()
}

/// The same as a text of ours.
///
/// # Safety
/// As [`name_of`].
pub unsafe fn text_of(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Carries out a call with the driver, and tells what is wrong with it.
pub fn run<T>(
    call: &'static str,
    body: impl FnOnce(&mut Driver) -> Result<T, Fault>,
) -> Result<T, vk::Result> {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut driver = lock();
        let outcome = body(&mut driver);
        if let Err(fault) = &outcome {
            driver.tell(call, fault);
        }
        let messages = std::mem::take(&mut driver.messages);
        let messengers: Vec<Messenger> = match messages.is_empty() {
            true => Vec::new(),
            false => driver.messengers.iter().map(|(_, messenger)| *messenger).collect(),
        };
        // A messenger may call Vulkan.
        drop(driver);
        for message in &messages {
            for messenger in &messengers {
                send(messenger, message);
            }
        }
        outcome.map_err(|fault| fault.result)
    }));
    outcome.unwrap_or_else(|panic| {
        let message = panic.downcast_ref::<String>().cloned();
        let message = message.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let message = message.unwrap_or_else(|| "it panicked".to_owned());
        // A report that fails is not reported.
        let _ = catch_unwind(AssertUnwindSafe(|| {
            lock().report(Event::Internal { call: call.to_owned(), message });
        }));
        Err(vk::Result::ERROR_UNKNOWN)
    })
}

/// `PFN_vkDebugUtilsMessengerCallbackEXT`
type Callback = unsafe extern "system" fn(
    vk::DebugUtilsMessageSeverityFlagsEXT,
    vk::DebugUtilsMessageTypeFlagsEXT,
    *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    *mut c_void,
) -> vk::Bool32;

/// Calls a messenger of the program.
fn send(messenger: &Messenger, message: &Message) {
    let kind = vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION;
    if messenger.severities & message.severity == 0 || messenger.types & kind.as_raw() == 0 {
        return;
    }
    let end = |text: &str| std::ffi::CString::new(text.replace('\0', " ")).unwrap_or_default();
    let (id, text) = (end(message.id), end(&message.text));
    let data = vk::DebugUtilsMessengerCallbackDataEXT {
        p_message_id_name: id.as_ptr(),
        p_message: text.as_ptr(),
        ..Default::default()
    };
    let severity = vk::DebugUtilsMessageSeverityFlagsEXT::from_raw(message.severity);
    // SAFETY: the program gave a function of this type, and keeps it valid while the messenger exists; it is not null, as was looked at then.
    let callback = unsafe { std::mem::transmute::<usize, Callback>(messenger.callback) };
    // SAFETY: the data lives until the call returns.
    unsafe { callback(severity, kind, &raw const data, messenger.user_data as *mut c_void) };
}

/// A call that answers with a result.
pub fn answer(call: &'static str, body: impl FnOnce(&mut Driver) -> Result<vk::Result, Fault>) -> vk::Result {
    run(call, body).unwrap_or_else(|result| result)
}

/// A call that answers nothing.
pub fn quiet(call: &'static str, body: impl FnOnce(&mut Driver) -> Result<(), Fault>) {
    let _ = run(call, body);
}

/// A call that answers with something else.
pub fn value<T>(call: &'static str, failed: T, body: impl FnOnce(&mut Driver) -> Result<T, Fault>) -> T {
    run(call, body).unwrap_or(failed)
}

/// A call that makes an object: its handle is written, or none.
///
/// # Safety
/// `out` is null or may be written.
pub unsafe fn create<H: vk::Handle>(
    call: &'static str,
    out: *mut H,
    body: impl FnOnce(&mut Driver) -> Result<u64, Fault>,
) -> vk::Result {
    let made = run(call, body);
    // SAFETY: as above.
    unsafe { put(out, H::from_raw(made.unwrap_or(0))) };
    made.err().unwrap_or(vk::Result::SUCCESS)
}

/// A command of a command buffer. One that cannot be recorded makes the buffer useless, rather than being left out.
pub fn recorded(
    call: &'static str,
    buffer: vk::CommandBuffer,
    body: impl FnOnce(&mut Driver, u64) -> Result<(), Fault>,
) {
    let pointer = vk::Handle::as_raw(buffer);
    quiet(call, |driver| {
        let outcome = body(driver, pointer);
        if outcome.is_err() {
            driver.spoil(pointer);
        }
        outcome
    });
}

/// Waits until something holds, and no longer than a time in nanoseconds.
pub fn wait(
    call: &'static str,
    nanoseconds: u64,
    mut ready: impl FnMut(&mut Driver) -> Result<bool, Fault>,
) -> vk::Result {
    let began = Instant::now();
    let limit = Duration::from_nanos(nanoseconds);
    let mut outcome = answer(call, |driver| match ready(driver)? {
        true => Ok(vk::Result::SUCCESS),
        false => Ok(vk::Result::TIMEOUT),
    });
    while outcome == vk::Result::TIMEOUT {
        let Some(left) = limit.checked_sub(began.elapsed()).filter(|left| !left.is_zero()) else { break };
        // Another thread may have signalled before this one waits: look again soon.
        let driver = lock();
        drop(CHANGED.wait_timeout(driver, left.min(Duration::from_millis(5))));
        outcome = answer(call, |driver| match ready(driver)? {
            true => Ok(vk::Result::SUCCESS),
            false => Ok(vk::Result::TIMEOUT),
        });
    }
    outcome
}

/// # Safety
/// `pointer` is null or points to a value that lives as long as the call.
pub unsafe fn given<'a, T>(pointer: *const T, what: &str) -> Result<&'a T, Fault> {
    // SAFETY: as above.
    unsafe { pointer.as_ref() }.ok_or_else(|| Fault::misuse(format!("{what} is null")))
}

/// # Safety
/// `pointer` is null, or points to so many values that live as long as the call.
pub unsafe fn slice<'a, T>(pointer: *const T, count: u32) -> &'a [T] {
    if pointer.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts(pointer, count as usize) }
}

/// # Safety
/// `out` is null or may be written.
pub unsafe fn put<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: as above. What was there is no value of Rust's that would have to be dropped.
        unsafe { out.write(value) };
    }
}

/// Vulkan's way of giving a list: its length if there is no room for it, else as much as there is room for.
///
/// # Safety
/// `count` is null or points to a number; `out` is null or has room for as many.
pub unsafe fn enumerate<T: Copy>(count: *mut u32, out: *mut T, items: &[T]) -> vk::Result {
    // SAFETY: as above.
    let Some(count) = (unsafe { count.as_mut() }) else { return vk::Result::ERROR_UNKNOWN };
    if out.is_null() {
        *count = items.len() as u32;
        return vk::Result::SUCCESS;
    }
    let given = (*count as usize).min(items.len());
    for (index, item) in items.iter().take(given).enumerate() {
        // SAFETY: there is room for `*count` items.
        unsafe { out.add(index).write(*item) };
    }
    *count = given as u32;
    if given < items.len() { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS }
}

/// The structures of a chain: their types and addresses.
///
/// # Safety
/// `next` is null or points to a structure that begins as every extending structure does.
pub unsafe fn chain(next: *const c_void) -> impl Iterator<Item = (StructureType, *const c_void)> {
    /// Longer ones are not looked at further: a chain that ends in itself would not end.
    const LONGEST: usize = 1000;
    let mut now = next.cast::<vk::BaseInStructure<'static>>();
    std::iter::from_fn(move || {
        // SAFETY: as above, for each structure of the chain.
        let structure = unsafe { now.as_ref() }?;
        let found = (structure.s_type, now.cast());
        now = structure.p_next;
        Some(found)
    })
    .take(LONGEST)
}

/// The structure of a type in a chain.
///
/// # Safety
/// As [`chain`]; `T` is what the type of structure says.
pub unsafe fn chained<'a, T>(next: *const c_void, kind: StructureType) -> Option<&'a T> {
    // SAFETY: as above.
    let mut all = unsafe { chain(next) };
    let (_, found) = all.find(|(known, _)| *known == kind)?;
    // SAFETY: the structure says that it is a `T`.
    unsafe { found.cast::<T>().as_ref() }
}

/// Writes a text into a fixed array of C characters, cut where it is too long.
pub fn fixed<const N: usize>(text: &str) -> [c_char; N] {
    let mut out = [0; N];
    let mut length = text.len().min(N - 1);
    while !text.is_char_boundary(length) {
        length -= 1;
    }
    for (to, from) in out.iter_mut().zip(&text.as_bytes()[..length]) {
        *to = *from as c_char;
    }
    out
}

pub fn bool32(value: bool) -> vk::Bool32 {
    vk::Bool32::from(value)
}
