// # OperationsTesting
//
// What a test of code that uses `Operations` puts in the place of time, chance, the network, memory and the terminal: values that a test moves by hand, so
// that nothing in it waits. A product of its own, so that programs do not carry it. It imports `Operations` alone, and must never know a test framework, a
// pipeline or a plugin; plugins have `PluginKitTesting`.
//
// Read first: ``TestClock`` (a time that stands still until it is moved), ``TestRunSpecification`` (a condition that the test decides), ``Log`` (what was told,
// in order).
