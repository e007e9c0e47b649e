/// Converts a child's output to log lines, limited to what a person may want to read.
struct ChildOutput {
  /// The number of bytes after which the rest of a line is dropped.
  static let longestLine = 4096

  private var line: [UInt8] = []
  private var isCut = false
  private var limit = LineLimit()
  /// The last line that is not blank.
  private(set) var lastLine: String?

  /// Appends bytes that were read at `now`, in nanoseconds, and calls `tell` with the complete lines.
  mutating func append(_ bytes: UnsafeRawBufferPointer, now: Int64, tell: (String) -> Void) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        finishLine(now: now, tell)
      } else if line.count < Self.longestLine {
        line.append(byte)
      } else {
        isCut = true
      }
    }
  }

  /// Called when the child has ended: its last output may be an incomplete line.
  mutating func finish(now: Int64, tell: (String) -> Void) {
    if !line.isEmpty { finishLine(now: now, tell) }
    for line in limit.finish() { tell(line) }
  }

  private mutating func finishLine(now: Int64, _ tell: (String) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      isCut = false
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    guard line.contains(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) else { return }
    let text = String(decoding: line, as: UTF8.self) + (isCut ? "…" : "")
    lastLine = text
    for line in limit.take(text, now: now) { tell(line) }
  }
}
