// # OperatingSystem
//
// What the operating system does for several modules, written once: it reads files, lists directories and processes, joins paths, starts threads, wakes
// them, makes pipes, retries calls that a signal interrupts, and tells why a call failed. It imports nothing of ours and must never know of pipelines,
// records or plugins.
//
// Read first: ``InputFile`` (how a file is opened and read), ``SystemThread`` (how a thread is started), ``SystemError`` (why a call failed).
//
// The folders use only the files beside them, and not each other:
//
// - `Threads`: how threads are started, which signals they take, and their priority.
// - `Descriptors`: what wakes a thread that waits, and a pipe from a process to this one.
