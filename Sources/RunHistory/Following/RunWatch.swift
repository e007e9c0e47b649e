import Workspace

/// Determines which runs have begun and ended since the last call, whatever process executes them.
///
/// It only reads; its user decides when, for example after each change of the database. A run that began and ended between two calls is returned
/// twice, in that order; one that was queued is returned again when it begins. Not thread-safe.
public struct RunWatch {
  private let filter: RunFilter
  private var latest: Int64?
  /// The active runs by number, with the states last returned.
  private var open: [Int64: RunState] = [:]

  /// Creates a watch. The filter's times, limit and order are ignored, as are states before the end.
  public init(_ filter: RunFilter = RunFilter()) {
    self.filter = filter
  }

  /// Returns the runs that have begun (`running` or `queued`) and ended since the last call; the first call returns the active ones.
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
    // A run that was interrupted before and is not being resumed is not reported. It may also have ended a moment ago, after its record was read;
    // then the next call reports it.
    if told == nil || told == .interrupted, record.state == .interrupted {
      open[number] = .interrupted
      return []
    }
    // A run that ended while it was queued never began.
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
