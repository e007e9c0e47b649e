import Foundation
import SQLite
import Workspace

/// A piece of work, with a field of every kind.
struct Job: Storable, Equatable {
  enum State: String, ColumnValue { case queued, running, failed, succeeded }
  struct Step: Codable, Equatable, Sendable {
    var name: String
    var minutes: Int?
  }

  var id: String
  var pipeline: String = "build"
  var state: State = .queued
  var attempt: Int = 1
  var exitCode: Int?
  var endedAt: Instant?
  var seconds: Double = 0
  var isManual: Bool = false
  var ticket: String?
  var steps: [Step] = []
  var origin: Step?
  var log: [UInt8] = []

  static let id = Field("id", \Job.id)
  static let pipeline = Field("pipeline", \Job.pipeline)
  static let state = Field("state", \Job.state)
  static let attempt = Field("attempt", \Job.attempt, default: 1)
  static let exitCode = Field("exit_code", \Job.exitCode)
  static let endedAt = Field("ended_at", \Job.endedAt)
  static let seconds = Field("seconds", \Job.seconds)
  static let isManual = Field("is_manual", \Job.isManual, default: false)
  static let ticket = Field("ticket", \Job.ticket)
  static let steps = Field("steps", json: \Job.steps)
  static let origin = Field("origin", json: \Job.origin)
  static let log = Field("log", \Job.log)
  static let schema = ObjectSchema(
    "job", Job.init, id, pipeline, state, attempt, exitCode, endedAt, seconds, isManual, ticket, steps, origin, log,
    key: id, indexes: [.index(pipeline, state), .index(attempt), .unique(ticket)])
}

/// An object with an integer key.
struct Note: Storable, Equatable {
  var number: Int
  var text: String

  static let number = Field("number", \Note.number)
  static let text = Field("text", \Note.text)
  static let schema = ObjectSchema("note", Note.init, number, text, key: number)
}

/// An object with a key of two fields.
struct Cell: Storable, Equatable {
  var row: Int
  var column: String
  var value: Int?

  static let row = Field("row", \Cell.row)
  static let column = Field("column", \Cell.column)
  static let value = Field("value", \Cell.value)
  static let schema = ObjectSchema("cell", Cell.init, row, column, value, key: [row, column])
}

extension WorkspaceSchema {
  static let jobs = WorkspaceSchema(applicationID: 0x7465_7374, objects: [Job.self, Note.self, Cell.self])
}

func openJobs(_ directory: TemporaryDirectory, mode: OpenWorkspace.Mode = .readWrite) throws -> OpenWorkspace {
  try OpenWorkspace.open(at: directory.workspace, schema: .jobs, mode: mode)
}

extension OpenWorkspace {
  /// Stores jobs in one transaction.
  func add(_ jobs: [Job]) async throws {
    try await performChanges([Job.self]) { context in
      for job in jobs { try context.submit(Job.creationRequest(job)) }
    }
  }

  func job(_ id: String) throws -> Job? { try fetch(for: Job.self).where(Job.id == id).first }
}

/// Returns the error that `body` throws, if it is of this type.
func caught<Failure: Error, Value>(_ type: Failure.Type, _ body: () async throws -> Value) async -> Failure? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? Failure
  }
}

/// A sequence of random numbers that is reproducible by its seed.
struct SeededRandom: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension OpenWorkspace {
  /// Runs SQL that bypasses the objects.
  func sql(_ sql: String) throws { try write { try $0.execute(sql: sql) } }

  func texts(_ sql: String, column: Int = 0) throws -> [String] {
    try read { try Row.fetchAll($0, sql: sql).map { $0[column] } }
  }
}
