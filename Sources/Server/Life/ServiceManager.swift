import Glibc
import Values

/// Tells the service manager that has started the process how far it is, as `sd_notify(3)` says; nothing where none has.
package struct ServiceManager: Sendable {
  /// The path of the manager's socket; an abstract one begins with `@`.
  private let path: String?

  /// - Parameter variable: What the environment has under a name.
  package init(variable: (String) -> String?) {
    path = variable("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
  }

  /// The names of variables that are for this process alone.
  package static let variables = [
    "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES",
    "CREDENTIALS_DIRECTORY", "INVOCATION_ID", "JOURNAL_STREAM", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE",
    "SYSTEMD_EXEC_PID",
  ]

  /// Sends lines such as `READY=1`. What cannot be sent is lost: the manager will notice.
  package func tell(_ lines: String...) {
    guard let path else { return }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
    withUnsafeMutableBytes(of: &address.sun_path) { target in
      target.copyBytes(from: bytes)
      if bytes[0] == UInt8(ascii: "@") { target[0] = 0 }
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // An abstract name ends where it ends, a path with a zero.
    let isAbstract = bytes[0] == UInt8(ascii: "@")
    let size = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + bytes.count + (isAbstract ? 0 : 1) } ?? 0
    let text = lines.joined(separator: "\n")
    _ = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        sendto(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL), pointer, socklen_t(size))
      }
    }
  }
}
