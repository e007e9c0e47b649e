import Synchronization

/// The environment of a host: what its processes inherit, which may change while it runs, and where secrets are looked up. May be used from any thread.
final class HostEnvironment: Sendable {
  /// The environment in which secrets and `$CREDENTIALS_DIRECTORY` are looked up.
  let secrets: ProcessEnvironment
  private let current: Mutex<ProcessEnvironment>

  init(inherited: ProcessEnvironment, secrets: ProcessEnvironment) {
    self.secrets = secrets
    current = Mutex(inherited)
  }

  /// The environment that processes started from now on inherit.
  var inherited: ProcessEnvironment {
    get { current.withLock { $0 } }
    set { current.withLock { $0 = newValue } }
  }
}
