import Glibc

/// A queue of bytes for a child that reads more slowly than they are written.
struct OutgoingQueue {
  /// The limits of the queue.
  struct Room: Hashable, Sendable {
    /// The number of bytes above which new instances are rejected and no more questions are answered: two messages of the maximum size.
    var limit = 2 * Frame.maximumPayload
    /// The maximum number of bytes: those waiting when instances are rejected, one more message, and the answers to the questions being answered by
    /// then. A child that reads at all never comes close.
    var most = 3 * Frame.maximumPayload + OpenQuestions.mostRunning * Frame.maximumText
  }

  private var bytes: [UInt8] = []
  private var start = 0

  /// The number of waiting bytes.
  var count: Int { bytes.count - start }

  /// Writes as much of `message` as the socket accepts at once, and queues the rest.
  mutating func write(_ message: [UInt8], to socket: Int32) {
    guard count == 0 else { return bytes.append(contentsOf: message) }
    let written = Self.send(message[...], to: socket)
    guard written < message.count else { return }
    bytes = Array(message[written...])
    start = 0
  }

  /// Writes as many queued bytes as the socket accepts.
  mutating func writeMore(to socket: Int32) {
    start += Self.send(bytes[start...], to: socket)
    if start == bytes.count {
      bytes = []
      start = 0
    } else if start > max(1 << 20, bytes.count / 2) {
      bytes.removeSubrange(..<start)
      start = 0
    }
  }

  /// Returns how many bytes the socket accepted, or all if its other end is closed: the reading side notices that.
  private static func send(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Int {
    bytes.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        let count = Glibc.send(socket, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
        if count >= 0 {
          offset += count
        } else if errno == EAGAIN {
          return offset
        } else if errno != EINTR {
          return bytes.count
        }
      }
      return offset
    }
  }
}
