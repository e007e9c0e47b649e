import Synchronization

/// The environment of a host: what its processes inherit, which may change while it runs, and where secrets of the environment are looked up. Any thread.
final class HostEnvironment: Sendable {
  /// Where secrets of the environment, and `$CREDENTIALS_DIRECTORY`, are looked up.
  let secrets: ProcessEnvironment
  private let current: Mutex<ProcessEnvironment>

  init(inherited: ProcessEnvironment, secrets: ProcessEnvironment) {
    self.secrets = secrets
    current = Mutex(inherited)
  }

  /// What processes inherit that start from now on.
  var inherited: ProcessEnvironment {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
