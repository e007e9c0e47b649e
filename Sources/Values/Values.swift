// # Values
//
// Values that pipelines, plugins and records have in common, and how they are written: JSON, types and whether a value is of one, durations, sizes, instants,
// and texts for people such as counts and the name that was probably meant. It is linked into every plugin, so it is small, needs neither Foundation nor an
// operating system, and imports nothing of ours. It must never know an expression, a pipeline, a plugin or what time it is.
//
// Read first: ``JSONValue`` (any value), ``ValueType`` (what a value may be), ``DurationNotation`` (how a notation is read and written).
//
// The folders, from top to bottom; each uses only those below it:
//
// - `Types`: types, whether values are of them, and the notations of durations, sizes, instants and days.
// - `JSON`: JSON as values, read and written; numbers as text.
// - `Text`: names, counts, escapes and digits in texts.
