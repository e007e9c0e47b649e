import Foundation
import OperationsTesting
import Synchronization
import Testing

/// Two hosts on one workspace, one of which stands by, twenty processes that send them requests, and faults.
///
/// ``play(for:)`` runs them all; ``rest()`` lets one more host complete the remaining work; ``breaches()`` then checks the result.
final class FaultBench: Sendable {
  let scratch: Scratch
  let tool: Tool
  let served: ServedWorkspace
  let log: HostLogFile
  /// Nil if none can be mounted; the disk is then never full.
  let disk: SmallDisk?
  let clock: SettableClock
  /// The processes of the hosts, by number.
  let hosts = Mutex<[Int: Int32]>([:])
  let ledger = Mutex(Ledger())
  private let isOver = Mutex(false)

  /// What was observed during the play.
  struct Ledger {
    /// How often each fault occurred.
    var faults: [Fault: Int] = [:]
    /// How often the serving host was killed.
    var kills = 0
    /// The runs that `penstock start` has acknowledged.
    var asked: [String] = []
    /// Those that other processes may cancel: not the runs that are themselves a fault.
    var cancellable: [String] = []
    /// How often each successful operation had begun when its success was seen: ``ServedWorkspace/settled()``.
    var settled: [String: Int] = [:]
    /// A line for each breach: a fault that no log names, or missing instants.
    var breaches: [String] = []
    /// Whether hosts may currently fail to start because the disk is full.
    var isDiskFull = false
    /// Whether the folder of the pipelines may not exist.
    var isFolderAway = false
  }

  init() async throws {
    scratch = try Scratch()
    // A run leaves about ten files; a skipped hour leaves 3,600 occasions.
    let minutes = Int(Soak.faultTime / .seconds(60))
    disk = try await SmallDisk(scratch("disk"), size: "\(96 + 24 * minutes)m")
    clock = try SettableClock(scratch)
    log = HostLogFile(path: scratch("log"))
    var tool = Tool(scratch: scratch, limit: Soak.faultTime + .seconds(600))
    if let disk { tool.workspace = disk.path + "/space" }
    self.tool = try await HostFaults.shared.setClock(of: tool, to: clock)
    served = ServedWorkspace(self.tool, effects: try scratch.directory("effects"), byHand: ["by-hand"])
    try scratch.directory("pipelines")
    try await writePipelines()
  }

  /// Processes run outside the pipelines' directory, which is not always there. They retry while there is no room for their output.
  private func writePipelines() async throws {
    let effect = ServedWorkspace.effect(in: scratch("effects"))
    let operations = """
      defaults: { directory: \(scratch.path) }
      operations:
        - { name: first, run: '\(effect); until /bin/echo "$PENSTOCK_RUN_ID"; do sleep 0.1; done', result: string }
        - { name: second, inject: first, exclusive: disk, run: '\(effect); x=$(cat); until /bin/echo "$x"; do sleep 0.1; done', result: string }
      """
    try scratch.write(
      """
      name: due
      controllers:
        - { uses: cron, with: { schedule: "* * * * * *", zone: UTC, catch_up: all, catch_up_limit: 30 } }
      \(operations)
      """, to: "pipelines/due.yaml")
    try scratch.write("name: asked\n\(operations)", to: "pipelines/asked.yaml")
    try scratch.write("name: alone\noverlap: queue\n\(operations)", to: "pipelines/alone.yaml")
    try scratch.write(
      "name: long\noperations: [{ name: work, directory: \(scratch.path), run: '\(effect); sleep 1.5', grace: 1s }]",
      to: "pipelines/long.yaml")
    try scratch.write("name: by-hand\n\(operations)", to: "by-hand.yaml")
    let plugin = try await FlakyPlugin.compile(in: scratch)
    let settings = "{ notes: \(scratch("notes")), seed: 1, odds: 1000, limit: 1000000 }"
    try scratch.write(
      """
      name: crashing
      plugins: { flaky: { path: \(plugin), isolation: process } }
      operations: [{ name: plugin, uses: flaky, with: \(settings), inject: "${{ 3 }}", allow_failure: true }]
      """, to: "pipelines/crashing.yaml")
  }

  // MARK: The play

  /// Causes faults for a while, then runs without them. Returns how late a host's event loop was without faults.
  func play(for time: Duration) async throws -> (turns: Double, timers: Double, count: Int)? {
    let end = ContinuousClock.now + time
    return try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2 { group.addTask { try await self.keepHost(number) } }
      await expectHost("at the beginning")
      for number in 0..<20 { group.addTask { try await self.ask(number) } }
      group.addTask { try await self.sample() }
      var random = SeededRandom(seed: Soak.seed)
      let possible = Fault.allCases.filter { $0 != .fullDisk || disk != nil }
      repeat {
        for (number, fault) in possible.shuffled(using: &random).enumerated() {
          // During every other fault, the host is also killed.
          try await strike(fault, killing: number % 2 == 0, using: &random)
          guard ContinuousClock.now < end || ledger.withLock({ $0.faults[fault] == 1 }) else { break }
        }
      } while ContinuousClock.now < end || ledger.withLock({ $0.faults.count }) < possible.count
      let start = try await playCalmly()
      isOver.withLock { $0 = true }
      for pid in hosts.withLock({ Array($0.values) }) { Foundation.kill(pid, SIGTERM) }
      try await group.waitForAll()
      return try log.lateness(since: start)
    }
  }

  /// Drains the host that suffered the faults; the other one takes over and has none for a while. Returns where its log begins.
  private func playCalmly() async throws -> UInt64 {
    let former = try leader()
    if let former { Foundation.kill(former, SIGTERM) }
    let isRelieved = await eventually(within: .seconds(60)) {
      guard let leader = try? leader() else { return false }
      return leader != former
    }
    #expect(isRelieved, "the host that stands by does not take over from one that is drained")
    let start = log.end
    try await Task.sleep(for: .seconds(Soak.count(full: 60, short: 8)))
    return start
  }

  /// Restarts a host whenever it ends, until the play is over.
  private func keepHost(_ number: Int) async throws {
    var tool = tool
    tool.preparation = "exec 2>> '\(log.path)'"
    while !isOver.withLock({ $0 }) {
      let mayFail = Mutex(false)
      // A host that starts while the folder does not exist has nothing to serve.
      let mayMiss = Mutex(ledger.withLock { $0.isFolderAway })
      let ending = try await tool.run(["serve", "pipelines", "--standby"]) { [self] pid, send in
        hosts.withLock { $0[number] = pid }
        // It may have started after all others were told to stop.
        if isOver.withLock({ $0 }) { send(.terminate) }
        while RunningProcesses.isRunning(pid) {
          if ledger.withLock({ $0.isDiskFull }) { mayFail.withLock { $0 = true } }
          if ledger.withLock({ $0.isFolderAway }) { mayMiss.withLock { $0 = true } }
          try await Task.sleep(for: .milliseconds(50))
        }
      }
      hosts.withLock { $0[number] = nil }
      if ledger.withLock({ $0.isFolderAway }) { mayMiss.withLock { $0 = true } }
      let isExcused = ending.code == 3 && mayFail.withLock { $0 } || ending.code == 2 && mayMiss.withLock { $0 }
      #expect(ending.signal == SIGKILL || ending.code == 0 || isExcused, "\(ending.summary.rawValue)\n\(log.account)")
      if isExcused { try await Task.sleep(for: .milliseconds(200)) }
    }
  }

  /// Runs one more host until all work is complete, and drains it.
  func rest() async throws {
    var tool = tool
    tool.preparation = "exec 2>> '\(log.path)'"
    let ending = try await tool.run("serve", "pipelines") { [self] pid, send in
      let isIdle = await eventually(within: .seconds(300)) { (try? served.isIdle(pid)) == true }
      #expect(isIdle, "not all of what was asked for is done")
      try FileManager.default.removeItem(atPath: scratch("pipelines/due.yaml"))
      let isQuiet = await eventually(within: .seconds(60)) {
        (try? served.isServed("due")) == false && (try? served.isIdle(pid)) == true
      }
      #expect(isQuiet)
      send(.terminate)
    }
    #expect(ending.code == 0, ending.summary)
  }

  func close() async throws { try await disk?.unmount() }

  /// Records which operations have succeeded, which must not begin again.
  private func sample() async throws {
    while !isOver.withLock({ $0 }) {
      let began = ContinuousClock.now
      if let now = try? served.settled() {
        ledger.withLock { $0.settled.merge(now) { first, _ in first } }
      }
      // The longer the history, the longer this takes.
      try await Task.sleep(for: .seconds(2) + (ContinuousClock.now - began) * 10)
    }
  }

  // MARK: Other processes

  private func ask(_ number: Int) async throws {
    var random = SeededRandom(seed: Soak.seed, round: number + 1)
    while !isOver.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(Int.random(in: 500...4000, using: &random)))
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2: try await start("asked")
      case 3...4: try await start("alone")
      case 5: try await start("long")
      // Without room for its history, it starts nothing more and says so.
      case 6: try await expectCode(of: ["run", "by-hand.yaml", "--quiet"], [0, 3])
      case 7:
        guard let run = ledger.withLock({ $0.cancellable.suffix(20).randomElement(using: &random) }) else { continue }
        try await expectCode(of: ["cancel", run, "--quiet"], [0, 2, 3])
      case 8: try await expectCode(of: ["pause", "asked", "--until", "in 1s", "--quiet"], [0, 2, 3])
      default: try await expectCode(of: ["unpause", "asked", "--quiet"], [0, 2, 3])
      }
    }
  }

  private func expectCode(of command: [String], _ codes: Set<Int32>) async throws {
    let ending = try await tool.run(command)
    #expect(ending.code.map(codes.contains) == true, "\(command): \(ending.summary)")
  }

  /// Returns the run if it was acknowledged.
  @discardableResult
  func start(_ pipeline: String) async throws -> String? {
    let ending = try await tool.run("start", pipeline, "--json", "--quiet")
    // Without room nothing can be requested; without its file, the pipeline is unknown.
    #expect([0, 2, 3].contains(ending.code), ending.summary)
    guard ending.code == 0,
      let line = try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any],
      let run = line["run"] as? String
    else { return nil }
    ledger.withLock {
      $0.asked.append(run)
      if pipeline != "crashing" { $0.cancellable.append(run) }
    }
    return run
  }
}
