import Glibc
import PipelineLanguage
import RunHistory

/// Reads the last lines of a log.
enum LogTail {
  /// The maximum width of a line in columns: four rows of a typical terminal. Programs that print everything on one line would hide all else.
  private static let longestLine = 300

  /// A line, and the offset of its end in the log, in bytes.
  private struct Line {
    let text: String
    let end: Int64
    var isError = false
  }

  /// The minimum number of lines shown of a stream.
  private static let leastOfStream = 3

  /// Returns the last output of an attempt: at most `count` lines, truncated and safe to print to a terminal. If it wrote to both streams, the lines
  /// are in the order in which they were written, at least three of each, after `|` for standard output and `!` for standard error. If no index has
  /// the order, half of them are from each.
  static func lines(of attempt: AttemptRecord?, workspace: String, count: Int = 10) -> [String] {
    guard let attempt else { return [] }
    let paths = [attempt.standardOutput, attempt.standardError].map { $0.flatMap(RunFilePath.init) }
    var tails = paths.map { path in path.map { lines(of: $0, workspace: workspace, count: count) } ?? [] }
    guard !tails[0].isEmpty, !tails[1].isEmpty else { return (tails[0] + tails[1]).map(\.text) }
    for index in tails[1].indices { tails[1][index].isError = true }
    return (ordered(tails, of: attempt, paths, workspace, count) ?? halves(tails, count)).map {
      "\($0.isError ? "!" : "|") \($0.text)"
    }
  }

  private static func halves(_ tails: [[Line]], _ count: Int) -> [Line] {
    // Lines that one stream does not need are given to the other.
    let errors = min(tails[1].count, max(count / 2, count - tails[0].count))
    return Array(tails[0].suffix(count - errors) + tails[1].suffix(errors))
  }

  private static func ordered(
    _ tails: [[Line]], of attempt: AttemptRecord, _ paths: [RunFilePath?], _ workspace: String, _ count: Int
  ) -> [Line]? {
    let logs = paths.compactMap { $0.flatMap { LogName($0.name) } }
    guard logs.count == 2 else { return nil }
    let index = LogIndex(
      of: attempt.run, in: workspace, logs: [attempt.standardOutput, attempt.standardError].compactMap { $0 })
    guard logs.allSatisfy(index.knows) else { return nil }
    func place(_ line: Line) -> Int {
      index.mark(of: logs[line.isError ? 1 : 0], covering: line.end)?.sequence ?? Int.max
    }
    var lines: [Line] = []
    var (outputs, errors) = (tails[0][...], tails[1][...])
    while let output = outputs.first, let error = errors.first {
      if place(error) < place(output) {
        lines.append(error)
        errors.removeFirst()
      } else {
        lines.append(output)
        outputs.removeFirst()
      }
    }
    lines += outputs + errors
    // The last lines, but a stream that has long been silent is not left out.
    var (rest, kept) = (count, [Int]())
    var left = [min(leastOfStream, tails[0].count), min(leastOfStream, tails[1].count)]
    for index in lines.indices.reversed() {
      let stream = lines[index].isError ? 1 : 0
      guard left[stream] > 0 || rest > left[0] + left[1] else { continue }
      left[stream] = max(0, left[stream] - 1)
      rest -= 1
      kept.append(index)
      if rest == 0 { break }
    }
    return kept.reversed().map { lines[$0] }
  }

  private static func lines(of path: RunFilePath, workspace: String, count: Int) -> [Line] {
    guard let descriptor = try? path.open(in: workspace).duplicate() else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
    // Enough for ten long lines; the beginning of a longer last line is cut off.
    var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), 16 << 10))
    let start = Int(status.st_size) - bytes.count
    let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
    guard read > 0 else { return [] }
    var lines = bytes[..<read].split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    // The first line is incomplete.
    let cut = start > 0 ? lines.startIndex : nil
    return lines.indices.suffix(count).map { index in
      let line = visible(String(decoding: lines[index], as: UTF8.self))
      let text =
        index == cut
        ? TerminalText.fittedEnd("…" + line, width: longestLine) : TerminalText.fitted(line, width: longestLine)
      // Including its line feed, if it has one.
      return Line(text: text, end: Int64(start + min(lines[index].endIndex + 1, read)))
    }
  }

  /// Returns the offset of the last lines of a file.
  static func start(ofLast lines: Int, in descriptor: Int32) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return 0 }
    var end = Int64(status.st_size)
    guard lines > 0 else { return end }
    var left = lines
    var isLast = true
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while end > 0 {
      let length = min(Int64(chunk.count), end)
      let count = chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, Int(length), off_t(end - length)) }
      guard count == length else { return 0 }
      for index in stride(from: count - 1, through: 0, by: -1) where chunk[index] == 0x0A {
        // A line feed at the end of the file terminates the last line.
        if isLast, end == Int64(status.st_size), index == count - 1 { continue }
        left -= 1
        if left == 0 { return end - length + Int64(index) + 1 }
      }
      isLast = false
      end -= length
    }
    return 0
  }

  /// Returns a line of a log in a form that is safe to display: tabs become spaces, and control characters are escaped.
  static func visible(_ line: String) -> String {
    guard line.utf8.contains(where: { $0 < 0x20 || $0 >= 0x7F }) else { return line }
    var text = line
    if text.unicodeScalars.last == "\r" { text.unicodeScalars.removeLast() }
    if text.unicodeScalars.contains("\t") {
      text = text.split(separator: "\t", omittingEmptySubsequences: false).joined(separator: "    ")
    }
    return TerminalText.visible(text)
  }
}
