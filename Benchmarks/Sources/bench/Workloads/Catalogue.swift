import FoundationEssentials
import Glibc

/// All workloads, and the programs that they need.
struct Catalogue: Sendable {
  let tool: Tool
  /// The path of the `floor` program.
  let floor: String
  let scratch: Scratch
  /// The path of the plugin `echo`.
  var echo = ""
  /// The path of the program that does nothing but record; nil if it has not been built.
  var recorder: String?
  /// The path of the program that measures stores; nil if it has not been built.
  var stores: String?
  /// The path of the program that measures plugins; nil if it has not been built.
  var plugins: String?
  /// The path of the program that measures hosts with many runs; nil if it has not been built.
  var hosts: String?
  /// The path of the program that measures what is installed; nil if the plugins were not built for release.
  var installed: String?
  /// Where what is expensive to make is kept between two benchmarks.
  var cache = ""

  /// The names, in the order of the table.
  static let names =
    [
      "fan-out", "fan-out-logs", "chain", "grid", "json-chain", "version", "cold-new", "cold-existing",
      "cold-durability",
      "values",
      "plugin-operations", "check",
      "history-list", "history-filter", "history-list-runs", "history-where", "history-stats", "history-show",
      "recorder",
    ] + probeNames

  /// The names of those that measure themselves.
  static let probeNames = storeProbeNames + pluginProbeNames + hostProbeNames + ["installed-size"]
  static let storeProbeNames = ["store-run", "store-changes", "store-memory", "store-idle"]
  static let pluginProbeNames = ["plugin-run", "plugin-isolated", "plugin-load", "plugin-yield", "plugin-idle"]
  static let hostProbeNames = ["host-runs", "host-shared", "host-waiting", "host-nested"]

  /// A probe by its name; nil if it is not one, or if its program is not there, having said so.
  func probe(_ name: String, report: (String) -> Void) -> Probe? {
    storeProbe(name, report: report) ?? pluginProbe(name, report: report) ?? hostProbe(name, report: report)
      ?? sizeProbe(name, report: report)
  }

  /// Makes a workload; nil if something optional that it needs is not there, having said so.
  func workload(_ name: String, report: (String) -> Void) async throws -> Workload? {
    switch name {
    case "fan-out": try fanOut()
    case "fan-out-logs": try fanOutLogs()
    case "chain": try chain()
    case "grid": try grid()
    case "json-chain": try jsonChain()
    case "version": version()
    case "cold-new": try await cold(existing: false)
    case "cold-existing": try await cold(existing: true)
    case "cold-durability": try await coldDurability()
    case "values": try values()
    case "plugin-operations": try pluginOperations()
    case "check": try check()
    case "history-list":
      try await history(
        name, ["list", "--limit", "30"], of: .millionAttempts, "the latest 30 of 10,000 runs with 1,000,000 attempts",
        within: 30, report)
    case "history-filter":
      try await history(
        name, ["list", "--pipeline", "nightly-10", "--state", "failed"], of: .millionAttempts,
        "the same, of one pipeline and failed", within: 30, report)
    case "history-list-runs":
      try await history(
        name, ["list", "--limit", "30"], of: .millionRuns, "the latest 30 of 1,000,000 runs", within: 30, report)
    case "history-where":
      try await history(
        name, ["list", "--where", "pipeline == 'nightly-10' && state == 'failed' && duration > '20ms'"],
        of: .millionRuns, "the same, with a condition", within: 30, report)
    case "history-stats":
      try await history(
        name, ["stats", "--since", "30-days-before"], of: .millionRuns,
        "statistics of 1,000,000 runs in 30 days", within: 300, report)
    case "history-show":
      try await history(name, ["show", "last"], of: .millionRuns, "one of 1,000,000 runs", within: 20, report)
    case "recorder": recording(report)
    default: nil
    }
  }

  /// Writes a file that all rounds of a workload share.
  func shared(_ workload: String, _ file: String, _ text: String) throws -> String {
    let path = try scratch.directory("\(workload)/shared") + "/" + file
    try write(text, to: path)
    return path
  }

  /// The floor that starts /bin/true.
  func spawning(_ count: Int, concurrency: Int) -> Contender {
    let program = floor
    return Contender(name: "floor") {
      Command(program, ["spawn", "\(count)", "\(concurrency)", "--", "/bin/true"], in: $0)
    }
  }

  /// Penstock running a file in a new workspace.
  func penstock(running file: String, operations: Int, attempts: Int) -> Contender {
    let tool = tool
    return Contender(name: "penstock") {
      tool.running(file, in: $0)
    } verify: {
      try await tool.expectOneRun(operations: operations, attempts: attempts, workspace: $0 + "/workspace")
    }
  }
}

/// Finds programs as a shell does.
enum Programs {
  static func isInstalled(_ name: String) -> Bool {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }
}
