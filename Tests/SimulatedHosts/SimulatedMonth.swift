import ArgumentParser
import Foundation

/// Simulates hosts and prints every record that contradicts the documents; it then exits with 1.
///
/// It is a separate program because a simulation needs a process that does nothing else, and so that it can be built with optimization, without the tests.
@main
struct SimulatedMonth: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "SimulatedHosts",
    abstract:
      "Simulate hosts that serve pipelines for days and are drained and killed at random, and check their records"
  )

  @Option(help: "The seed of everything random") var seed: UInt64 = 20_261_121
  @Option(help: "The number of pipelines") var pipelines = 16
  @Option(help: "The number of days") var days = 2
  @Option(help: "The number of times a host ends") var restarts = 8
  @Option(help: "How many of these ends are kills") var kills = 4
  @Option(help: "The maximum number of active runs") var runs = 3
  @Option(help: "The maximum number of running processes") var processes = 5
  @Flag(
    help:
      "Simulate twice without simultaneous events or deaths during writes, so that the seed determines everything"
  )
  var twice = false
  @Flag(help: "Report the end of each day on standard error") var progress = false

  @Flag(help: "Keep the workspace if there are problems, and print its path") var keep = false

  private var settings: SimulatedHosts.Settings {
    SimulatedHosts.Settings(
      seed: seed, pipelines: pipelines, days: days, restarts: restarts, kills: kills, killsWhileWriting: !twice,
      isApart: twice, runs: runs, processes: processes)
  }

  func validate() throws {
    guard pipelines > 0, days > 0, restarts >= kills, kills >= 0 else {
      throw ValidationError("--pipelines and --days must be greater than zero, and --kills must not exceed --restarts")
    }
  }

  func run() throws {
    let began = ContinuousClock.now
    let (problems, summary) = try twice ? checkRepetition() : checkMonth()
    for problem in problems.prefix(20) { print(problem) }
    print("\(summary), in \(ContinuousClock.now - began)")
    guard problems.isEmpty else {
      print("\(problems.count) problems; repeat with --seed \(seed)")
      throw ExitCode(1)
    }
  }

  private func simulate() throws -> SimulatedHosts {
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    let hosts = try SimulatedHosts(settings, pluginsIn: programs)
    if progress { hosts.dayIsOver = { FileHandle.standardError.write(Data("\($0)\n".utf8)) } }
    do {
      try hosts.run()
    } catch {
      throw SimulatedHosts.Failure(
        description:
          "\(error); logged: \(hosts.errors.all.suffix(5)); \(hosts.machine.problems.prefix(5)); repeat with --seed \(seed)"
      )
    }
    return hosts
  }

  private func checkMonth() throws -> ([String], String) {
    let hosts = try simulate()
    let ledger = try Ledger(hosts.workspace)
    var problems = LedgerChecker.check(ledger, of: hosts) + hosts.machine.problems
    for pipeline in hosts.pipelines where problems.prefix(20).contains(where: { $0.contains(pipeline.name) }) {
      print(pipeline.text)
    }
    if hosts.machine.going > 0 {
      problems.append("\(hosts.machine.going) processes are running although all hosts have ended")
    }
    let kept = hosts.kept
    if kept > 0 { problems.append("\(kept) drained hosts are still in memory") }
    let loops = ThisProcess.threads(named: "penstock-loop")
    if loops > 0 { problems.append("\(loops) event loops of ended hosts are left") }
    if keep, !problems.isEmpty {
      hosts.isLeft = true
      print("the workspace is \(hosts.workspace)")
    }
    let reasons = Dictionary(grouping: ledger.occasions) { $0.reason ?? $0.outcome }.mapValues(\.count)
    return (
      problems,
      """
      simulated \(days) days of \(pipelines) pipelines: \(ledger.occasions.count) occasions, \(ledger.runs.count) runs, \
      \(hosts.machine.counts.started) processes, \(hosts.steps) steps, \(hosts.lives.count) hosts; \
      \(reasons.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")); memory \(hosts.memory) KiB; \(hosts.keptOfKilled) killed hosts are still in memory
      """
    )
  }

  private func checkRepetition() throws -> ([String], String) {
    // Their workspace is removed with the hosts.
    let lines = { try withExtendedLifetime(simulate()) { try Ledger($0.workspace).lines } }
    let (first, second) = (try lines(), try lines())
    var problems = zip(first, second).filter { $0 != $1 }.map { "\($0) is \($1) the second time" }
    if first.count != second.count { problems.append("\(first.count) rows are \(second.count) the second time") }
    if first.isEmpty { problems.append("there are no rows") }
    return (problems, "simulated \(first.count) occasions twice")
  }
}
