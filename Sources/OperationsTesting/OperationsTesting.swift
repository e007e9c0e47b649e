// # OperationsTesting
//
// Replacements for time, randomness, the network, memory pressure and the terminal in tests of code that uses `Operations`: a test moves them by hand, so it
// never has to wait. This is a separate product, so that programs do not include it. It imports only `Operations`, and must never know about a test framework,
// pipelines or plugins; for plugins there is `PluginKitTesting`.
//
// Read first: ``TestClock`` (a clock that stands still until it is advanced), ``TestRunSpecification`` (a specification that the test controls), ``Log`` (a
// log of values, in order).
