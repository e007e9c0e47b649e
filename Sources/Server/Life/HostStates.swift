/// Who wants to know how far a host has come: a service manager, or a test.
package struct HostStates: Sendable {
  /// How far it has come.
  package enum State: Sendable, Hashable {
    /// It waits for the end of another host.
    case standby(String)
    case ready
    case draining
    case stopped
  }

  private let onChange: @Sendable (State) -> Void

  package init(_ onChange: @escaping @Sendable (State) -> Void = { _ in }) {
    self.onChange = onChange
  }

  func change(to state: State) { onChange(state) }
}
