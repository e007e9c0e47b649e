import Workspace

/// Finds out which runs have begun and ended since it was last asked, whatever process runs them.
///
/// It only looks; whoever uses it decides when, for instance after each change of the database. A run that began and ended between two looks
/// is told of twice, in that order; one that waited for its turn once more when it begins. Used by one thread.
public struct RunWatch {
  private let filter: RunFilter
  private var latest: Int64?
  /// The runs that go on, by their numbers, as they were told of last.
  private var open: [Int64: RunState] = [:]

  /// Creates a watch. Of the filter, the time, the number and the order do not count, and neither do states before the end.
  public init(_ filter: RunFilter = RunFilter()) {
    self.filter = filter
  }

  /// The runs that have begun (`running` or `queued`) and ended since the last call; from the first call, those that go on.
  public mutating func changes(in history: History) throws(WorkspaceError) -> [RunRecord] {
    let (newest, found) = try history.read { db in
      let newest = try db.fetch(for: StoredRun.self).maximum(StoredRun.number) ?? 0
      var found = try RunRows.all(StoredRun.goesOn, in: db)
      let going = Set(found.map(\.number))
      if let latest { found += try RunRows.all(StoredRun.number > latest && !StoredRun.endedAt.isNil(), in: db) }
      for number in open.keys where !going.contains(number) {
        found += try RunRows.all(StoredRun.number == number, in: db)
      }
      var seen: Set<Int64> = []
      let runs = found.filter { seen.insert($0.number).inserted }.sorted { $0.number < $1.number }
      return (newest, try runs.map { (run: $0, record: try RunRows.presented($0, in: db)) })
    }
    latest = newest
    return found.flatMap { take($0.run.number, $0.record) }
  }

  private mutating func take(_ number: Int64, _ record: RunRecord) -> [RunRecord] {
    guard matches(record) else { return [] }
    let told = open[number]
    // One that was interrupted before, and that nobody goes on with, is no news. It may also have ended a moment ago, after its
    // record was read: that is told of next time.
    if told == nil || told == .interrupted, record.state == .interrupted {
      open[number] = .interrupted
      return []
    }
    // One that ended while it waited for its turn never began.
    let latest: RunState = record.state.isFinal ? record.startedAt == nil ? .queued : .running : record.state
    var changes: [RunRecord] = []
    if told != latest {
      var begun = record
      begun.state = latest
      if record.state.isFinal {
        begun.reason = nil
        begun.endedAt = nil
      }
      changes.append(begun)
    }
    if record.state.isFinal { changes.append(record) }
    open[number] = record.state.isFinal ? nil : latest
    return changes.filter { change in
      (!change.state.isFinal || filter.states.isEmpty || filter.states.contains(change.state))
        && filter.condition?.matches(change) ?? true
    }
  }

  private func matches(_ record: RunRecord) -> Bool {
    if !filter.includesNested, record.parent != nil { return false }
    if let pattern = filter.pipeline, !NamePatternMatch.matches(record.pipeline, pattern) { return false }
    return filter.labels.allSatisfy { $0.isAmong(record.labels) }
  }
}
