import Operations
import OperationsTesting
import Synchronization

/// How fast changes of a specification reach those who follow a formula in which it stands.
enum ChangesFigure {
  static let changes = 100_000
  private static let subscribers = 100

  static func measure() throws -> Figures {
    let source = TestRunSpecification()
    let formula = formula(around: source)
    let context = OperationContext()
    // Each subscriber asks for the new value, as all do who want to know more than that something may have changed.
    let notifications = Atomic(0)
    let satisfied = Atomic(0)
    let subscriptions = (0..<subscribers).map { _ in
      formula.subscribe(in: context) {
        notifications.wrappingAdd(1, ordering: .relaxed)
        if formula.isSatisfied(in: context) { satisfied.wrappingAdd(1, ordering: .relaxed) }
      }
    }
    for _ in 0..<changes / 100 { source.isSatisfied.toggle() }
    notifications.store(0, ordering: .relaxed)
    satisfied.store(0, ordering: .relaxed)

    let start = ContinuousClock.now
    for _ in 0..<changes { source.isSatisfied.toggle() }
    let seconds = (ContinuousClock.now - start) / .seconds(1)

    let (told, held) = (notifications.load(ordering: .relaxed), satisfied.load(ordering: .relaxed))
    guard told == changes * subscribers, 2 * held == told else {
      throw StoresError("\(told) notifications came, \(held) of them of a formula that was satisfied")
    }
    for subscription in subscriptions { subscription.cancel() }
    return Figures(values: ["seconds": seconds, "notifications": Double(told)])
  }

  /// A formula of ten operators around `source`, each of which passes its changes on.
  private static func formula(around source: TestRunSpecification) -> some OperationRunSpecification {
    let (yes, no) = (AlwaysRunSpecification(isSatisfied: true), AlwaysRunSpecification(isSatisfied: false))
    return yes && !(no || (yes && !(no || (yes && !(no || !source)))))
  }
}
