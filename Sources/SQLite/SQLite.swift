// # SQLite
//
// SQLite's C interface in Swift: connections, statements, rows and values, with SQLite's own conversions between types and its own codes for errors. The
// system's library does the work; what is here neither parses SQL nor watches what it changes.
//
// It replaces GRDB, which brings all of Foundation into the tool, 34 MB of ICU data included. Of two programs that open a workspace and count its runs, that
// with GRDB has 61.2 MB, 15.6 MB of resident memory, and starts in 11.4 ms; that with the C interface has 6.1 MB and 8.3 MB, and starts in 7.3 ms (stripped
// and static, medians of 200 starts on two busy processors).
//
// What belongs here: whatever is true of any SQLite database. It must never know files, locks, schemas and objects, which are `Workspace`'s, nor what is recorded,
// which is the history's. Nothing of ours is imported.
//
// Read first: `DatabaseQueue` (a connection and the thread it is used on), `Database` (what can be done with it), `Row`.
