// # Values
//
// The values that pipelines, plugins and records share, and their notations: JSON, types and type checks, durations, sizes, instants, and texts for people,
// such as counts and suggestions for misspelt names. This module is linked into every plugin, so it is small, needs neither Foundation nor an operating system,
// and imports no other module of this project. It must never know about expressions, pipelines, plugins or the current time.
//
// Read first: ``JSONValue`` (any value), ``ValueType`` (the type of a value), ``DurationNotation`` (how a notation is parsed and formatted).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Types`: types, type checks, and the notations of durations, sizes, instants and dates.
// - `JSON`: JSON values, parsing and writing; numbers as text.
// - `Text`: names, counts, escapes and digits in texts.
