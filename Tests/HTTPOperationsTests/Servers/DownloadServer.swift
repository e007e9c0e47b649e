import Glibc
import OperationsTesting
import Synchronization

/// Serves one content, whole or from an offset, over a link with little buffering: it is never more than `window` bytes ahead of what the client has
/// stored, regardless of their speeds.
final class DownloadServer: Sendable {
  /// The repeating pattern of the content. Its length is a prime number, so that no two positions a round number of bytes apart are alike.
  private static let pattern: [UInt8] = {
    var random = SeededRandom(seed: 7)
    var bytes: [UInt8] = []
    while bytes.count < 1_048_573 { withUnsafeBytes(of: random.next()) { bytes += $0 } }
    return Array(bytes.prefix(1_048_573))
  }()

  private struct State {
    var sent = 0
    var parts = 0
    var mark: (position: Int, reached: @Sendable () -> Void)?
  }

  private let state: Shared
  private let server: FaultServer
  private let size: Int

  /// The state of the connections, which do not retain the server.
  private final class Shared: Sendable {
    let mutex = Mutex(State())
  }

  /// Creates a server.
  ///
  /// - Parameters:
  ///   - size: The length of the content.
  ///   - window: How far ahead it may be, in bytes.
  ///   - file: The file in which the client stores the content.
  /// - Throws: An error if it cannot listen.
  init(size: Int, window: Int, storedIn file: String) throws {
    let shared = Shared()
    state = shared
    self.size = size
    server = try FaultServer { connection in
      guard let head = connection.readHead() else { return }
      var position = Self.start(in: head)
      let isPart = position > 0
      connection.send(
        "HTTP/1.1 \(isPart ? "206 Partial Content" : "200 OK")\r\nETag: \"a\"\r\nContent-Length: \(size - position)\r\n"
          + (isPart ? "Content-Range: bytes \(position)-\(size - 1)/\(size)\r\n" : "") + "Connection: close\r\n\r\n")
      if isPart { shared.mutex.withLock { $0.parts += 1 } }
      while position < size {
        let room = window - (position - Self.length(of: file))
        guard room > 0 else {
          if connection.isOver(within: 1) { return }
          continue
        }
        let start = position % Self.pattern.count
        let count = min(room, size - position, Self.pattern.count - start)
        guard connection.send(Array(Self.pattern[start..<(start + count)])) else { return }
        position += count
        let reached = shared.mutex.withLock { state -> (@Sendable () -> Void)? in
          state.sent += count
          guard let mark = state.mark, mark.position <= position else { return nil }
          state.mark = nil
          return mark.reached
        }
        guard let reached else { continue }
        reached()
        // However late the client is killed, it has received no more than this.
        connection.waitForEnd()
        return
      }
      connection.endSending()
      connection.waitForEnd()
    }
  }

  var url: String { server.url }
  /// The number of bytes of the content that were sent.
  var sent: Int { state.mutex.withLock { $0.sent } }
  /// The number of connections that requested a part.
  var parts: Int { state.mutex.withLock { $0.parts } }
  /// The number of connections.
  var connections: Int { server.accepted }

  /// Calls `reached` once a connection has sent the content up to `position`, and sends nothing more on that connection.
  func mark(_ position: Int, _ reached: @escaping @Sendable () -> Void) {
    state.mutex.withLock { $0.mark = (position, reached) }
  }

  /// Returns whether a file has exactly the content.
  func isContent(of path: String) -> Bool {
    guard Self.length(of: path) == size, let file = fopen(path, "r") else { return false }
    defer { fclose(file) }
    var piece = [UInt8](repeating: 0, count: Self.pattern.count)
    var position = 0
    while position < size {
      let count = min(piece.count, size - position)
      guard fread(&piece, 1, count, file) == count, memcmp(piece, Self.pattern, count) == 0 else { return false }
      position += count
    }
    return true
  }

  private static func start(in head: String) -> Int {
    let field = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("range: bytes=") }
    return field.flatMap { Int($0.dropFirst(13).dropLast()) } ?? 0
  }

  private static func length(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
