import Foundation
import Testing
import Workspace

/// What a workspace of jobs and notes should be, in memory.
private struct Model: Equatable {
  var jobs: [String: Job] = [:]

  /// Jobs for which `condition` is true, in order.
  func found(_ query: Question) -> [Job] {
    let all = jobs.values.filter(query.matches).sorted { left, right in
      for (isLess, isGreater) in query.compare(left, right) where isLess != isGreater { return isLess }
      return left.id < right.id
    }
    return Array(all.dropFirst(query.offset).prefix(query.limit))
  }

  /// Whether the ticket belongs to another job.
  func isTaken(_ ticket: String?, notBy id: String) -> Bool {
    ticket != nil && jobs.values.contains { $0.ticket == ticket && $0.id != id }
  }
}

/// A query in two forms, for the workspace and for the model.
private struct Question: Sendable {
  var condition: Condition<Job>
  var matches: @Sendable (Job) -> Bool
  var isDescending = false
  var limit = 1000
  var offset = 0

  func compare(_ left: Job, _ right: Job) -> [(Bool, Bool)] {
    let (first, second) = isDescending ? (right, left) : (left, right)
    return [(first.attempt < second.attempt, first.attempt > second.attempt)]
  }

  func ask(_ fetch: Fetch<Job>) throws -> FetchedResult<Job> {
    try fetch.where(
      condition, limit: .limit(limit), offset: offset,
      orderBy: [isDescending ? Job.attempt.descending : Job.attempt.ascending])
  }

  static func random(_ random: inout SeededRandom) -> Question {
    var question = simple(&random)
    if Bool.random(using: &random) {
      let other = simple(&random)
      let first = question
      switch Int.random(in: 0...2, using: &random) {
      case 0:
        question = Question(condition: first.condition && other.condition) { first.matches($0) && other.matches($0) }
      case 1:
        question = Question(condition: first.condition || other.condition) { first.matches($0) || other.matches($0) }
      default:
        question = Question(condition: first.condition && !other.condition) { first.matches($0) && !other.matches($0) }
      }
    }
    question.isDescending = Bool.random(using: &random)
    if Bool.random(using: &random) { question.limit = Int.random(in: 0...4, using: &random) }
    if Bool.random(using: &random) { question.offset = Int.random(in: 0...3, using: &random) }
    return question
  }

  private static func simple(_ random: inout SeededRandom) -> Question {
    let number = Int.random(in: 0...9, using: &random)
    let text = "\(Int.random(in: 0...3, using: &random))"
    switch Int.random(in: 0...9, using: &random) {
    case 0: return Question(condition: Job.attempt == number) { $0.attempt == number }
    case 1: return Question(condition: Job.attempt > number) { $0.attempt > number }
    case 2:
      return Question(condition: Job.attempt.between(number, number + 3)) { (number...number + 3).contains($0.attempt) }
    case 3: return Question(condition: Job.pipeline == "p" + text) { $0.pipeline == "p" + text }
    case 4: return Question(condition: Job.pipeline.hasPrefix("p" + text)) { $0.pipeline.hasPrefix("p" + text) }
    case 5: return Question(condition: Job.id.contains(text)) { $0.id.contains(text) }
    case 6: return Question(condition: Job.exitCode == nil) { $0.exitCode == nil }
    case 7: return Question(condition: Job.exitCode != number) { $0.exitCode != number }
    case 8:
      return Question(condition: Job.attempt.in([number, number + 1])) { [number, number + 1].contains($0.attempt) }
    default: return Question(condition: Job.attempt * 2 + 1 > number) { $0.attempt * 2 + 1 > number }
    }
  }
}

/// A live result, and what its subscriber was told last.
private final class Live: @unchecked Sendable {
  private let lock = NSLock()
  private var value: [Job]
  let question: Question
  var subscription: Subscription?

  init(_ question: Question, _ value: [Job]) {
    self.question = question
    self.value = value
  }

  var last: [Job] {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}

/// Random transactions, the same on a workspace and on a model. `PENSTOCK_SOAK=full` makes 100,000 steps.
@Suite("A workspace and its model")
struct ModelTests {
  private static var isFull: Bool { ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full" }

  @Test("are the same after random transactions, in queries, live results, objects and snapshots", arguments: 1...4)
  func agree(seed: UInt64) async throws {
    let directory = try TemporaryDirectory()
    let workspace = try openJobs(directory)
    var random = SeededRandom(state: seed)
    var model = Model()
    var lives: [Live] = []
    var steps = 0
    let goal = Self.isFull ? 25_000 : 400
    while steps < goal {
      let submissions = Int.random(in: 1...8, using: &random)
      let isAborted = Int.random(in: 0..<10, using: &random) == 0
      let seed = random.next()
      let before = model
      let (after, faults) = try await transaction(workspace, model, submissions, seed: seed, isAborted: isAborted)
      #expect(faults == [], "seed \(seed)")
      steps += submissions
      if !isAborted { model = after }
      let jobs = try workspace.fetch(for: Job.self).all()
      try #require(jobs.map(\.self) == model.jobs.values.sorted { $0.id < $1.id })
      let question = Question.random(&random)
      #expect(try question.ask(workspace.fetch(for: Job.self)).map(\.self) == model.found(question))
      // The completion came after the subscribers, so each of them knows the last state.
      for live in lives { try #require(live.last == model.found(live.question)) }
      if isAborted { #expect(model == before) }
      try subscribe(workspace, &lives, &random)
      if Int.random(in: 0..<20, using: &random) == 0 {
        let expected = model
        try workspace.fetchWithinASnapshot { snapshot in
          try workspace.sql("UPDATE job SET attempt = (attempt + 1) % 10")
          #expect(try question.ask(snapshot.fetch(for: Job.self)).map(\.self) == expected.found(question))
        }
        for id in model.jobs.keys { model.jobs[id]?.attempt = ((expected.jobs[id]?.attempt ?? 0) + 1) % 10 }
        // Subscribers look for themselves, and have done so when the next transaction is complete.
        try await workspace.performChanges([]) { _ in }
        for live in lives { try #require(live.last == model.found(live.question)) }
      }
    }
    #expect(try workspace.checkIntegrity() == [])
    await workspace.shutdown()
    let again = try openJobs(directory)
    #expect(try again.fetch(for: Job.self).all().map(\.self) == model.jobs.values.sorted { $0.id < $1.id })
  }

  private func subscribe(_ workspace: Workspace, _ lives: inout [Live], _ random: inout SeededRandom) throws {
    if lives.count > 20 || (!lives.isEmpty && Int.random(in: 0..<6, using: &random) == 0) {
      lives.remove(at: Int.random(in: 0..<lives.count, using: &random)).subscription?.cancel()
    }
    if Int.random(in: 0..<2, using: &random) == 0 {
      let question = Question.random(&random)
      let result = try question.ask(workspace.fetch(for: Job.self))
      let live = Live(question, result.map(\.self))
      live.subscription = try workspace.subscribe(fetchedResult: result) { [weak live] in live?.last = $0.map(\.self) }
      lives.append(live)
    }
  }

  /// Does the same to both. Returns the model afterwards, and where they differed.
  private func transaction(
    _ workspace: Workspace, _ model: Model, _ submissions: Int, seed: UInt64, isAborted: Bool
  ) async throws -> (Model, [String]) {
    do {
      return try await workspace.performChanges([Job.self]) { context in
        var random = SeededRandom(state: seed)
        var model = model
        var faults: [String] = []
        for _ in 0..<submissions {
          let (name, expected) = try Self.submit(to: context, &model, &random)
          if let expected { faults.append("\(name): \(expected)") }
        }
        let question = Question.random(&random)
        if try question.ask(context.fetch(for: Job.self)).map(\.self) != model.found(question) {
          faults.append("fetch inside")
        }
        if isAborted { context.abort() }
        return (model, faults)
      }
    } catch let error as ChangeError where isAborted && error.cause == .aborted {
      return (model, [])
    }
  }

  /// One submission to both. Returns its name, and how they differ.
  private static func submit(
    to context: ChangeContext, _ model: inout Model, _ random: inout SeededRandom
  ) throws -> (String, String?) {
    let id = "j\(Int.random(in: 0..<30, using: &random))"
    var job = Job(
      id: id, pipeline: "p\(Int.random(in: 0...3, using: &random))", attempt: Int.random(in: 0...9, using: &random))
    job.exitCode = Bool.random(using: &random) ? Int.random(in: 0...9, using: &random) : nil
    job.ticket = Int.random(in: 0..<3, using: &random) == 0 ? "t\(Int.random(in: 0..<12, using: &random))" : nil
    let old = model.jobs[id]
    func outcome(_ request: ChangeRequest<Job>) throws -> ChangeError.Cause? {
      do {
        try context.submit(request)
        return nil
      } catch let error as ChangeError {
        return error.cause
      }
    }
    let expected: ChangeError.Cause?
    let found: ChangeError.Cause?
    let name: String
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1, 2:
      name = "creation"
      expected = old != nil ? .keyTaken : model.isTaken(job.ticket, notBy: id) ? .valueTaken(fields: ["ticket"]) : nil
      found = try outcome(Job.creationRequest(job))
      if expected == nil { model.jobs[id] = job }
    case 3:
      name = "change"
      expected = old == nil ? .missing : model.isTaken(job.ticket, notBy: id) ? .valueTaken(fields: ["ticket"]) : nil
      let (attempt, ticket) = (job.attempt, job.ticket)
      found = try outcome(Job.changeRequest(Job(id: id)) { ($0.attempt, $0.ticket) = (attempt, ticket) })
      if expected == nil {
        model.jobs[id]?.attempt = attempt
        model.jobs[id]?.ticket = ticket
      }
    case 4:
      name = "upsert"
      expected = model.isTaken(job.ticket, notBy: id) ? .valueTaken(fields: ["ticket"]) : nil
      found = try outcome(Job.upsertRequest(job))
      if expected == nil { model.jobs[id] = job }
    case 5:
      name = "deletion"
      expected = old == nil ? .missing : nil
      found = try outcome(Job.deletionRequest(job))
      model.jobs[id] = nil
    case 6:
      name = "change of key"
      let new = "j\(Int.random(in: 0..<30, using: &random))"
      expected = old == nil ? .missing : new != id && model.jobs[new] != nil ? .keyTaken : nil
      found = try outcome(Job.changeRequest(Job(id: id)) { $0.id = new })
      if expected == nil, var moved = model.jobs.removeValue(forKey: id) {
        moved.id = new
        model.jobs[new] = moved
      }
    default:
      name = "by query"
      expected = nil
      let question = Question.random(&random)
      let ids = model.jobs.values.filter(question.matches).map(\.id)
      let isDeletion = Int.random(in: 0..<4, using: &random) == 0
      let count =
        isDeletion
        ? try context.delete(Job.self, where: question.condition)
        : try context.update(
          Job.self, set: [Job.attempt.set((Job.attempt + 1)), Job.exitCode.set(3)], where: question.condition)
      found = count == ids.count ? nil : .constraint(message: "\(count) rows and not \(ids.count)")
      for id in ids {
        if isDeletion {
          model.jobs[id] = nil
        } else {
          model.jobs[id]?.attempt += 1
          model.jobs[id]?.exitCode = 3
        }
      }
    }
    return (name, found == expected ? nil : "\(String(describing: found)) and not \(String(describing: expected))")
  }
}
