import Foundation
import PluginKit
import Testing

@testable import SystemPlugin

@Suite("Information from the system")
struct SystemFilesTests {
  private let folder: SystemFolder

  init() throws { folder = try SystemFolder() }

  @Test("The load is divided by the number of processors, unless the settings say otherwise")
  func load() throws {
    try folder.write("3.00 6.50 1.25 2/512 4711\n", to: "loadavg")
    func sample(_ settings: JSONValue) throws -> Sample { folder.files.load(try LoadBelowSettings(settings: settings)) }
    #expect(
      try sample(["below": 1])
        == Sample(isSatisfied: true, reason: "the load of each processor over 1m is 0.75, below 1.0"))
    #expect(
      try sample(["below": 0.75])
        == Sample(isSatisfied: false, reason: "the load of each processor over 1m is 0.75, not below 0.75"))
    #expect(
      try sample(["below": 6, "per_processor": false, "window": "5m"])
        == Sample(isSatisfied: false, reason: "the load over 5m is 6.5, not below 6.0"))
    #expect(try sample(["below": 2, "per_processor": false, "window": "15m"]).isSatisfied == true)
  }

  @Test("An unreadable value is unknown, which satisfies nothing", arguments: ["", "x y z", "-1 2 3", "\u{0}"])
  func unreadable(_ text: String) throws {
    try folder.write(text, to: "loadavg")
    try folder.write(text, to: "meminfo")
    #expect(folder.files.load(try LoadBelowSettings(settings: ["below": 1])).isSatisfied == nil)
    #expect(folder.files.memory(try MemoryAvailableSettings(settings: ["at_least": "1MiB"])).isSatisfied == nil)
  }

  @Test("Available memory counts, rather than free memory")
  func memory() throws {
    try folder.write("MemTotal:  8000000 kB\nMemFree:  100 kB\nMemAvailable:    2097152 kB\n", to: "meminfo")
    #expect(
      folder.files.memory(try MemoryAvailableSettings(settings: ["at_least": "2GiB"]))
        == Sample(isSatisfied: true, reason: "2GiB of memory are available, at least 2GiB"))
    #expect(
      folder.files.memory(try MemoryAvailableSettings(settings: ["at_least": "3GiB"]))
        == Sample(isSatisfied: false, reason: "2GiB of memory are available, less than 3GiB"))
  }

  @Test("The disk is that of the path, which starts from the pipeline's directory")
  func disk() throws {
    var files = folder.files
    files.free = { path in
      path == "/data/in/box" ? .success(5 << 30) : .failure(SystemFiles.FileError(number: ENOENT))
    }
    let settings = try DiskFreeSettings(settings: ["path": "in/box", "at_least": "4GiB"])
    #expect(
      files.disk(settings, directory: "/data")
        == Sample(isSatisfied: true, reason: "5GiB are free at /data/in/box, at least 4GiB"))
    #expect(
      files.disk(settings, directory: "/else")
        == Sample(isSatisfied: nil, reason: "the space at /else/in/box cannot be read: No such file or directory"))
    // The real value: some number, for a directory that exists.
    #expect(
      SystemFiles().disk(try DiskFreeSettings(settings: ["path": "/", "at_least": 0]), directory: nil).isSatisfied
        == true)
  }

  @Test("A charger that supplies power, or the absence of a battery, counts as external power")
  func power() throws {
    #expect(folder.files.power() == Sample(isSatisfied: true, reason: "there is no battery"))
    try folder.write("Battery\n", to: "power/BAT0/type")
    #expect(folder.files.power() == Sample(isSatisfied: false, reason: "there is a battery but no charger"))
    try folder.write("Mains\n", to: "power/AC/type")
    try folder.write("0\n", to: "power/AC/online")
    #expect(
      folder.files.power()
        == Sample(isSatisfied: false, reason: "no charger supplies power: the computer runs on battery"))
    try folder.write("1\n", to: "power/AC/online")
    #expect(folder.files.power() == Sample(isSatisfied: true, reason: "AC supplies power"))
  }

  @Test("The battery of a mouse does not count as the computer's")
  func mouse() throws {
    try folder.write("Battery\n", to: "power/hidpp_battery_0/type")
    try folder.write("Device\n", to: "power/hidpp_battery_0/scope")
    #expect(folder.files.power() == Sample(isSatisfied: true, reason: "there is no battery"))
  }

  @Test("Invalid settings are refused by name")
  func settings() {
    #expect(throws: PluginProblem("invalid-settings", setting: "below", " must be greater than zero0.0")) {
      try LoadBelowSettings(settings: ["below": 0])
    }
    #expect(throws: PluginProblem("invalid-settings", setting: "interval", "10ms is too short; it must be at least 1s"))
    {
      try PowerSettings(settings: ["interval": "10ms"])
    }
  }
}

/// Files like the system's, in a directory of the test.
final class SystemFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "penstock-system-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  var files: SystemFiles {
    SystemFiles(processes: path, powerSupplies: "\(path)/power", processors: 4, memoryPressure: nil)
  }

  func write(_ text: String, to name: String) throws {
    let file = "\(path)/\(name)"
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
  }
}
