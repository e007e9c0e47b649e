/// Who wants to know how far a host has come, and what it does: a service manager, or a test.
package struct HostStates: Sendable {
  /// How far it has come.
  package enum State: Sendable, Hashable {
    /// It waits for the end of another host.
    case standby(String)
    /// It starts, and waits until it can write: told again and again.
    case stillStarting
    case ready
    /// It reads its configuration and its pipelines anew, and is ready then.
    case reloading
    case draining
    /// It drains, and is not done: told again and again.
    case stillDraining
    case stopped
  }

  /// How often it is told that the host still starts, or drains.
  static let reminder = Duration.seconds(10)

  private let onChange: @Sendable (State) -> Void
  /// Told in one line what the host does, when that has changed, at most once a second; nil where nobody wants to know.
  package var onStatus: (@Sendable (String) -> Void)?
  /// What a watchdog hears while the host works, and how often; nil without one.
  package var pulse: (interval: Duration, beat: @Sendable () -> Void)?

  package init(_ onChange: @escaping @Sendable (State) -> Void = { _ in }) {
    self.onChange = onChange
  }

  /// Those of a service manager.
  package init(telling manager: ServiceManager) {
    onChange = { manager.tell($0) }
    guard manager.isThere else { return }
    onStatus = { manager.tell("STATUS=\($0)") }
    pulse = manager.watchdogInterval.map { ($0, { manager.tell("WATCHDOG=1") }) }
  }

  func change(to state: State) { onChange(state) }
}
