import PluginKit
import Synchronization

/// The result of one measurement.
struct Sample: Sendable, Equatable {
  /// Nil if it cannot be determined.
  var isSatisfied: Bool?
  /// A one-line reason.
  var reason: String
}

/// A specification without notifications of changes: it is measured at intervals while there are subscribers.
struct SampledSpecification: OperationRunSpecification {
  private let name: String
  private let interval: Duration
  private let pressure: (any MemoryPressureSource)?
  private let sample: @Sendable (OperationContext) -> Sample

  /// - Parameters:
  ///   - name: The name that people read.
  ///   - interval: The time between measurements.
  ///   - pressure: A source whose notifications trigger additional measurements.
  ///   - sample: Measures; must not block.
  init(
    name: String, every interval: Duration, alsoOn pressure: (any MemoryPressureSource)? = nil,
    _ sample: @escaping @Sendable (OperationContext) -> Sample
  ) {
    self.name = name
    self.interval = interval
    self.pressure = pressure
    self.sample = sample
  }

  func isSatisfied(in context: OperationContext) -> Bool { sample(context).isSatisfied ?? false }

  func value(in context: OperationContext) -> Bool? { sample(context).isSatisfied }

  func description(in context: OperationContext) -> SpecificationDescription {
    let sample = sample(context)
    return SpecificationDescription(formula: name, reason: sample.reason, isSatisfied: sample.isSatisfied)
  }

  func subscribe(
    in context: OperationContext, onChange: @escaping @Sendable () -> Void
  ) -> OperationSubscription {
    let follower = Follower(sample(context).isSatisfied)
    let look: @Sendable () -> Void = { [sample] in
      if follower.takes(sample(context).isSatisfied) { onChange() }
    }
    let told = pressure?.subscribe { _ in look() }
    let (clock, interval) = (context.pluginClock, interval)
    let task = Task {
      // Cancelled here rather than by the subscription: for the last subscriber, the kernel takes some 30 ms to release its measurement, which is
      // too long for the host's threads.
      defer { told?.cancel() }
      while true {
        try await clock.delay(for: interval)
        look()
      }
    }
    return OperationSubscription { task.cancel() }
  }

  /// The value that was last reported.
  private final class Follower: Sendable {
    private let value: Mutex<Bool?>

    init(_ value: Bool?) { self.value = Mutex(value) }

    /// Stores the value, and returns whether it has changed.
    func takes(_ next: Bool?) -> Bool {
      value.withLock { value in
        defer { value = next }
        return value != next
      }
    }
  }
}
