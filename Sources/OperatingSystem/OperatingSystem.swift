// # OperatingSystem
//
// Operating system functions that several modules need: reading files, listing directories and processes, joining paths, starting and waking threads,
// creating pipes, retrying calls that a signal interrupts, and describing errors. The module imports nothing of ours and must never know about
// pipelines, records or plugins.
//
// Read first: ``InputFile`` (opening and reading files), ``SystemThread`` (starting threads), ``SystemError`` (failed calls).
//
// The folders use only the files beside them, not each other:
//
// - `Threads`: starting threads, their signal masks and their priority.
// - `Descriptors`: waking a waiting thread, and a pipe from a process to this one.
