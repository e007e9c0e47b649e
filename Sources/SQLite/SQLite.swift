// # SQLite
//
// SQLite's C interface in Swift: connections, statements, rows and values, with SQLite's own type conversions and error codes. The system's library does
// the work; this module neither parses SQL nor observes changes.
//
// It replaces GRDB, which links all of Foundation into the tool, including 34 MB of ICU data. A program that opens a workspace and counts its runs takes
// 61.2 MB with GRDB, uses 15.6 MB of resident memory and starts in 11.4 ms; with the C interface it takes 6.1 MB, uses 8.3 MB and starts in 7.3 ms
// (stripped and static, medians of 200 starts on two busy processors).
//
// What belongs here: anything that is true of any SQLite database. This module must never know about files, locks, schemas and objects, which are
// `Workspace`'s, nor about what is recorded, which is the history's. It imports no other module of this project.
//
// Read first: `DatabaseQueue` (a connection and the thread it is used on), `Database` (what can be done with it), `Row`.
