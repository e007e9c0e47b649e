extension PluginScaffold {
  var filesInRust: [File] {
    [
      File(path: "NAME.rs".replacing("NAME", with: name), text: filled(Self.sourceInRust)),
      File(
        path: "Makefile",
        text: makefile(
          sources: "NAME.rs", variables: "RUSTC ?= rustc\nRUSTFLAGS ?= -O",
          build: "$(RUSTC) $(RUSTFLAGS) --edition 2021 --crate-type cdylib -C panic=abort -o $@ NAME.rs")),
      pipeline("NAME.so".replacing("NAME", with: name)),
      // For reference only: nothing includes it.
      File(path: "penstock/plugin.h", text: Self.header),
      File(path: ".gitignore", text: "*.so\ndist\n"),
    ]
  }

  private static let sourceInRust = ##"""
    //! The plugin NAME: one operation, which returns a greeting after a moment.
    //!
    //! It uses no crates, so it declares in Rust the parts of `penstock/plugin.h` that it needs. That file documents the functions here:
    //! which threads call them, who frees memory, and in which order they are called. It is built with `-C panic=abort` because no
    //! panic may unwind into C.

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
    const UNAVAILABLE: i32 = 6;

    impl Text {
        const fn of(string: &'static str) -> Text {
            Text { bytes: string.as_ptr(), length: string.len() }
        }

        /// Copies text that the host lends for the duration of a call. It is UTF-8 by contract; invalid bytes are replaced.
        fn copied(self) -> String {
            if self.length == 0 {
                return String::new();
            }
            // Safe: the host guarantees that this many bytes are valid until the call returns.
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
        // Safe: the host passes itself.
        let service = unsafe { ((*host).service)(host, name.as_ptr()) };
        if service.is_null() {
            return UNAVAILABLE;
        }
        HOST.store(host as *mut Host, Ordering::Release);
        INSTANCES.store(service as *mut InstanceService, Ordering::Release);
        OK
    }

    // ---- The operation

    /// One attempt.
    struct Greeting {
        id: u64,
        /// JSON, such as `{"whom":"world"}`.
        settings: String,
        is_stopped: Arc<AtomicBool>,
        thread: Option<JoinHandle<()>>,
    }

    extern "C" fn create(id: u64, _offer: Text, settings: Text, instance: *mut *mut c_void) -> i32 {
        let greeting = Box::new(Greeting { id, settings: settings.copied(), is_stopped: Arc::default(), thread: None });
        // Safe: the host provides space for one pointer.
        unsafe { *instance = Box::into_raw(greeting) as *mut c_void };
        OK
    }

    /// Must return at once: longer work runs on a separate thread.
    extern "C" fn start(instance: *mut c_void, _input: Text) {
        // Safe: it comes from `create`, and the host calls one function of an instance at a time.
        let greeting = unsafe { &mut *(instance as *mut Greeting) };
        let (id, settings, is_stopped) = (greeting.id, greeting.settings.clone(), greeting.is_stopped.clone());
        let spawned = with_signals_blocked(|| {
            std::thread::Builder::new().spawn(move || {
                std::thread::park_timeout(std::time::Duration::from_millis(10));
                if is_stopped.load(Ordering::Acquire) {
                    fail(id, "cancelled", "it was stopped")
                } else {
                    complete(id, &settings)
                }
            })
        });
        match spawned {
            Ok(thread) => greeting.thread = Some(thread),
            Err(_) => fail(id, "no-thread", "cannot create a thread"),
        }
    }

    extern "C" fn stop(instance: *mut c_void, _nanoseconds: u64) {
        // Safe: as in `start`.
        unsafe { &*(instance as *mut Greeting) }.end();
    }

    impl Greeting {
        fn end(&self) {
            self.is_stopped.store(true, Ordering::Release);
            if let Some(thread) = &self.thread {
                thread.thread().unpark();
            }
        }
    }

    extern "C" fn destroy(instance: *mut c_void) {
        // Safe: the host no longer uses it.
        let mut greeting = unsafe { Box::from_raw(instance as *mut Greeting) };
        greeting.end();
        // The instance must report nothing afterwards. The host never calls this on a thread of the plugin, so it can wait for the thread.
        if let Some(thread) = greeting.thread.take() {
            let _ = thread.join();
        }
    }

    // ---- Threads block all signals because the host waits for some of them

    /// As large as any system's `sigset_t`.
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
            r#"{"id": "NAME", "version": "0.1.0", "summary": "Says hello",
                "offers": [{"kind": "operation", "id": "NAME.greet", "summary": "Greets somebody", "result": "{whom: string}",
                            "settings": [{"name": "whom", "type": "string", "summary": "Who is greeted", "default": "world"}]}]}"#,
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

    """##
}
