/// How long a child host may take.
package struct ChildTimeLimits: Hashable, Sendable {
  /// From its start until its plugin is loaded. `open` alone may take a second.
  package var start = Duration.seconds(15)
  /// Between two looks at whether it still answers, while it has instances. One that has not answered for two such spans is ended.
  package var ping = Duration.seconds(5)
  /// How much longer than an instance's grace the host waits for the child to end the instance.
  package var stopMargin = Duration.seconds(1)
  /// For ending all instances and itself, when it is asked to.
  package var close = Duration.seconds(3)
  /// From SIGTERM to SIGKILL.
  package var terminate = Duration.seconds(1)

  package init() {}
}
