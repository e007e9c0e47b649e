import Glibc

/// Measures hosts: each figure has hosts of its own, in workspaces of their own.
struct HostMeasuring: Sendable {
  let tool: Tool
  /// The path of the directory with the floors.
  let floors: String
  let scratch: Scratch
  let stopwatch: Stopwatch
  let sizes: HostSizes
  /// Told what happens, for people who wait.
  let report: @Sendable (String) -> Void

  /// The names of what can be measured, in the order of the table.
  static let names = [
    "host-idle", "host-values", "host-processes", "host-beside", "host-backlog", "host-start", "host-instant",
    "host-cancel",
  ]

  /// Measures what has one of the ``names``.
  func figures(_ name: String) async throws -> [HostFigure] {
    report(name)
    return switch name {
    case "host-idle": try idle()
    case "host-values": try await queuedValues()
    case "host-processes": try await queuedProcesses()
    case "host-beside": try beside()
    case "host-backlog": try backlog()
    case "host-start": try start()
    case "host-instant": try instants()
    default: try cancel()
    }
  }

  func host(of site: HostSite) throws -> ServedHost { try ServedHost(site, tool: tool, scratch: scratch) }

  func site(_ name: String, keys: String = "", pipelines: [String: String]) throws -> HostSite {
    try HostSite(try scratch.directory(name), keys: keys, pipelines: pipelines)
  }

  /// The same, with a workspace in which its pipelines are known: a host has served it.
  func servedSite(_ name: String, keys: String = "", pipelines: [String: String]) throws -> HostSite {
    let site = try site(name, keys: keys, pipelines: pipelines)
    try host(of: site).stop()
    return site
  }

  /// An operation that tells when it begins, and waits to be told to end where `waits`. `name` is text of YAML.
  func stamping(_ site: String, _ name: String, waits: Bool = false) -> String {
    "operations: [{ name: a, command: ['\(floors)/stamp', '\(scratch.path)/\(site)/stamps', \(name)\(waits ? ", wait" : "")] }]\n"
  }

  /// From before the start of a process to its first instruction: what comes before nobody can do faster.
  func startsOfProcesses(_ site: HostSite, count: Int) throws -> [Double] {
    try (0..<count).map { number in
      let file = site.directory + "/floors"
      let began = WallClock.seconds
      try ChildProcess(floors + "/stamp", [file, "\(number)"], output: site.output).wait()
      guard let begun = Stamps(file).begun["\(number)"] else { throw BenchError("stamp does not write to \(file)") }
      return begun - began
    }
  }
}
