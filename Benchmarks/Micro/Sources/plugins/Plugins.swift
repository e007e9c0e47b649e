import Foundation
import Operations
import PluginHost
import Values

// plugins FIGURE
//
// Measures one of the figures of plugins and prints it as an object of JSON in one line:
//
//     plugins run               an operation of a plugin in C that completes within `start`, beside calls of the same functions by C
//     plugins isolated PENSTOCK the same in a child host, which that program is
//     plugins load              loading a plugin from its file
//     plugins yield             from a controller's `yield_rerun` to the beginning of the run that it asks for
//     plugins idle [N]          10,000 specifications of which nothing changes, for N seconds

@main
struct Plugins {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    let figures =
      switch (arguments.first, arguments.count) {
      case ("run", 1): try await RunFigure.measure(isolation: .host, childHost: [], blocks: 200, runs: 500)
      case ("isolated", 2):
        try await RunFigure.measure(
          isolation: .process, childHost: [arguments.last ?? "", "plugin-host"], blocks: 100, runs: 100)
      case ("load", 1): try LoadFigure.measure()
      case ("yield", 1): try await YieldFigure.measure()
      case ("idle", 1): try IdleFigure.measure(seconds: 10)
      case ("idle", 2): try IdleFigure.measure(seconds: arguments.last.flatMap { UInt32($0) } ?? 10)
      default:
        throw PluginsError(description: "usage: plugins run | isolated PENSTOCK | load | yield | idle [SECONDS]")
      }
    let named = figures.map { ($0, $1) } + [("peakBytes", peakBytes)]
    print("{" + named.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
  }

  private static var peakBytes: Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_maxrss) * 1024
  }
}

/// Named numbers, as the driver knows them; times are in seconds.
typealias Figures = KeyValuePairs<String, Double>

/// Why nothing could be measured.
struct PluginsError: Error, CustomStringConvertible {
  let description: String
}

/// A host with one plugin in a directory of its own.
struct Workbench {
  let directory: String
  let host: PluginLoader

  init(_ id: String, _ source: String, childHost: [String] = []) throws {
    directory = NSTemporaryDirectory() + "penstock-plugins-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var header = URL(fileURLWithPath: #filePath)
    for _ in 0..<5 { header.deleteLastPathComponent() }
    let file = "\(directory)/\(id).c"
    try source.write(toFile: file, atomically: false, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = [
      "cc", "-std=c11", "-O2", "-shared", "-fPIC", "-I",
      header.appendingPathComponent("Sources/PluginABI/include").path,
      "-o", "\(directory)/\(id).so", file,
    ]
    try compiler.run()
    compiler.waitUntilExit()
    guard compiler.terminationStatus == 0 else { throw PluginsError(description: "cc failed") }
    chmod("\(directory)/\(id).so", 0o755)
    host = Self.host(directory, childHost: childHost)
  }

  static func host(_ directory: String, childHost: [String] = []) -> PluginLoader {
    PluginLoader(
      PluginLoader.Configuration(
        directories: [PluginDirectory(path: directory, isStandard: true)], childHost: childHost))
  }

  func remove() { try? FileManager.default.removeItem(atPath: directory) }
}

func nanoseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

extension [Double] {
  var median: Double { isEmpty ? 0 : sorted()[count / 2] }
}
