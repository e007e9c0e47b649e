import PluginKit
import Schedules

/// Tells of changes at instants that are known before.
enum ChangeTimer {
  /// Calls `onChange` at each instant that `next` gives for the present one, until the subscription ends or there is none.
  static func subscribe(
    in context: OperationContext, next: @escaping @Sendable (UnixTime) -> UnixTime?,
    onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let clock = context.pluginClock
    let task = Task {
      while let change = next(clock.now().seconds) {
        // Where the clock was set back meanwhile the change may be another one.
        try await clock.sleep(atMostUntil: Timestamp(seconds: change))
        onChange()
      }
    }
    return OperationSubscription { task.cancel() }
  }
}
