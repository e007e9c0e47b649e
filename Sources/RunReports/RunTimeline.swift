import RunHistory

/// The operations of a run on one time axis, divided into cells.
package struct RunTimeline: Sendable {
  /// What happened in a span of time.
  package enum Cell: Sendable, Equatable {
    case nothing
    /// Between two attempts, or waiting for a gate, a lease or a person.
    case waiting
    /// In an attempt that is running or has succeeded.
    case working
    /// In an attempt that failed.
    case failing
  }

  /// One row.
  package struct Row: Sendable, Equatable {
    package var name: String
    /// The label of an item.
    package var label: String?
    /// Whether it is an item of the loop above it.
    package var isItem: Bool
    package var state: OperationState
    package var cells: [Cell]
    /// The duration until the end or the present, in microseconds.
    package var duration: Int64
  }

  /// The length of the axis, in microseconds.
  package private(set) var duration: Int64 = 0
  package private(set) var rows: [Row] = []
  /// The number of omitted rows.
  package private(set) var omitted = 0
  /// The maximum number of rows; a longer chart would be unreadable.
  private static let mostRows = 200

  /// Lays out everything of a run that has begun. `width` is the number of cells in a row, at least 1; active operations extend to `now`.
  package init(_ recorded: RecordedRun, width: Int, now: RecordTime = .now) {
    let attempts = Dictionary(grouping: recorded.attempts, by: \.ordinal)
    let items = Dictionary(grouping: recorded.operations.filter { $0.parent != nil }) { $0.parent ?? 0 }
    var order: [OperationRecord] = []
    for operation in recorded.operations where operation.parent == nil {
      order.append(operation)
      order += items[operation.ordinal] ?? []
    }
    let spans = order.compactMap { record -> (OperationRecord, Range<Int64>)? in
      Self.span(of: record, now: now).map { (record, $0) }
    }
    guard let start = spans.map(\.1.lowerBound).min(), let end = spans.map(\.1.upperBound).max() else { return }
    duration = end - start
    let scale = Scale(start: start, length: max(1, end - start), width: max(1, width))
    omitted = max(0, spans.count - Self.mostRows)
    rows = spans.prefix(Self.mostRows).map { record, span in
      Row(
        name: record.name, label: record.label, isItem: record.parent != nil, state: record.state,
        cells: Self.cells(record, span, attempts[record.ordinal] ?? [], scale, now: now),
        duration: span.upperBound - span.lowerBound)
    }
  }

  /// Returns the span from when it began to wait, or from its first attempt if that is earlier, to its end; nil if it has not begun.
  private static func span(of record: OperationRecord, now: RecordTime) -> Range<Int64>? {
    guard let start = [record.startedAt, record.waitingSince].compactMap(\.self).min() else { return nil }
    let isOpen = !record.state.isFinal && record.state != .pending
    guard let end = record.endedAt ?? (isOpen ? now : nil) else { return nil }
    return start.microseconds..<max(start.microseconds, end.microseconds)
  }

  private struct Scale {
    let start: Int64
    let length: Int64
    let width: Int

    /// Returns the cells that a span of time touches; at least one, so that every span is visible.
    func cells(_ span: Range<Int64>) -> Range<Int> {
      let first = min(width - 1, place(of: span.lowerBound, .down))
      return first..<min(width, max(first + 1, place(of: span.upperBound, .up)))
    }

    /// Clamped to the axis before conversion to an integer: recorded times may be very far apart.
    private func place(of time: Int64, _ rule: FloatingPointRoundingRule) -> Int {
      let cells = Double(time - start) / Double(length) * Double(width)
      return Int(min(Double(width), max(0, cells)).rounded(rule))
    }
  }

  private static func cells(
    _ record: OperationRecord, _ span: Range<Int64>, _ attempts: [AttemptRecord], _ scale: Scale, now: RecordTime
  ) -> [Cell] {
    var cells = [Cell](repeating: .nothing, count: scale.width)
    func fill(_ span: Range<Int64>, _ cell: Cell) {
      for index in scale.cells(span) { cells[index] = cell }
    }
    // Operations without attempts (loops and values) count as working for their whole duration.
    let isWaiting = record.state == .waiting || !attempts.isEmpty
    fill(span, isWaiting ? .waiting : record.state == .failed ? .failing : .working)
    for attempt in attempts {
      let end = attempt.endedAt ?? (attempt.state == .running ? now : attempt.startedAt)
      let start = attempt.startedAt.microseconds
      // An attempt left by a drain is continued later, so it is not a failure.
      let isLeft = attempt.error?.code == RecordedError.hostDrained.code
      let isFailure = attempt.state == .failed || attempt.state == .cancelled && !isLeft
      fill(start..<max(start, end.microseconds), isFailure ? .failing : .working)
    }
    return cells
  }
}
