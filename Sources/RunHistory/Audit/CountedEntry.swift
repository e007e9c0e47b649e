import SQLite
import Synchronization

/// An entry of the audit for something that is done to runs in many transactions: begun with the first of them, it has the number of runs so far. Any thread.
package final class CountedEntry: Sendable {
  private struct State {
    /// The number of the row; nil before the first transaction.
    var row: Int64?
    var count = 0
  }

  private let entry: AuditEntry
  private let state = Mutex(State())

  /// - Parameter entry: What is done. Its detail, where there is one, follows the number of runs.
  package init(_ entry: AuditEntry) {
    self.entry = entry
  }

  /// Writes that `count` more runs are among them. The result is for ``confirm(_:)``, after the transaction.
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

  /// The transaction of a part has been committed. One that was not has left nothing, and its row belongs to somebody else by now.
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
