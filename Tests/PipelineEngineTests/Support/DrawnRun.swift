import Foundation
import Synchronization
import Testing

@testable import PipelineEngine
@testable import RunHistory

/// A pipeline of ten operations, with the fates of its jobs and questions and when it is cut off, all determined by a seed. Its outcome does not
/// depend on what runs concurrently.
struct DrawnRun: Sendable {
  private(set) var text = ""
  private(set) var nested: [String: String] = [:]
  private(set) var fates: [String: [ScriptedExecutor.Fate]] = [:]
  private var answers: [String: Bool] = [:]
  private var cut: Cut?

  /// What happens to a run when one of its jobs hangs.
  enum Cut: CaseIterable { case cancel, kill }

  /// The outcome of a run: of each operation and attempt, and of the run itself.
  struct Outcome: Equatable, Sendable {
    var state: String
    var operations: [String]
    var attempts: [String]
  }

  init(_ number: Int, using random: inout some RandomNumberGenerator) {
    // What precedes the hanging job has ended by then, and what follows it has not begun: otherwise it would not be determined what a cut leaves.
    let hanging = Int.random(in: 0..<5, using: &random) == 0 ? Int.random(in: 1..<9, using: &random) : nil
    cut = hanging.flatMap { _ in Cut.allCases.randomElement(using: &random) }
    text = hanging == nil ? "concurrency: \(Int.random(in: 1...4, using: &random))\n" : "order: chain\n"
    text += "name: run-\(number)\noperations:\n"
    for position in 0..<10 {
      var line = "  - { name: o\(position), " + action(number, position, hangs: position == hanging, using: &random)
      if hanging == nil, position > 0, Bool.random(using: &random) {
        line += ", needs: o\(Int.random(in: 0..<position, using: &random))"
      }
      text += line + " }\n"
    }
    text += "after: { always: [{ name: last, command: [tool, last-\(number)] }] }\n"
  }

  private mutating func action(
    _ number: Int, _ position: Int, hangs: Bool, using random: inout some RandomNumberGenerator
  ) -> String {
    let name = "j\(number)-\(position)"
    let job = "command: [tool, \(name)]"
    if hangs {
      fates[name] = [.hangs]
      return job
    }
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<3: return "value: \(position)"
    case 3..<5: return job
    case 5: return job + ", exclusive: shared-\(Int.random(in: 0..<5, using: &random))"
    case 6:
      fates[name] = [.exits(3)]
      return job + ", allow_failure: \(Bool.random(using: &random))"
    case 7:
      fates[name] = Array(repeating: .exits(4), count: Int.random(in: 1...3, using: &random))
      return job + ", retry: { limit: 2, base: 1s }"
    case 8..<10:
      nested["n\(number)-\(position).yaml"] =
        "operations: [{ name: i, \(job) }, { name: j, value: 1 }, { name: k, needs: [i, j], command: [tool, k] }]"
      if Bool.random(using: &random) { fates[name] = [.prints("done"), .exits(1)] }
      return "pipeline: n\(number)-\(position).yaml"
    case 10:
      answers["o\(position)"] = Bool.random(using: &random)
      return "approve: 'Go on?', allow_failure: true"
    default: return job + ", when: \"${{ \(Bool.random(using: &random)) }}\""
    }
  }

  /// Runs it to its end.
  func run(in host: EngineTestHost, _ cuts: Cuts, _ engines: Engines? = nil) async throws -> Outcome {
    let (questions, ask) = AsyncStream<Approval>.makeStream()
    let engine = try host.engine(text, nested: nested) { event in
      if case .approval(let question) = event { ask.yield(question) }
    }
    engines?.add(engine)
    if let cut { cuts.set(cut, for: engine) }
    async let answering: Void = answer(questions, of: engine, in: host)
    let run = try await host.run(engine)
    ask.finish()
    try await answering
    return Outcome(
      state: "\(run.outcome.run.state)", operations: run.states,
      attempts: run.attempts.map { "\($0.ordinal)-\($0.number) \($0.state)" })
  }

  private func answer(_ questions: AsyncStream<Approval>, of engine: RunEngine, in host: EngineTestHost) async throws {
    do {
      for await question in questions {
        try await host.services.recorder.flush()
        _ = try host.services.history.answerApproval(
          question.run, operation: question.operation, approved: answers[question.operation] ?? false, note: nil,
          who: "ann")
      }
      try Task.checkCancellation()
    } catch {
      // No more answers are given.
      await engine.cancel(.requested)
      throw error
    }
  }
}

/// Cuts runs off once one of their jobs hangs.
final class Cuts: Sendable {
  private let cuts = Mutex<[RunID: (cut: DrawnRun.Cut, engine: RunEngine)]>([:])

  func set(_ cut: DrawnRun.Cut, for engine: RunEngine) { cuts.withLock { $0[engine.id] = (cut, engine) } }

  /// Cuts off the run of a hanging job. *On the event loop.*
  func apply(to run: RunID, on loop: EventLoop) {
    guard let (cut, engine) = cuts.withLock({ $0.removeValue(forKey: run) }) else { return }
    loop.execute {
      engine.assumeIsolated { engine in
        switch cut {
        case .cancel: engine.cancel(.requested)
        case .kill: engine.kill()
        }
      }
    }
  }

  func removeAll() { cuts.withLock { $0.removeAll() } }
}

/// Weak references to engines, to check that none is left when their runs have ended.
final class Engines: Sendable {
  private struct Reference: @unchecked Sendable {
    // @unchecked: a weak reference to an actor.
    weak var engine: RunEngine?
  }

  private let references = Mutex<[Reference]>([])

  func add(_ engine: RunEngine) { references.withLock { $0.append(Reference(engine: engine)) } }

  var left: Int { references.withLock { $0.count { $0.engine != nil } } }
}
