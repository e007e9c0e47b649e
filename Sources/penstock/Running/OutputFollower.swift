import Glibc
import OperatingSystem
import RunHistory

/// Follows the output of a run's processes, and passes it on line by line.
///
/// If an attempt writes nothing, its file is reused by a later one, whose lines could be mistaken for its own. So output is passed on only at the
/// next check, when it is known whether the attempt had already ended.
final class OutputFollower {
  /// A file being followed.
  private struct Source {
    let instance: Instance
    let name: String
    let isError: Bool
    let path: String
    var offset: Int64 = 0
    /// Bytes read at the last check, and not yet passed on.
    var held: [UInt8] = []
    /// The beginning of an incomplete line.
    var partial: [UInt8] = []
  }

  /// A line without its line feed, and the offset of its end in the file, in bytes.
  private struct Line {
    let bytes: ArraySlice<UInt8>
    let end: Int64
  }

  private struct Instance: Hashable {
    let run: RunID
    let ordinal: Int
  }

  private let workspace: String
  private let onLine: (_ name: String, _ isError: Bool, _ line: String) -> Void
  private var sources: [Source] = []
  private var indexes: [RunID: LogIndex] = [:]
  /// The latest ended attempt of each instance: its end is reported again with the delay before the next one.
  private var ended: [Instance: Int] = [:]

  /// The maximum length of a line, in bytes; longer lines are passed on in parts, since a program may never end one.
  private static let longestLine = 1 << 16
  /// The maximum number of bytes read from a file per check, so that a file that keeps growing does not hold up the others.
  private static let mostAtOnce = 1 << 20

  /// Creates a follower. `workspace` is the absolute path of the workspace; lines are passed on ready for display.
  init(workspace: String, onLine: @escaping (_ name: String, _ isError: Bool, _ line: String) -> Void) {
    self.workspace = workspace
    self.onLine = onLine
  }

  /// Whether there is anything to check periodically.
  var isFollowing: Bool { !sources.isEmpty }

  /// Begins to follow an attempt whose process has started.
  func begin(_ run: RunID, _ ordinal: Int, name: String, standardOutput: String, standardError: String) {
    let instance = Instance(run: run, ordinal: ordinal)
    sources.append(Source(instance: instance, name: name, isError: false, path: standardOutput))
    sources.append(Source(instance: instance, name: name, isError: true, path: standardError))
  }

  /// Passes on the remaining output of an attempt that has ended; for an attempt without a process, such as a plugin's, all of it.
  func end(_ attempt: AttemptRecord, name: String) {
    let instance = Instance(run: attempt.run, ordinal: attempt.ordinal)
    guard ended.updateValue(attempt.number, forKey: instance) != attempt.number else { return }
    for (path, isError) in [(attempt.standardOutput, false), (attempt.standardError, true)] {
      guard let path, !sources.contains(where: { $0.instance == instance && $0.path == path }) else { continue }
      sources.append(Source(instance: instance, name: name, isError: isError, path: path))
    }
    var own = sources.filter { source in
      source.instance == instance && source.path == (source.isError ? attempt.standardError : attempt.standardOutput)
    }
    sources.removeAll { $0.instance == instance }
    handOn(&own)
    while read(&own) { handOn(&own) }
    handOn(&own, isLast: true)
  }

  /// Checks for new output.
  func look() {
    var all = sources
    sources = []
    while let first = all.first {
      // Both streams of an attempt are adjacent.
      var own = Array(all.prefix { $0.instance == first.instance })
      all.removeFirst(own.count)
      handOn(&own)
      _ = read(&own)
      sources += own
    }
  }

  /// Reads the next chunk of each source; returns whether there is more.
  private func read(_ own: inout [Source]) -> Bool {
    var hasMore = false
    for index in own.indices where read(&own[index]) { hasMore = true }
    return hasMore
  }

  /// Reads the next chunk; returns whether there is more.
  private func read(_ source: inout Source) -> Bool {
    guard let descriptor = try? RunFilePath.open(source.path, in: workspace).duplicate() else { return false }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) == 0, Int64(status.st_size) < source.offset {
      // Its process has truncated the file, as `> /dev/stderr` in a shell does, and writes from the start. What was read before is complete.
      if !source.held.isEmpty || !source.partial.isEmpty {
        var former = [source]
        handOn(&former, isLast: true)
        (source.held, source.partial) = ([], [])
      }
      source.offset = 0
    }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while source.held.count < Self.mostAtOnce {
      let offset = off_t(source.offset)
      let count = chunk.withUnsafeMutableBytes { buffer in
        SystemCall.retrying { pread(descriptor, buffer.baseAddress, buffer.count, offset) }
      }
      guard count > 0 else { return false }
      source.held += chunk[..<count]
      source.offset += Int64(count)
    }
    return true
  }

  /// Passes on the lines that were read, in the order in which they were written, as far as that is known. With `isLast`, this includes an unterminated line.
  private func handOn(_ own: inout [Source], isLast: Bool = false) {
    var lines: [(source: Source, lines: ArraySlice<Line>)] = []
    for index in own.indices where !own[index].held.isEmpty || isLast && !own[index].partial.isEmpty {
      lines.append((own[index], takeLines(&own[index], isLast: isLast)[...]))
    }
    guard lines.count > 1 else {
      for (source, lines) in lines { for line in lines { show(line.bytes, of: source) } }
      return
    }
    let index = self.index(of: lines[0].source.instance.run)
    let names = lines.map { RunFilePath($0.source.path).flatMap { LogName($0.name) } }
    func place(_ position: Int) -> Int? {
      guard let line = lines[position].lines.first else { return nil }
      return names[position].flatMap { index.mark(of: $0, covering: line.end)?.sequence } ?? Int.max
    }
    while let next = lines.indices.filter({ place($0) != nil }).min(by: { place($0) ?? 0 < place($1) ?? 0 }) {
      if let line = lines[next].lines.popFirst() { show(line.bytes, of: lines[next].source) }
    }
  }

  /// Returns the current log index of a run.
  private func index(of run: RunID) -> LogIndex {
    if let known = indexes[run] {
      known.refresh()
      return known
    }
    let index = LogIndex(of: run, in: workspace)
    indexes[run] = index
    return index
  }

  private func takeLines(_ source: inout Source, isLast: Bool) -> [Line] {
    let bytes = source.partial + source.held
    var end = source.offset - Int64(bytes.count)
    var rest = bytes[...]
    source.held = []
    var lines: [Line] = []
    while let feed = rest.firstIndex(of: 0x0A) {
      end += Int64(feed + 1 - rest.startIndex)
      lines.append(Line(bytes: rest[..<feed], end: end))
      rest = rest[(feed + 1)...]
    }
    while rest.count > Self.longestLine {
      end += Int64(Self.longestLine)
      lines.append(Line(bytes: rest.prefix(Self.longestLine), end: end))
      rest = rest.dropFirst(Self.longestLine)
    }
    if isLast, !rest.isEmpty {
      lines.append(Line(bytes: rest, end: source.offset))
      rest = []
    }
    source.partial = Array(rest)
    return lines
  }

  private func show(_ line: some Collection<UInt8>, of source: Source) {
    onLine(source.name, source.isError, LogTail.visible(String(decoding: line, as: UTF8.self)))
  }
}
