import Foundation
import Testing
import Workspace

/// The state last delivered to a subscriber.
private final class Told<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) {
    self.value = value
  }

  var last: Value {
    get { lock.withLock { value } }
    set { lock.withLock { value = newValue } }
  }
}

/// A subscription to a live result or to an object.
private struct Follower {
  let subscription: Subscription
  /// Describes how the delivered state differs from the model; nil if it does not.
  let fault: (Model) -> String?
  /// Whether the subscription has ended.
  var isOver: () -> Bool = { false }
}

/// Random transactions, the same on a workspace and on a model. `PENSTOCK_SOAK=full` runs 100,000 steps.
@Suite("A workspace and its model")
struct ModelTests {
  private static var isFull: Bool { ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full" }

  @Test("are the same after random transactions, in queries, live results, objects and snapshots", arguments: 1...4)
  func agree(seed: UInt64) async throws {
    let directory = try TemporaryDirectory()
    let schema = WorkspaceSchema(applicationID: 0x7465_7374, objects: [Piece.self])
    let workspace = try OpenWorkspace.open(at: directory.workspace, schema: schema, mode: .readWrite)
    var random = SeededRandom(state: seed)
    var model = Model()
    var followers: [Follower] = []
    var steps = 0
    let goal = Self.isFull ? 25_000 : 500
    while steps < goal {
      let submissions = Int.random(in: 1...8, using: &random)
      let isAborted = Int.random(in: 0..<10, using: &random) == 0
      let (after, faults) = try await transaction(
        workspace, model, submissions, seed: random.next(), isAborted: isAborted)
      let place: Comment = "seed \(seed), step \(steps)"
      try #require(faults == [], place)
      steps += submissions
      if !isAborted { model = after }
      // The completion was called after the subscribers, so each of them knows the last state.
      for follower in followers {
        if let fault = follower.fault(model) { try #require(fault == "", place) }
      }
      followers.removeAll { $0.isOver() }
      if Int.random(in: 0..<4, using: &random) == 0 {
        try #require(try workspace.fetch(for: Piece.self).all().map(\.self) == model.all, place)
      }
      let question = Question.random(&random)
      try #require(try question.ask(workspace.fetch(for: Piece.self)).map(\.self) == model.found(question), place)
      try follow(workspace, model, &followers, &random)
      if Int.random(in: 0..<20, using: &random) == 0 {
        let expected = model
        try workspace.fetchWithinASnapshot { snapshot in
          let outer = try snapshot.fetch(for: Piece.self).all().map(\.self)
          try workspace.sql("UPDATE piece SET attempt = (attempt + 1) % 10")
          let inner = try workspace.fetchWithinASnapshot {
            try $0.fetch(for: Piece.self).all().reduce(0) { $0 + $1.attempt }
          }
          try #require(inner == expected.pieces.values.reduce(0) { $0 + ($1.attempt + 1) % 10 }, place)
          try #require(try question.ask(snapshot.fetch(for: Piece.self)).map(\.self) == expected.found(question), place)
          try #require(outer == expected.all, place)
        }
        for id in model.pieces.keys { model.pieces[id]?.attempt = ((expected.pieces[id]?.attempt ?? 0) + 1) % 10 }
        // Subscribers check for themselves, and have done so when the next transaction is complete.
        try await workspace.performChanges([]) { _ in }
      }
    }
    #expect(try workspace.checkIntegrity() == [])
    await workspace.shutdown()
    let again = try OpenWorkspace.open(at: directory.workspace, schema: schema, mode: .readWrite)
    #expect(try again.fetch(for: Piece.self).all().map(\.self) == model.all)
  }

  private func follow(
    _ workspace: OpenWorkspace, _ model: Model, _ followers: inout [Follower], _ random: inout SeededRandom
  ) throws {
    if followers.count > 8 || (!followers.isEmpty && Int.random(in: 0..<6, using: &random) == 0) {
      followers.remove(at: Int.random(in: 0..<followers.count, using: &random)).subscription.cancel()
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      let question = Question.random(&random)
      let result = try question.ask(workspace.fetch(for: Piece.self))
      let told = Told(result.map(\.self))
      let subscription = try workspace.subscribe(fetchedResult: result) { told.last = $0.map(\.self) }
      followers.append(
        Follower(subscription: subscription) { model in
          let (last, expected) = (told.last, model.found(question))
          return last == expected ? nil : "a result is \(last) and should be \(expected)"
        })
    case 1:
      guard let piece = model.all.randomElement(using: &random) else { return }
      let told = Told<Piece?>(piece)
      let subscription = try workspace.subscribe(object: piece) { state in
        if case .updated(let piece) = state { told.last = piece } else { told.last = nil }
      }
      followers.append(
        Follower(subscription: subscription) { model in
          // After its deletion the object has no subscription, so the last delivered state remains; another object may get its key.
          let (last, expected) = (told.last, model.pieces[piece.id])
          return last == expected
            ? nil : "an object is \(String(describing: last)) and should be \(String(describing: expected))"
        } isOver: {
          told.last == nil
        })
    default: break
    }
  }

  /// Makes the same changes to both. Returns the model afterwards, and the differences.
  private func transaction(
    _ workspace: OpenWorkspace, _ model: Model, _ submissions: Int, seed: UInt64, isAborted: Bool
  ) async throws -> (Model, [String]) {
    do {
      return try await workspace.performChanges([Piece.self]) { context in
        var random = SeededRandom(state: seed)
        var model = model
        var faults: [String] = []
        for _ in 0..<submissions {
          let (name, expected) = try Submission.submit(to: context, &model, &random)
          if let expected { faults.append("\(name): \(expected)") }
        }
        let question = Question.random(&random)
        if try question.ask(context.fetch(for: Piece.self)).map(\.self) != model.found(question) {
          faults.append("fetch inside")
        }
        if isAborted { context.abort() }
        return (model, faults)
      }
    } catch let error as ChangeError where isAborted && error.cause == .aborted {
      return (model, [])
    }
  }
}
