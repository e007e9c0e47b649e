import Glibc
import Values

/// Reports the progress of the host to the service manager that started the process, as in `sd_notify(3)`; does nothing without one.
package struct ServiceManager: Sendable {
  /// The path of the manager's socket; an abstract one begins with `@`.
  private let path: String?

  /// - Parameter variable: Returns an environment variable.
  package init(variable: (String) -> String?) {
    path = variable("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    // A variable that is meant for another process contains its id.
    let isForThis = variable("WATCHDOG_PID").map { $0 == String(getpid()) } ?? true
    watchdogInterval =
      isForThis
      ? variable("WATCHDOG_USEC").flatMap(Int64.init).flatMap { $0 > 1 ? .microseconds($0 / 2) : nil } : nil
  }

  /// Whether a variable is meant for this process.
  package static func isOwn(_ name: String) -> Bool {
    names.contains(name) || ["LISTEN_", "WATCHDOG_", "MEMORY_PRESSURE_"].contains { name.hasPrefix($0) }
  }

  private static let names: Set = [
    "NOTIFY_SOCKET", "CREDENTIALS_DIRECTORY", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID",
  ]

  /// The interval for notifying the manager's watchdog: half the time after which it would restart the service. Nil without a watchdog.
  package let watchdogInterval: Duration?

  /// Whether a manager has started the process.
  package var isThere: Bool { path != nil }

  /// Reports the progress of the host.
  package func tell(_ state: HostStates.State) {
    switch state {
    case .standby(let holder): tell("READY=1", "STATUS=waiting for the end of \(holder)")
    case .ready: tell("READY=1")
    case .reloading:
      var now = timespec()
      clock_gettime(CLOCK_MONOTONIC, &now)
      tell("RELOADING=1", "MONOTONIC_USEC=\(Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000)")
    case .draining: tell("STOPPING=1", Self.extension)
    case .stillStarting, .stillDraining: tell(Self.extension)
    case .stopped: tell("STATUS=stopped")
    }
  }

  /// Asks the manager to allow three times the interval until the next report.
  private static var `extension`: String {
    "EXTEND_TIMEOUT_USEC=\(HostStates.reminder.components.seconds * 3_000_000)"
  }

  /// Sends lines such as `READY=1`. A message that cannot be sent is lost; the manager will notice.
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
    // An abstract name has no terminator, a path ends with a zero.
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
