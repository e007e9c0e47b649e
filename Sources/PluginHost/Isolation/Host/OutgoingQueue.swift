import Glibc

/// What waits to be written to a child that does not read as fast as it is written to.
struct OutgoingQueue {
  /// How much may wait.
  struct Room: Hashable, Sendable {
    /// The bytes after which new instances are turned away, and no more questions answered: two messages of the largest size.
    var limit = 2 * Frame.maximumPayload
    /// The most bytes at all: what waits when instances are turned away, one of their messages, and the answers to the questions that
    /// are being answered by then. A child that reads at all never comes near.
    var most = 3 * Frame.maximumPayload + OpenQuestions.mostRunning * Frame.maximumText
  }

  private var bytes: [UInt8] = []
  private var start = 0

  /// The bytes that wait.
  var count: Int { bytes.count - start }

  /// Writes `message`, at once as far as the socket takes it; the rest waits.
  mutating func write(_ message: [UInt8], to socket: Int32) {
    guard count == 0 else { return bytes.append(contentsOf: message) }
    let written = Self.send(message[...], to: socket)
    guard written < message.count else { return }
    bytes = Array(message[written...])
    start = 0
  }

  /// Writes what waits, as far as the socket takes it.
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

  /// How many bytes the socket took, or all of them where its other end is gone: whoever reads notices that.
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
