import Glibc
import PluginKit
import PluginKitTesting
import Testing

/// The shared objects of the same build, loaded as a host loads them.
@Suite(.timeLimit(.minutes(5))) struct SharedObjectTests {
  // A single test, since a loaded object is opened once.
  @Test(.enabled(if: SharedObject("interval").isExpected)) func aBuiltControllerRunsByTheHostsClock() async throws {
    let host = try TestPluginHost(entry: SharedObject("interval").entry(), now: Timestamp(seconds: 7))
    #expect(try host.description["id"] == "interval")
    #expect(throws: PluginProblem("invalid-settings", setting: "every", "1ms is too short; it must be at least 10ms")) {
      try host.controller("interval", with: ["every": "1ms"])
    }
    let instance = try host.controller("interval", with: ["every": "10s"])
    instance.start()
    await host.clock.hasTimer(at: Timestamp(seconds: 10))
    host.clock.advance(by: .seconds(3))
    #expect(
      await instance.events(1) == [.rerun(["reason": "every 10s", "instant": "1970-01-01T00:00:10Z"])])
    instance.stop()
    try await instance.end()
    instance.destroy()
    host.close()
    #expect(host.faults.isEmpty)
  }

  // Otherwise the host's copy of a library could replace the plugin's.
  @Test(.enabled(if: SharedObject("interval").isExpected)) func nothingButTheEntryCanBeSeenFromOutside() throws {
    let object = try SharedObject("interval").open()
    #expect(dlsym(object, "penstock_plugin") != nil)
    // Searched in the object and in the libraries that it needs, such as the C library.
    for name in ["main", "penstock_kit_register", "swift_retain"] {
      #expect(dlsym(object, name) == nil, "\(name) can be seen")
    }
  }
}

/// A standard plugin beside the tests, from the same build.
private struct SharedObject {
  let path: String

  init(_ id: String) {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink("/proc/self/exe", &bytes, bytes.count))
    let own = String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    path = own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/libpenstock-\(id).so"
  }

  /// Whether to run the tests that need it: if it is missing they are skipped, but never in CI.
  var isExpected: Bool { access(path, R_OK) == 0 || getenv("CI") != nil }

  func open() throws -> UnsafeMutableRawPointer {
    guard let object = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw PluginProblem("not-loadable", dlerror().map { String(cString: $0) } ?? "dlopen failed")
    }
    return object
  }

  func entry() throws -> UnsafeRawPointer {
    guard let entry = dlsym(try open(), "penstock_plugin") else {
      throw PluginProblem("no-entry", "\(path) has no penstock_plugin")
    }
    return UnsafeRawPointer(entry)
  }
}
