/// The time limits of a child host.
package struct ChildTimeLimits: Hashable, Sendable {
  /// From the start until the plugin is loaded. `open` alone may take a second.
  package var start = Duration.seconds(15)
  /// The interval between pings while the child has instances. A child that has not answered for two intervals is ended.
  package var ping = Duration.seconds(5)
  /// How much longer than an instance's grace period the host waits for the child to end the instance.
  package var stopMargin = Duration.seconds(1)
  /// The time for ending all instances and itself, when asked to close.
  package var close = Duration.seconds(3)
  /// From SIGTERM to SIGKILL.
  package var terminate = Duration.seconds(1)

  package init() {}
}
