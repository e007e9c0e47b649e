// # OperatingSystem
//
// What the operating system does for several modules, written once: it reads files, lists directories and processes, joins paths, starts threads, and
// tells why a call failed. It imports nothing of ours and must never know of pipelines, records or plugins.
//
// Read first: ``InputFile`` (how a file is opened and read), ``SystemThread`` (how a thread is started), ``SystemError`` (why a call failed).
