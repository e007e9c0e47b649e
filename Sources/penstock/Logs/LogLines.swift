import Glibc
import OperatingSystem
import PipelineService

/// Reads one log line by line while it is being written.
struct LogLines {
  struct Line {
    var bytes: ArraySlice<UInt8>
    /// Whether it ends with a line feed. Unterminated output counts as a line once nothing more is to come.
    var isEnded: Bool
    /// The offset of its end in the log, in bytes.
    var end: Int64
  }

  /// The maximum length of a line, in bytes; longer lines are read in parts, since a program may never end one.
  private static let longestLine = 1 << 16

  let source: LogSource
  /// The number of bytes that were consumed or skipped.
  private(set) var offset: Int64
  /// The bytes read beyond `offset`, and how many of them are known to contain no line feed.
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  /// The next line, until it is taken.
  private var head: Line?

  init(_ source: LogSource, from offset: Int64) {
    self.source = source
    self.offset = offset
  }

  /// Returns the next line, which stays the next one until ``take()``. `isOver` means that nothing more is to come.
  mutating func next(in descriptor: Int32, isOver: Bool) -> Line? {
    if let head { return head }
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        head = Line(bytes: buffer[start..<end], isEnded: true, end: offset + Int64(end + 1 - start))
        return head
      }
      searched = buffer.count
      let length = buffer.count - start
      guard length <= Self.longestLine else { return part(length) }
      guard fill(from: descriptor) else { return isOver && length > 0 ? part(length) : nil }
    }
  }

  private mutating func part(_ length: Int) -> Line? {
    head = Line(bytes: buffer[start...], isEnded: false, end: offset + Int64(length))
    return head
  }

  /// Consumes the next line.
  mutating func take() {
    guard let head else { return }
    start += Int(head.end - offset)
    offset = head.end
    searched = start
    self.head = nil
  }

  /// Skips bytes that were printed in another way.
  mutating func skip(_ count: Int) {
    self = LogLines(source, from: offset + Int64(count))
  }

  /// Returns whether the file is shorter than what was read of it, which means that its writer has truncated it.
  func isTruncated(to size: Int64) -> Bool { size < offset + Int64(buffer.count - start) }

  private mutating func fill(from descriptor: Int32) -> Bool {
    buffer.removeFirst(start)
    (start, searched) = (0, searched - start)
    let count = buffer.count
    buffer += [UInt8](repeating: 0, count: 1 << 16)
    let filled = buffer[count...].withUnsafeMutableBytes { buffer in
      SystemCall.retrying { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset) + off_t(count)) }
    }
    buffer.removeLast((1 << 16) - max(filled, 0))
    return filled > 0
  }
}
