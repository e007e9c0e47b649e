// # PluginKitTesting
//
// A host for plugin authors' tests: it drives a plugin through the functions of the contract, from a Swift type or from a shared object, and
// records violations of the contract. It imports `PluginKit` and the contract, and must never know `PluginHost`: it checks by the contract alone.
// It knows no pipelines and no test framework.
//
// Read first: ``TestPluginHost`` (runs a plugin's offers), ``TestInstance`` (one instance, and its events), ``TestHostClock`` (the time, which
// passes only when a test advances it).
