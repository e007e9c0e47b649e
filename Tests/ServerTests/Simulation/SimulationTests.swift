import Foundation
import Testing

/// Hosts through a month that takes seconds, each in a process of its own: see ``SimulatedHosts``.
///
/// The short form is a part of every test run; `PENSTOCK_SOAK=full` asks for the long one, and `PENSTOCK_SOAK_SEED` for another seed.
@Suite("A simulated month", .serialized, .timeLimit(.minutes(60)))
struct SimulationTests {
  private static func variable(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  private static var seed: UInt64 { variable("PENSTOCK_SOAK_SEED").flatMap { UInt64($0) } ?? 20_261_121 }

  private static var settings: SimulatedHosts.Settings {
    var settings = SimulatedHosts.Settings(seed: seed)
    if variable("PENSTOCK_SOAK") == "full" {
      (settings.pipelines, settings.days) = (100, 30)
      (settings.restarts, settings.kills) = (60, 20)
      (settings.runs, settings.processes) = (8, 10)
    }
    if let number = variable("PENSTOCK_SIMULATION_PIPELINES").flatMap({ Int($0) }) { settings.pipelines = number }
    if let number = variable("PENSTOCK_SIMULATION_DAYS").flatMap({ Int($0) }) { settings.days = number }
    if let number = variable("PENSTOCK_SIMULATION_RESTARTS").flatMap({ Int($0) }) {
      (settings.restarts, settings.kills) = (number, number / 3)
    }
    return settings
  }

  /// The folder of the built plugins, beside the program that tests run in.
  private static var folder: String {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  /// Simulates on a thread of its own, and returns the hosts with what they have left.
  private static func simulate(_ settings: SimulatedHosts.Settings) async throws -> (
    hosts: SimulatedHosts, ledger: Ledger
  ) {
    let folder = folder
    return try await withCheckedThrowingContinuation { continuation in
      let thread = Thread {
        do {
          let hosts = try SimulatedHosts(settings, pluginsIn: folder)
          do {
            try hosts.run()
          } catch {
            throw SimulatedHosts.Failure(
              description:
                "\(error); told: \(hosts.errors.all.suffix(5)); \(hosts.machine.problems.prefix(5))")
          }
          nonisolated(unsafe) let result = (hosts, try Ledger(hosts.workspace))
          continuation.resume(returning: result)
        } catch {
          continuation.resume(throwing: error)
        }
      }
      thread.stackSize = 8 << 20
      thread.start()
    }
  }

  /// What a process of its own has said, where the simulation is to be in one: it is not with `PENSTOCK_SIMULATION_HERE`, for a debugger.
  private static var isHere: Bool { variable("PENSTOCK_SIMULATION_HERE") != nil }

  private static func tell(_ result: ExitTest.Result?) {
    guard let result else { return }
    for bytes in [result.standardOutputContent, result.standardErrorContent] where !bytes.isEmpty {
      print(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Notes what keeps a simulation from going on: a process of its own would end by a signal without a word.
  private static func noting(_ body: () async throws -> Void) async {
    do { try await body() } catch { Issue.record("\(error); repeat with PENSTOCK_SOAK_SEED=\(seed)") }
  }

  private static func checkMonth() async throws {
    let began = ContinuousClock.now
    let settings = Self.settings
    let (hosts, ledger) = try await simulate(settings)
    let took = ContinuousClock.now - began
    let problems = LedgerChecker.check(ledger, of: hosts) + hosts.machine.problems
    for problem in problems.prefix(20) { Issue.record(Comment(rawValue: problem)) }
    for pipeline in hosts.pipelines where problems.prefix(20).contains(where: { $0.contains(pipeline.name) }) {
      print(pipeline.text)
    }
    #expect(problems.count == 0, "repeat with PENSTOCK_SOAK_SEED=\(settings.seed)")
    #expect(hosts.machine.going == 0)
    #expect(hosts.threads(named: "penstock-loop") == 0, "hosts that have ended have left their loops")
    let reasons = Dictionary(grouping: ledger.occasions) { $0.reason ?? $0.outcome }.mapValues(\.count)
    print(
      """
      simulated \(settings.days) days of \(settings.pipelines) pipelines in \(took): \(ledger.occasions.count) occasions, \(ledger.runs.count) runs, \
      \(hosts.machine.counts.started) processes, \(hosts.steps) steps, \(hosts.lives.count) hosts; \
      \(reasons.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")); memory \(hosts.memory) KiB
      """)
  }

  private static func checkRepetition() async throws {
    var settings = SimulatedHosts.Settings(seed: seed)
    (settings.pipelines, settings.days, settings.killsWhileWriting) = (12, 1, false)
    (settings.restarts, settings.kills) = (6, 3)
    settings.isApart = true
    let first = try await simulate(settings).ledger.lines
    let second = try await simulate(settings).ledger.lines
    #expect(!first.isEmpty)
    #expect(first.count == second.count)
    for (one, other) in zip(first, second) where one != other {
      Issue.record("\(one) is \(other) the second time")
      break
    }
  }

  @Test("has one row for each instant, no limit exceeded, and everybody's turn, whenever hosts end or are killed")
  func month() async {
    guard !Self.isHere else { return await Self.noting(Self.checkMonth) }
    Self.tell(
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
        await Self.noting(Self.checkMonth)
      })
  }

  @Test("is the same for the same seed")
  func repetition() async {
    guard !Self.isHere else { return await Self.noting(Self.checkRepetition) }
    Self.tell(
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]) {
        await Self.noting(Self.checkRepetition)
      })
  }
}
