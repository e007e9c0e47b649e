import Glibc
import OperatingSystem
import PipelineService

/// Reads one log line by line, as far as it is written.
struct LogLines {
  struct Line {
    var bytes: ArraySlice<UInt8>
    /// Whether a line feed ends it. What its program has not ended is a line when nothing more is to come.
    var isEnded: Bool
    /// How many bytes of the log there are up to its end.
    var end: Int64
  }

  /// A line that goes on for longer is read in parts: a program may never end it.
  private static let longestLine = 1 << 16

  let source: LogSource
  /// How many bytes were handed out, or passed over.
  private(set) var offset: Int64
  /// What was read behind that, and how much of it has no line feed.
  private var buffer: [UInt8] = []
  private var start = 0
  private var searched = 0
  /// The next line, until it is taken.
  private var head: Line?

  init(_ source: LogSource, from offset: Int64) {
    self.source = source
    self.offset = offset
  }

  /// The next line, which stays the next one until ``take()``. `isOver` says that nothing more is to come.
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

  /// The next line has been handed out.
  mutating func take() {
    guard let head else { return }
    start += Int(head.end - offset)
    offset = head.end
    searched = start
    self.head = nil
  }

  /// Passes over what was handed out in another way.
  mutating func skip(_ count: Int) {
    self = LogLines(source, from: offset + Int64(count))
  }

  /// Whether the file is shorter than what was read of it: whoever writes it has begun it anew.
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
