// # PluginKitTesting
//
// A host for the tests of a plugin's author: it drives a plugin through the functions of the contract, from a Swift type or from a shared object, and notes
// what breaks the contract. It imports `PluginKit` and the contract, and must never know `PluginHost`: what it checks, it checks by the contract alone. It
// knows no pipelines and no test framework.
//
// Read first: ``TestPluginHost`` (runs what the plugin offers), ``TestInstance`` (one instance, and what it has told), ``TestHostClock`` (the time, which passes
// only when a test lets it).
