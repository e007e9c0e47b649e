import Glibc
import OperationsTesting
import Synchronization

/// Serves one content, whole or from a byte on, over a link that holds little: it is never more than `window` bytes
/// ahead of what the client has stored, however fast one of them runs.
final class DownloadServer: Sendable {
  /// The content is this, again and again. The length is a prime number, so that no two places that are a round number
  /// of bytes apart are alike.
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

  /// What the connections know; they do not keep the server.
  private final class Shared: Sendable {
    let mutex = Mutex(State())
  }

  /// A server.
  ///
  /// - Parameters:
  ///   - size: The length of the content.
  ///   - window: How far it is ahead at most, in bytes.
  ///   - file: Where the client stores what it has.
  /// - Throws: Where nothing can listen.
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
        // However late the client is killed, it has not got further.
        connection.waitForEnd()
        return
      }
      connection.endSending()
      connection.waitForEnd()
    }
  }

  var url: String { server.url }
  /// How many bytes of the content were sent.
  var sent: Int { state.mutex.withLock { $0.sent } }
  /// How many connections asked for a part.
  var parts: Int { state.mutex.withLock { $0.parts } }
  /// How many connections there were.
  var connections: Int { server.accepted }

  /// Calls `reached` once a connection has sent the content up to `position`, and sends nothing more on that connection.
  func mark(_ position: Int, _ reached: @escaping @Sendable () -> Void) {
    state.mutex.withLock { $0.mark = (position, reached) }
  }

  /// Whether a file has the content, and nothing else.
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
