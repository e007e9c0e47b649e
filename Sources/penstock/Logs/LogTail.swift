import Glibc
import PipelineLanguage
import RunHistory

/// The last lines of a log.
enum LogTail {
  /// The columns that a line may take: four rows of a usual terminal. Programs that print all they know on one line would bury everything else.
  private static let longestLine = 300

  /// What an attempt said last: at most `count` lines, cut where they are long, and made harmless for a terminal. Where it wrote to both streams, half of them are
  /// of each, behind `|` for standard output and `!` for standard error; which of them came first, their files do not say.
  static func lines(of attempt: AttemptRecord?, workspace: String, count: Int = 10) -> [String] {
    let tails = [attempt?.standardOutput, attempt?.standardError].map { path in
      path.map { lines(ofFile: $0, workspace: workspace, count: count) } ?? []
    }
    guard !tails[0].isEmpty, !tails[1].isEmpty else { return tails[0] + tails[1] }
    // What one stream leaves free is the other one's.
    let errors = min(tails[1].count, max(count / 2, count - tails[0].count))
    return tails[0].suffix(count - errors).map { "| \($0)" } + tails[1].suffix(errors).map { "! \($0)" }
  }

  private static func lines(ofFile path: String, workspace: String, count: Int) -> [String] {
    guard let descriptor = try? RunFilePath.open(path, in: workspace).duplicate() else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_size > 0 else { return [] }
    // Enough for ten long lines; of a longer last line the beginning is left out.
    var bytes = [UInt8](repeating: 0, count: min(Int(status.st_size), 16 << 10))
    let start = Int(status.st_size) - bytes.count
    let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(start)) }
    guard read > 0 else { return [] }
    var lines = bytes[..<read].split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    // What was read begins within a line.
    let cut = start > 0 ? lines.startIndex : nil
    return lines.indices.suffix(count).map { index in
      let line = visible(String(decoding: lines[index], as: UTF8.self))
      return index == cut
        ? TerminalText.fittedEnd("…" + line, width: longestLine) : TerminalText.fitted(line, width: longestLine)
    }
  }

  /// A line of a log as it may be shown: tabs become blanks, what acts on a terminal becomes text.
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
