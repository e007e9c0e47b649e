import Foundation
import OperationsTesting
import Subprocess
import Testing

extension FaultBench {
  /// Starts a fault, waits until a log names it, and ends it; with `killing`, kills the host meanwhile.
  func strike(_ fault: Fault, killing: Bool, using random: inout SeededRandom) async throws {
    let former = try await bothHosts()
    let start = log.end
    let end = try await begin(fault)
    // A shortage that was reported just before is reported again after a minute.
    let isNamed = await eventually(within: .seconds(fault == .descriptors ? 90 : 60)) {
      log.has(fault.line, since: start)
    }
    let number = ledger.withLock { ledger in
      ledger.faults[fault, default: 0] += 1
      if !isNamed { ledger.breaches.append("no log names \(fault), number \(ledger.faults[fault] ?? 0)") }
      if fault == .kill || killing && fault != .killStandby { ledger.kills += 1 }
      return ledger.faults[fault] ?? 0
    }
    if killing, fault != .kill, fault != .killStandby { Foundation.kill(former, SIGKILL) }
    try await Task.sleep(for: .milliseconds(Int.random(in: 300...1500, using: &random)))
    try await end()
    if !killing, let line = fault.end {
      // A full disk may have room before that: a log of the database was written back.
      let isOver = await eventually(within: .seconds(60)) { log.has(line, since: start) }
      if !isOver { ledger.withLock { $0.breaches.append("no log names the end of \(fault), number \(number)") } }
    }
    await expectHost("after \(fault)")
    // The next fault needs a host that starts scheduled runs.
    try await expectInstant(after: fault)
    // Old instants are not all kept until the end, so check these now.
    if fault == .clockForward || fault == .clockBack {
      let gaps = try served.gaps(of: "due")
      ledger.withLock { $0.breaches += gaps }
    }
  }

  /// Starts a fault. Returns a closure that ends it.
  private func begin(_ fault: Fault) async throws -> @Sendable () async throws -> Void {
    let leader = try #require(try leader())
    switch fault {
    case .kill: Foundation.kill(leader, SIGKILL)
    case .killStandby:
      if let other = hosts.withLock({ $0.values.first { $0 != leader } }) { Foundation.kill(other, SIGKILL) }
    case .fullDisk: return try fillDisk()
    case .descriptors: return try await exhaustDescriptors(of: leader)
    case .clockForward: try clock.step(by: .seconds(3600))
    case .clockBack:
      try clock.step(by: .seconds(-3600))
      return { [clock] in try clock.step(by: .seconds(3600)) }
    case .garbage: return try replaceFiles(Self.pipelines) { _ in Self.garbage }
    case .folder: return try replaceFolder()
    case .badEdit: return try replaceFiles(["due"]) { $0 + "\n\t: [".utf8 }
    case .plugin:
      let run = try #require(try await start("crashing"))
      return { [self] in
        let isOver = await eventually(within: .seconds(60)) {
          (try? served.probe().value("SELECT 1 FROM runs WHERE id = '\(run)' AND ended_at IS NOT NULL")) == "1"
        }
        #expect(isOver, "the run of the plugin does not end")
      }
    }
    return {}
  }

  // MARK: The disk and descriptors

  private func fillDisk() throws -> @Sendable () async throws -> Void {
    let disk = try #require(disk)
    ledger.withLock { $0.isDiskFull = true }
    let empty = try disk.fill()
    return { [self] in
      try empty()
      ledger.withLock { $0.isDiskFull = false }
    }
  }

  /// Limits a host to the descriptors that it has open, without those that it closes.
  private func exhaustDescriptors(of pid: Int32) async throws -> @Sendable () async throws -> Void {
    let limits = contents(of: "/proc/\(pid)/limits")?.split(separator: "\n").first { $0.hasPrefix("Max open files") }
    let limit = try #require(limits?.split(separator: " ").compactMap { Int($0) }.first)
    let tightening = Task {
      while !Task.isCancelled {
        let open = Set(
          ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []).compactMap { Int($0) })
        guard let free = (0...).first(where: { !open.contains($0) }), free > 2 else { return }
        try await Self.setDescriptors(of: pid, to: free)
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    return {
      tightening.cancel()
      _ = await tightening.result
      try await Self.setDescriptors(of: pid, to: limit)
    }
  }

  private static func setDescriptors(of pid: Int32, to limit: Int) async throws {
    _ = try await Subprocess.run(
      .name("prlimit"), arguments: ["--pid", "\(pid)", "--nofile=\(limit):"], output: .discarded, error: .discarded)
  }

  // MARK: Pipelines

  private static let pipelines = ["due", "asked", "alone", "long", "crashing"]
  private static let garbage: [UInt8] = [0, 255, 123, 10, 58, 58, 0]

  /// Replaces the contents of files.
  private func replaceFiles(
    _ names: [String], by contents: ([UInt8]) -> [UInt8]
  ) throws -> @Sendable () async throws -> Void {
    let former = try names.map { name in
      let path = scratch("pipelines/\(name).yaml")
      return (path: path, bytes: [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))
    }
    for file in former { try Data(contents(file.bytes)).write(to: URL(fileURLWithPath: file.path)) }
    return {
      for file in former { try Data(file.bytes).write(to: URL(fileURLWithPath: file.path)) }
    }
  }

  private func replaceFolder() throws -> @Sendable () async throws -> Void {
    ledger.withLock { $0.isFolderAway = true }
    try FileManager.default.moveItem(atPath: scratch("pipelines"), toPath: scratch("away"))
    try scratch.directory("pipelines")
    ledger.withLock { $0.isFolderAway = false }
    for name in ["due", "asked", "other"] { try scratch.write(Self.garbage, to: "pipelines/\(name).yaml") }
    return { [self] in
      ledger.withLock { $0.isFolderAway = true }
      try FileManager.default.removeItem(atPath: scratch("pipelines"))
      try await Task.sleep(for: .milliseconds(300))
      try FileManager.default.moveItem(atPath: scratch("away"), toPath: scratch("pipelines"))
      ledger.withLock { $0.isFolderAway = false }
    }
  }

  // MARK: Hosts

  /// Returns the process of the host that is ready.
  func leader() throws -> Int32? {
    guard FileManager.default.fileExists(atPath: tool.workspacePath + "/workspace.db"), let probe = try? served.probe(),
      let row = try probe.rows("SELECT pid, state FROM host_record ORDER BY number DESC LIMIT 1").first,
      row[1] == "ready", let pid = Int32(row[0]), RunningProcesses.isRunning(pid)
    else { return nil }
    return pid
  }

  /// Waits until one host serves and the other stands by. Returns the process of the serving host.
  private func bothHosts() async throws -> Int32 {
    var leader: Int32?
    let areThere = await eventually(within: .seconds(60)) {
      leader = (try? self.leader()) ?? nil
      let others = hosts.withLock { $0.values.filter { $0 != leader && RunningProcesses.isRunning($0) } }
      return leader != nil && !others.isEmpty
    }
    #expect(areThere, "there are no two hosts")
    return try #require(leader)
  }

  func expectHost(_ moment: String) async {
    let isThere = await eventually(within: .seconds(60)) { ((try? leader()) ?? nil) != nil }
    #expect(isThere, "no host is ready \(moment)")
  }

  /// Waits until a scheduled run has begun and succeeded.
  private func expectInstant(after fault: Fault) async throws {
    let former = try? served.probe().value("SELECT ifnull(max(number), 0) FROM run_record WHERE pipeline = 'due'")
    let comes = await eventually(within: .seconds(60)) {
      let later =
        "SELECT 1 FROM run_record WHERE pipeline = 'due' AND number > \(former ?? "0") AND state = 'succeeded'"
      return (try? served.probe().value(later)) == "1"
    }
    #expect(
      comes, "nothing begins by itself any more after \(fault)\n\(comes ? "" : open + "\n" + log.account)")
  }

  /// Describes active and waiting work, for the report of a breach.
  private var open: String {
    let queries = [
      "SELECT pipeline, state, count(*), min(id) FROM runs WHERE state IN ('queued', 'running', 'interrupted') GROUP BY 1, 2",
      "SELECT run, operation, state, reason FROM operations WHERE state NOT IN ('succeeded', 'failed', 'skipped', 'cancelled', 'pending') LIMIT 40",
      "SELECT instant, outcome, reason FROM occasions WHERE pipeline = 'due' ORDER BY instant DESC LIMIT 10",
      "SELECT name, state FROM pipelines",
      "SELECT pid, state FROM host_record ORDER BY number DESC LIMIT 2",
    ]
    let answers = queries.map { query in (try? served.probe().rows(query)).map { "\($0)" } ?? "no answer" }
    return (["clock \(clock.now)"] + answers).joined(separator: "\n")
  }
}
