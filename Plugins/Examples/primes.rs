//! A plugin in Rust: the operation `primes` counts the primes below a number on its own thread.
//!
//!     rustc --edition 2021 --crate-type cdylib -C panic=abort -O -o primes.so Plugins/Examples/primes.rs
//!     penstock plugins check primes.so
//!
//! It uses no crates, so it declares in Rust the parts of `penstock/plugin.h` that it needs.

use std::ffi::{c_char, c_int, c_void, CStr};
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::sync::Arc;
use std::thread::JoinHandle;

// ---- The contract: penstock/plugin.h

#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    bytes: *const u8,
    length: usize,
}

#[repr(C)]
pub struct Host {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    service: extern "C" fn(*const Host, *const c_char) -> *const c_void,
    implementation: *mut c_void,
}

#[repr(C)]
struct InstanceService {
    struct_size: u32,
    reserved: u32,
    complete: extern "C" fn(*const Host, u64, Text) -> i32,
    fail: extern "C" fn(*const Host, u64, Text) -> i32,
    progress: extern "C" fn(*const Host, u64, Text) -> i32,
}

#[repr(C)]
struct Functions {
    struct_size: u32,
    reserved: u32,
    create: extern "C" fn(u64, Text, Text, *mut *mut c_void) -> i32,
    start: extern "C" fn(*mut c_void, Text),
    stop: extern "C" fn(*mut c_void, u64),
    destroy: extern "C" fn(*mut c_void),
}

#[repr(C)]
pub struct Entry {
    struct_size: u32,
    abi_major: u16,
    abi_minor: u16,
    abi_minor_needed: u16,
    reserved: [u16; 3],
    describe: extern "C" fn() -> Text,
    open: Option<extern "C" fn(*const Host) -> i32>,
    close: Option<extern "C" fn()>,
    capability: extern "C" fn(Text) -> *const c_void,
}

const OK: i32 = 0;
const INVALID: i32 = 2;
const UNAVAILABLE: i32 = 6;

impl Text {
    const fn of(string: &'static str) -> Text {
        Text { bytes: string.as_ptr(), length: string.len() }
    }

    /// Copies a text that the host lends for the duration of a call. The contract guarantees UTF-8; invalid bytes are replaced.
    fn copied(self) -> String {
        if self.length == 0 {
            return String::new();
        }
        // Safe: the host guarantees that many bytes until the call returns.
        String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(self.bytes, self.length) }).into_owned()
    }
}

// ---- The host

static HOST: AtomicPtr<Host> = AtomicPtr::new(std::ptr::null_mut());
static INSTANCES: AtomicPtr<InstanceService> = AtomicPtr::new(std::ptr::null_mut());

fn complete(id: u64, result: &str) {
    tell(id, result, |service| service.complete)
}

fn fail(id: u64, code: &str, message: &str) {
    tell(id, &format!(r#"{{"code":"{code}","message":"{message}"}}"#), |service| service.fail)
}

fn tell(id: u64, json: &str, function: fn(&InstanceService) -> extern "C" fn(*const Host, u64, Text) -> i32) {
    // Safe: the tables are valid until `close`, when no instance is left.
    let service = unsafe { &*INSTANCES.load(Ordering::Acquire) };
    function(service)(HOST.load(Ordering::Acquire), id, Text { bytes: json.as_ptr(), length: json.len() });
}

extern "C" fn open(host: *const Host) -> i32 {
    let name: &CStr = c"penstock.instance/1";
    // Safe: the host passes a pointer to itself.
    let service = unsafe { ((*host).service)(host, name.as_ptr()) };
    if service.is_null() {
        return UNAVAILABLE;
    }
    HOST.store(host as *mut Host, Ordering::Release);
    INSTANCES.store(service as *mut InstanceService, Ordering::Release);
    OK
}

// ---- The operation

struct Primes {
    id: u64,
    below: u32,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// Returns the number after `"below"`, in an object that the host has checked.
fn number(settings: &str) -> Option<u32> {
    let rest = settings.split_once("\"below\"")?.1.trim_start().strip_prefix(':')?.trim_start();
    let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
    rest[..digits].parse().ok().filter(|number| (1..=10_000_000).contains(number))
}

extern "C" fn create(id: u64, _offer: Text, settings: Text, instance: *mut *mut c_void) -> i32 {
    let Some(below) = number(&settings.copied()) else {
        fail(id, "invalid-setting", "'below' must be a number from 1 to 10000000");
        return INVALID;
    };
    let primes = Box::new(Primes { id, below, is_stopped: Arc::default(), thread: None });
    // Safe: the host provides space for one pointer.
    unsafe { *instance = Box::into_raw(primes) as *mut c_void };
    OK
}

extern "C" fn start(instance: *mut c_void, _input: Text) {
    // Safe: it is the pointer from `create`, and the host calls one function of an instance at a time.
    let primes = unsafe { &mut *(instance as *mut Primes) };
    let (id, below, is_stopped) = (primes.id, primes.below, primes.is_stopped.clone());
    let spawned = with_signals_blocked(|| {
        std::thread::Builder::new().spawn(move || match count(below, &is_stopped) {
            Some(count) => complete(id, &count.to_string()),
            None => fail(id, "cancelled", "it was stopped while counting"),
        })
    });
    match spawned {
        Ok(thread) => primes.thread = Some(thread),
        Err(_) => fail(id, "no-thread", "cannot create a thread"),
    }
}

fn count(below: u32, is_stopped: &AtomicBool) -> Option<usize> {
    let mut composite = vec![false; below as usize];
    let mut count = 0;
    for number in 2..below as usize {
        if number % 1024 == 0 && is_stopped.load(Ordering::Relaxed) {
            return None;
        }
        if !composite[number] {
            count += 1;
            (number * number..below as usize).step_by(number).for_each(|multiple| composite[multiple] = true);
        }
    }
    Some(count)
}

extern "C" fn stop(instance: *mut c_void, _nanoseconds: u64) {
    // Safe: as in `start`.
    unsafe { &*(instance as *mut Primes) }.is_stopped.store(true, Ordering::Relaxed);
}

extern "C" fn destroy(instance: *mut c_void) {
    // Safe: the host no longer uses it.
    let primes = unsafe { Box::from_raw(instance as *mut Primes) };
    primes.is_stopped.store(true, Ordering::Relaxed);
    // Nothing may be reported about it afterwards.
    if let Some(thread) = primes.thread {
        let _ = thread.join();
    }
}

// ---- Threads block all signals because the host waits for some of them

/// At least as large as any system's `sigset_t`.
type SignalSet = [u64; 16];
const SIG_SETMASK: c_int = 2;

extern "C" {
    fn sigfillset(set: *mut SignalSet) -> c_int;
    fn pthread_sigmask(how: c_int, set: *const SignalSet, former: *mut SignalSet) -> c_int;
}

fn with_signals_blocked<T>(body: impl FnOnce() -> T) -> T {
    let (mut all, mut former): (SignalSet, SignalSet) = ([0; 16], [0; 16]);
    // Safe: both sets are large enough.
    unsafe {
        sigfillset(&mut all);
        pthread_sigmask(SIG_SETMASK, &all, &mut former);
    }
    let result = body();
    unsafe { pthread_sigmask(SIG_SETMASK, &former, std::ptr::null_mut()) };
    result
}

// ---- The entry

extern "C" fn describe() -> Text {
    Text::of(
        r#"{"id": "primes", "version": "1.0.0", "summary": "An example in Rust",
            "offers": [{"kind": "operation", "id": "primes", "summary": "Counts the primes below a number", "result": "int",
                        "settings": [{"name": "below", "type": "int", "default": 100000,
                                      "summary": "Where to stop, at most 10000000"}]}]}"#,
    )
}

static FUNCTIONS: Functions =
    Functions { struct_size: std::mem::size_of::<Functions>() as u32, reserved: 0, create, start, stop, destroy };

extern "C" fn capability(id: Text) -> *const c_void {
    match id.copied().as_str() {
        "penstock.operation/1" => &FUNCTIONS as *const Functions as *const c_void,
        _ => std::ptr::null(),
    }
}

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static penstock_plugin: Entry = Entry {
    struct_size: std::mem::size_of::<Entry>() as u32,
    abi_major: 1,
    abi_minor: 0,
    abi_minor_needed: 0,
    reserved: [0; 3],
    describe,
    open: Some(open),
    close: None,
    capability,
};
