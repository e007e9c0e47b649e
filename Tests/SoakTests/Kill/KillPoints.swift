import Foundation
import OperationsTesting
import Synchronization
import Testing

/// Hosts on one workspace, each of which kills itself one write later than the previous one, until one reaches its end.
final class KillPoints: Sendable {
  /// Where counting the writes starts.
  enum Beginning: String, CaseIterable, CustomTestStringConvertible {
    /// At the start of the host, which finds what the previous one left behind.
    case start
    /// Right before an instant is due.
    case instant
    /// Right before a run is requested.
    case request

    var testDescription: String { rawValue }
  }

  let beginning: Beginning
  /// The first write at which a host of this workspace kills itself; each further host does so `step` writes later.
  let first: Int
  let step: Int
  /// Whether all writes of a transaction count.
  let countsWrites: Bool
  let faults: HostFaults
  private let scratch: Scratch
  private let tool: Tool
  private let served: ServedWorkspace
  private let asked = Mutex<Set<String>>([])

  init(_ beginning: Beginning, first: Int, step: Int, countsWrites: Bool, _ faults: HostFaults) throws {
    self.beginning = beginning
    self.first = first
    self.step = step
    self.countsWrites = countsWrites
    self.faults = faults
    scratch = try Scratch()
    tool = Tool(scratch: scratch, limit: .seconds(60))
    served = ServedWorkspace(tool, effects: try scratch.directory("effects"))
    try scratch.directory("pipelines")
    let operations = """
      operations:
        - { name: first, run: '\(ServedWorkspace.effect(in: scratch("effects")))', result: string }
        - { name: second, inject: first, exclusive: disk, run: '\(ServedWorkspace.effect(in: scratch("effects"))); cat' }
      """
    if beginning != .request {
      try scratch.write(
        """
        name: due
        controllers: [{ uses: cron, with: { schedule: "* * * * * *", zone: UTC, catch_up: all } }]
        \(operations)
        """, to: "pipelines/due.yaml")
    }
    try scratch.write("name: asked\noverlap: queue\n\(operations)", to: "pipelines/asked.yaml")
  }

  /// Returns how many hosts have killed themselves.
  func play() async throws -> Int {
    var point = first
    var kills = 0
    var settled: [String: Int] = [:]
    // The first host publishes the pipelines.
    try await host(endingAt: nil)
    while true {
      if beginning == .start { try await ask() }
      let call = try await host(endingAt: point)
      let place: Comment = "\(beginning), write \(point): \(call ?? "none")"
      let breaches = try served.breaches(since: settled)
      try #require(breaches == [], place)
      guard call != nil else { break }
      settled = try served.settled()
      kills += 1
      point += step
    }
    try await host(endingAt: nil, isLast: true)
    let breaches = try served.breachesAtRest(since: settled, secondly: beginning == .request ? [] : ["due"])
    #expect(
      breaches == [],
      "\(beginning), every \(step)th write from \(first) on")
    let succeeded = try served.probe().rows("SELECT id FROM runs WHERE state = 'succeeded'").map { $0[0] }
    #expect(Set(succeeded).isSuperset(of: asked.withLock { $0 }))
    let all = try served.probe().value("SELECT count(*) FROM runs WHERE parent IS NULL")
    #expect(all == "\(succeeded.count)", "not all runs have succeeded")
    return kills
  }

  /// Runs a host until it kills itself, or has completed its work and is drained. Returns the call that it did not make.
  @discardableResult
  private func host(endingAt point: Int?, isLast: Bool = false) async throws -> String? {
    let control = scratch("control")
    for name in ["control", "control.killed"] { try? FileManager.default.removeItem(atPath: scratch(name)) }
    var tool = tool
    if let point {
      tool = faults.kill(tool, control: control, commits: !countsWrites)
      if beginning == .start { try arm(point) }
    }
    let ending = try await tool.run(["serve", "pipelines"]) { [self] pid, send in
      let comes = await eventually { (try? self.served.isIdle(pid)) == true || !RunningProcesses.isRunning(pid) }
      #expect(comes, "the host is never idle")
      if beginning != .start, let point {
        let before = try succeededRuns()
        try arm(point)
        if beginning == .request { try await ask() }
        let isOver = await eventually {
          !RunningProcesses.isRunning(pid) || (try? self.succeededRuns()) ?? 0 > before
        }
        #expect(isOver, "the run does not end")
      }
      if isLast {
        // Otherwise an instant may come due between the check and the signal, and its run would stay queued.
        try? FileManager.default.removeItem(atPath: scratch("pipelines/due.yaml"))
        let isQuiet = await eventually {
          (try? self.served.isServed("due")) == false && (try? self.served.isIdle(pid)) == true
        }
        #expect(isQuiet, "the last host is never idle")
      }
      send(.terminate)
    }
    if ending.signal == SIGKILL, !ending.overran { return contents(of: control + ".killed") ?? "unknown" }
    #expect(ending.code == 0, ending.summary)
    return nil
  }

  private func succeededRuns() throws -> Int {
    try served.probe().value("SELECT count(*) FROM runs WHERE state = 'succeeded'").flatMap { Int($0) } ?? 0
  }

  private func arm(_ point: Int) throws {
    try scratch.write("\(point)", to: "control.next")
    try FileManager.default.moveItem(atPath: scratch("control.next"), toPath: scratch("control"))
  }

  private func ask() async throws {
    let start = try await tool.run("start", "asked", "--json", "--quiet")
    try #require(start.code == 0, start.summary)
    let line = try JSONSerialization.jsonObject(with: Data(start.output.utf8)) as? [String: Any]
    let run = try #require(line?["run"] as? String)
    asked.withLock { _ = $0.insert(run) }
  }
}
