/// The receiver of a host's progress and work: a service manager, or a test.
package struct HostStates: Sendable {
  /// The progress of a host.
  package enum State: Sendable, Hashable {
    /// It waits for the end of another host.
    case standby(String)
    /// It is starting, and waits until it can write; sent repeatedly.
    case stillStarting
    case ready
    /// It reloads its configuration and its pipelines, and is ready after that.
    case reloading
    case draining
    /// It is draining; sent repeatedly until it is done.
    case stillDraining
    case stopped
  }

  /// The interval at which a starting or draining host reports its state again.
  static let reminder = Duration.seconds(10)

  private let onChange: @Sendable (State) -> Void
  /// Called with one line about the work of the host when it has changed, at most once a second; nil if not wanted.
  package var onStatus: (@Sendable (String) -> Void)?
  /// The watchdog to notify while the host works, and the interval; nil without one.
  package var pulse: (interval: Duration, beat: @Sendable () -> Void)?

  package init(_ onChange: @escaping @Sendable (State) -> Void = { _ in }) {
    self.onChange = onChange
  }

  /// The states for a service manager.
  package init(telling manager: ServiceManager) {
    onChange = { manager.tell($0) }
    guard manager.isThere else { return }
    onStatus = { manager.tell("STATUS=\($0)") }
    pulse = manager.watchdogInterval.map { ($0, { manager.tell("WATCHDOG=1") }) }
  }

  func change(to state: State) { onChange(state) }
}
