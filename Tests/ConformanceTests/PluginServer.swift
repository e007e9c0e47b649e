import Foundation
import OperatingSystem
import Synchronization

/// A server on loopback for one test, which answers each path with the bytes it was given, exactly as they are.
final class PluginServer: Sendable {
  /// What the server sends for a path.
  enum Answer: Sendable {
    /// A whole response with this body.
    case body([UInt8])
    /// A response that promises more of the body than it sends.
    case truncated([UInt8])
    /// A redirect to another path.
    case redirect(String)
    /// Nothing, on a connection that stays open.
    case silence
    /// A body without an end.
    case endless
  }

  private struct State {
    var answers: [String: Answer] = [:]
    var requests: [String] = []
  }

  private final class Shared: Sendable { let state = Mutex(State()) }

  private let listener: Int32
  private let port: UInt16
  private let shared = Shared()

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failure = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) != 0 || listen(listener, 64) != 0 || getsockname(listener, $0, &length) != 0
      }
    }
    guard listener >= 0, !failure else { throw SystemError("bind", errno) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    let shared = shared
    try SystemThread.detach("plugin-server") {
      while true {
        let connection = accept(listener, nil, nil)
        if connection >= 0 {
          _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
          _ = try? SystemThread.detach("plugin-answer") { Self.answer(connection, shared) }
        } else if ![EINTR, ECONNABORTED, EMFILE, ENFILE].contains(errno) {
          break
        }
      }
      close(listener)
    }
  }

  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  /// The URL of a path, which begins with `/`.
  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Sets the answer for a path; for others it is 404.
  func answer(_ path: String, _ answer: Answer) { shared.state.withLock { $0.answers[path] = answer } }

  /// The paths that were requested, in order.
  var requests: [String] { shared.state.withLock { $0.requests } }

  private static func answer(_ connection: Int32, _ shared: Shared) {
    defer { close(connection) }
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while head.firstRange(of: Array("\r\n\r\n".utf8)) == nil {
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      head += buffer[..<count]
    }
    let words = String(decoding: head, as: UTF8.self).split(separator: " ", maxSplits: 2)
    let path = words.count > 1 ? String(words[1]) : ""
    let answer = shared.state.withLock { state in
      state.requests.append(path)
      return state.answers[path]
    }
    switch answer {
    case .body(let body): send(connection, "200 OK", body, length: body.count)
    case .truncated(let body): send(connection, "200 OK", body, length: body.count + 1000)
    case .redirect(let target): send(connection, "302 Found\r\nLocation: \(target)", [], length: 0)
    case .silence: _ = recv(connection, &buffer, 1, 0)
    case .endless:
      send(connection, "200 OK", [], length: nil)
      let piece = [UInt8](repeating: 0, count: 1 << 20)
      while Glibc.send(connection, piece, piece.count, Int32(MSG_NOSIGNAL)) > 0 {}
    case nil: send(connection, "404 Not Found", [], length: 0)
    }
  }

  private static func send(_ connection: Int32, _ status: String, _ body: [UInt8], length: Int?) {
    let field = length.map { "Content-Length: \($0)\r\n" } ?? ""
    let bytes = Array("HTTP/1.1 \(status)\r\n\(field)Connection: close\r\n\r\n".utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      sent += count
    }
  }
}
