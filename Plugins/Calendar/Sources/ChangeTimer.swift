import PluginKit
import Schedules

/// Notifies of changes at instants that are known in advance.
enum ChangeTimer {
  /// Calls `onChange` at each instant that `next` returns for the present one, until the subscription ends or there is none.
  static func subscribe(
    in context: OperationContext, next: @escaping @Sendable (UnixTime) -> UnixTime?,
    onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let clock = context.pluginClock
    let task = Task {
      while let change = next(clock.now().seconds) {
        // If the clock was set back meanwhile, the next change may be a different one.
        try await clock.sleep(atMostUntil: Timestamp(seconds: change))
        onChange()
      }
    }
    return OperationSubscription { task.cancel() }
  }
}
