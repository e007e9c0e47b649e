import CFaultVFS
import Foundation
import Testing
import Workspace

/// The calls that fail, and how.
struct Fault: Sendable, CustomTestStringConvertible {
  var name: String
  var calls: Int
  /// The result code for SQLite.
  var code: Int32
  /// The errno reported for the operating system.
  var error: Int32 = EIO
  /// Whether it continues to fail, like a full disk, or fails once.
  var isLasting: Bool
  /// The codes of the errors that may result.
  var codes: Set<String>

  var testDescription: String { name + (isLasting ? ", from then on" : ", once") }
}

/// A short workspace session, the same each time: it is opened, changed six times, queried, and shut down. It records what was acknowledged and delivered.
final class FaultScript {
  let directory: String
  /// The jobs according to all acknowledged transactions.
  private(set) var expected: [String: Job] = [:]
  private(set) var errors: [any Error] = []
  private(set) var workspace: OpenWorkspace?
  /// The jobs last delivered to the last subscriber.
  let told = Collected<[Job]>()

  init(_ directory: String) {
    self.directory = directory
  }

  func open() {
    do {
      workspace = try OpenWorkspace.open(at: directory, schema: .jobs, mode: .readWrite, patience: .milliseconds(50))
    } catch {
      errors.append(error)
    }
  }

  func run() async {
    if workspace == nil { open() }
    guard let workspace else { return }
    for turn in 0..<6 { await change(workspace, turn) }
  }

  /// Runs one transaction: creates three objects, changes all others, deletes one. Returns whether it was acknowledged.
  @discardableResult
  func change(_ workspace: OpenWorkspace, _ turn: Int) async -> Bool {
    let before = expected
    do {
      expected = try await workspace.performChanges([Job.self]) { context in
        var jobs = before
        for id in jobs.keys.sorted() {
          guard let job = jobs[id] else { continue }
          if case .updated(let job) = try context.submit(Job.changeRequest(job, { $0.attempt = turn })) {
            jobs[id] = job
          }
        }
        for place in 0..<3 {
          let job = Job(
            id: "\(turn)-\(place)", ticket: "\(turn)\(place)", log: Array(repeating: UInt8(turn), count: 3000))
          try context.submit(Job.creationRequest(job))
          jobs[job.id] = job
        }
        if turn > 2 {
          try context.delete(Job.self, where: Job.id == "\(turn - 2)-1")
          jobs["\(turn - 2)-1"] = nil
        }
        return jobs
      }
      return true
    } catch {
      errors.append(error)
      return false
    }
  }

  var sorted: [Job] { expected.values.sorted { $0.id < $1.id } }
}
