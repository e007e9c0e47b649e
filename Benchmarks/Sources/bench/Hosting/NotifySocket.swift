import Glibc

/// The socket of a service manager, to which a host tells its state.
final class NotifySocket {
  /// What `NOTIFY_SOCKET` is.
  let path: String
  private let descriptor: Int32

  init(path: String) throws {
    self.path = path
    unlink(path)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw BenchError("\(path) is too long") }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let result = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    guard result == 0 else { throw BenchError("cannot listen at \(path): \(String(cString: strerror(errno)))") }
  }

  deinit {
    close(descriptor)
    unlink(path)
  }

  /// The lines of the next message; nil if none comes within so many seconds.
  func next(seconds: Double) -> [String]? {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, Int32(max(0, seconds) * 1000)) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { return nil }
    return String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
