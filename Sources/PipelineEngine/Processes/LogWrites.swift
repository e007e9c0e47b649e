/// The sizes of the two logs of an attempt, in bytes.
struct LogSizes: Equatable {
  var output: Int64 = 0
  var error: Int64 = 0

  subscript(isError isError: Bool) -> Int64 {
    get { isError ? error : output }
    set { if isError { error = newValue } else { output = newValue } }
  }
}

/// The writes to the two logs of an attempt since their sizes were last known: the stream of each write, in order.
///
/// The size of each write is unknown. If one stream's writes are separated by the other's, and the stream has grown by as many lines as there were
/// writes to it, each write was a line; otherwise all growth is attributed to its last write.
struct LogWrites {
  /// Writes to one stream, without writes to the other between them.
  private struct Stretch {
    let isError: Bool
    var count: Int
  }

  private var stretches: [Stretch] = []
  /// The number of writes.
  private(set) var count = 0
  /// Whether some writes are unknown, or there are too many to distinguish.
  private var isIncomplete = false

  private static let mostStretches = 64
  /// The maximum growth, in bytes, that is searched for lines.
  private static let longestContent: Int64 = 64 << 10

  mutating func add(isError: Bool) {
    count += 1
    if let last = stretches.indices.last, stretches[last].isError == isError {
      stretches[last].count += 1
    } else if stretches.count < Self.mostStretches {
      stretches.append(Stretch(isError: isError, count: 1))
    } else {
      isIncomplete = true
    }
  }

  /// Notes that some writes were missed.
  mutating func miss() { isIncomplete = true }

  /// Returns how the logs have grown, step by step.
  ///
  /// - Parameters:
  ///   - old: Their sizes before the writes.
  ///   - new: Their sizes after them.
  ///   - content: Returns the bytes of a part of a log, or nil if they cannot be read.
  /// - Returns: The stream that has grown, and its size after that.
  func growths(
    from old: LogSizes, to new: LogSizes, content: (_ isError: Bool, _ part: Range<Int64>) -> [UInt8]?
  ) -> [(isError: Bool, size: Int64)] {
    let grown = [false, true].filter { new[isError: $0] != old[isError: $0] }
    guard grown.count == 2, !isIncomplete else { return grown.map { ($0, new[isError: $0]) } }
    var ends: [Bool: ArraySlice<Int64>] = [:]
    for isError in grown {
      let counts = stretches.filter { $0.isError == isError }.map(\.count)
      let (start, end) = (old[isError: isError], new[isError: isError])
      ends[isError] =
        (counts.count > 1 ? lineEnds(counts, start, end) { content(isError, $0) } : nil)
        ?? [Int64](repeating: start, count: max(counts.count - 1, 0))[...] + [end]
    }
    var present = old
    var growths: [(isError: Bool, size: Int64)] = []
    for isError in stretches.map(\.isError) + [false, true] {
      guard let size = ends[isError]?.popFirst(), size != present[isError: isError] else { continue }
      present[isError: isError] = size
      growths.append((isError, size))
    }
    return growths
  }

  /// Returns where each stretch of a stream ends if each write was a line, or nil if not.
  private func lineEnds(
    _ counts: [Int], _ start: Int64, _ end: Int64, content: (Range<Int64>) -> [UInt8]?
  ) -> ArraySlice<Int64>? {
    guard end > start, end - start <= Self.longestContent, let bytes = content(start..<end) else { return nil }
    var lines = bytes.indices.filter { bytes[$0] == 0x0A }.map { start + Int64($0) + 1 }
    // The last line may be continued later.
    if bytes.last != 0x0A { lines.append(end) }
    guard lines.count == counts.reduce(0, +) else { return nil }
    var done = 0
    return counts.map { count in
      done += count
      return lines[done - 1]
    }[...]
  }
}
