import Glibc
import Synchronization

/// A separate, empty network on this computer, for tests that change links and routes. It is released with the last reference.
final class NetworkNamespace: Sendable {
  private let descriptor: Int32

  /// Whether this process may create a namespace and has the tools to change it.
  static let isPossible: Bool =
    runCommand("unshare", "--net", "ip", "link", "add", "near", "type", "veth", "peer", "name", "far") == 0
    && runCommand("nsenter", "-V") == 0

  private init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Creates a namespace and calls `body` on a thread inside it. Returns nil if that is not possible.
  static func make<Value: Sendable>(
    with body: @escaping @Sendable () -> Value
  ) async -> (namespace: NetworkNamespace, value: Value)? {
    await withCheckedContinuation { continuation in
      let work = Work {
        guard leaveNetwork() else { return continuation.resume(returning: nil) }
        let descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return continuation.resume(returning: nil) }
        continuation.resume(returning: (NetworkNamespace(descriptor), body()))
      }
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { argument in
          if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
          return nil
        }, Unmanaged.passRetained(work).toOpaque())
      pthread_detach(thread)
    }
  }

  /// Runs `ip` with `arguments` in the namespace.
  ///
  /// - Returns: Whether it succeeded.
  func ip(_ arguments: String) -> Bool {
    runCommand("nsenter", "--net=/proc/\(getpid())/fd/\(descriptor)", "sh", "-c", "ip \(arguments)") == 0
  }

  /// Calls `unshare(CLONE_NEWNET)`, which Swift does not import.
  private static func leaveNetwork() -> Bool {
    guard let symbol = dlsym(nil, "unshare") else { return false }
    return unsafeBitCast(symbol, to: (@convention(c) (Int32) -> Int32).self)(0x4000_0000) == 0
  }

  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
      self.body = body
    }
  }
}
