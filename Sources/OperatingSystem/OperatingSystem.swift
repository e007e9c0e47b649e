// # OperatingSystem
//
// What the operating system does for several modules, written once: today the reading of files from outside. It imports nothing
// of ours and must never know of pipelines, records or plugins.
//
// Read first: ``InputFile`` (how a file is opened and read), ``InputFileError`` (why that fails).
