import Glibc
import OperatingSystem
import RunHistory

/// Follows what the processes of a run write, and hands it on line by line.
///
/// Of an attempt that writes nothing the file is used again by a later one, whose lines would be taken for its own. So what is read is handed on only with the
/// next look, when it is known whether the attempt had ended by then.
final class OutputFollower {
  /// One file that is followed.
  private struct Source {
    let instance: Instance
    let name: String
    let isError: Bool
    let path: String
    var offset: Int64 = 0
    /// What was read at the last look, and is not handed on yet.
    var held: [UInt8] = []
    /// The beginning of a line whose end has not come.
    var partial: [UInt8] = []
  }

  /// A line without its line feed, and how many bytes of the file there are up to its end.
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
  /// The latest attempt of each instance that has ended: its end is told again with the delay before the next one.
  private var ended: [Instance: Int] = [:]

  /// A line that goes on for longer is handed on in parts: a program may never end it.
  private static let longestLine = 1 << 16
  /// How much of a file is read at a look, so that one that is written without end does not keep the others waiting.
  private static let mostAtOnce = 1 << 20

  /// Follows nothing yet. `workspace` is the absolute path of the workspace; lines are handed on as they are to be shown.
  init(workspace: String, onLine: @escaping (_ name: String, _ isError: Bool, _ line: String) -> Void) {
    self.workspace = workspace
    self.onLine = onLine
  }

  /// Whether there is anything to look at from time to time.
  var isFollowing: Bool { !sources.isEmpty }

  /// The process of an attempt has begun.
  func begin(_ run: RunID, _ ordinal: Int, name: String, standardOutput: String, standardError: String) {
    let instance = Instance(run: run, ordinal: ordinal)
    sources.append(Source(instance: instance, name: name, isError: false, path: standardOutput))
    sources.append(Source(instance: instance, name: name, isError: true, path: standardError))
  }

  /// The attempt has ended: hands on the rest of what it wrote. Of one without a process, such as a plugin's, that is all.
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

  /// Looks for what has been written since the last time.
  func look() {
    var all = sources
    sources = []
    while let first = all.first {
      // Both streams of an attempt stand together.
      var own = Array(all.prefix { $0.instance == first.instance })
      all.removeFirst(own.count)
      handOn(&own)
      _ = read(&own)
      sources += own
    }
  }

  /// Reads the next piece of each; true where there is more.
  private func read(_ own: inout [Source]) -> Bool {
    var hasMore = false
    for index in own.indices where read(&own[index]) { hasMore = true }
    return hasMore
  }

  /// Reads the next piece; true where there is more.
  private func read(_ source: inout Source) -> Bool {
    guard let descriptor = try? RunFilePath.open(source.path, in: workspace).duplicate() else { return false }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) == 0, Int64(status.st_size) < source.offset {
      // Its process has truncated it, as `> /dev/stderr` of a shell does, and goes on from the beginning. What was read before is whole.
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

  /// Hands on the lines that were read, in the order in which they were written, as far as that is known. With `isLast`, what has no end is a line as well.
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

  /// With what is known of the run by now.
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
