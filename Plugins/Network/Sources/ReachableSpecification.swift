import LinuxObservers
import PluginKit
import Synchronization

/// Satisfied while a host accepts TCP connections on a port. Nothing is sent while there are no subscribers.
final class ReachableSpecification: DeferredSpecification {
  private let settings: ReachableSettings
  private let network: any NetworkObserver
  /// Created with the first subscription, whose context provides the clock.
  private let observer = Mutex<ReachabilityObserver?>(nil)

  init(_ settings: ReachableSettings, network: any NetworkObserver) {
    self.settings = settings
    self.network = network
  }

  /// Whether the first attempt has had a result.
  func hasAnswer(in context: OperationContext) -> Bool { value(in: context) != nil }

  func isSatisfied(in context: OperationContext) -> Bool { value(in: context) == true }

  /// Unknown until the first attempt has had a result.
  func value(in context: OperationContext) -> Bool? {
    guard let current else { return nil }
    if current.currentStatus == .connected { return true }
    return current.failure == nil ? nil : false
  }

  func description(in context: OperationContext) -> SpecificationDescription {
    let place = "\(settings.host):\(settings.port)"
    let changedAt = current?.statusChangedAt(crossing: .connected)
    let since = changedAt.map { " since \(context.operationTimestampFormat($0))" } ?? ""
    let reason =
      if isSatisfied(in: context) {
        "\(place) accepts connections\(since)"
      } else if let failure = current?.failure {
        "\(place) cannot be reached\(since): \(failure)"
      } else {
        "\(place) has not been tried yet"
      }
    return SpecificationDescription(
      formula: "reachable(\(place))", reason: reason, isSatisfied: value(in: context), changedAt: changedAt)
  }

  func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let observer = observer(in: context)
    // Notify after every attempt, so that the reason is that of the last one, and the first failure makes the value known.
    let tries = observer.subscribeToTries { onChange() }
    let status = observer.subscribe { _ in }
    return OperationSubscription {
      status.cancel()
      tries.cancel()
    }
  }

  private var current: ReachabilityObserver? { observer.withLock { $0 } }

  private func observer(in context: OperationContext) -> ReachabilityObserver {
    observer.withLock { observer in
      if let observer { return observer }
      var context = context
      context.operationClock = context.pluginClock
      context.operationDelayer = context.pluginClock
      let made = ReachabilityObserver(
        host: settings.host, port: UInt16(clamping: settings.port),
        settings: ReachabilityObserver.Settings(
          backoff: OperationBackoff(cap: settings.interval), recheck: settings.interval,
          timeout: settings.timeout),
        network: network, context: context)
      observer = made
      return made
    }
  }
}
