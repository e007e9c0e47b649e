import SQLite
import Synchronization

/// An audit entry for something that is done to runs in many transactions: created with the first of them, it contains the number of runs so far. May
/// be used from any thread.
package final class CountedEntry: Sendable {
  private struct State {
    /// The number of the row; nil before the first transaction.
    var row: Int64?
    var count = 0
  }

  private let entry: AuditEntry
  private let state = Mutex(State())

  /// - Parameter entry: What is done. Its detail, if any, follows the number of runs.
  package init(_ entry: AuditEntry) {
    self.entry = entry
  }

  /// Adds `count` runs to the entry. Pass the result to ``confirm(_:)`` after the transaction.
  func write(_ count: Int, in db: Database) throws -> Part {
    let former = state.withLock { $0 }
    guard count > 0 else { return Part(row: former.row, count: 0) }
    let total = former.count + count
    let detail = "\(total) \(total == 1 ? "run" : "runs")" + (entry.detail.map { " \($0)" } ?? "")
    if let row = former.row {
      try AuditRows.update(row, detail: detail, in: db)
      return Part(row: row, count: count)
    }
    var whole = entry
    whole.detail = detail
    return Part(row: try AuditRows.add(whole, in: db), count: count)
  }

  /// Confirms that the transaction of a part has been committed. One that was rolled back has left nothing, and its row number may have been reused.
  func confirm(_ part: Part) {
    state.withLock { state in
      state.row = part.row
      state.count += part.count
    }
  }

  /// What a transaction has written.
  struct Part {
    fileprivate var row: Int64?
    fileprivate var count: Int
  }
}
