import PluginKit
import Synchronization

/// What was found at one moment.
struct Sample: Sendable, Equatable {
  /// Nil where it cannot be told.
  var isSatisfied: Bool?
  /// One line for people.
  var reason: String
}

/// A condition that nobody tells of: it is looked at from time to time, while somebody subscribes.
struct SampledSpecification: OperationRunSpecification {
  private let name: String
  private let interval: Duration
  private let pressure: (any MemoryPressureSource)?
  private let sample: @Sendable (OperationContext) -> Sample

  /// - Parameters:
  ///   - name: What people read.
  ///   - interval: How often it is looked at.
  ///   - pressure: Whose news make it be looked at out of turn.
  ///   - sample: Looks; must not wait.
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
      // Here, and not where it is cancelled: for the last subscriber the kernel takes some 30 ms to let go of what it
      // measures, and the host's threads have no such time.
      defer { told?.cancel() }
      while true {
        try await clock.delay(for: interval)
        look()
      }
    }
    return OperationSubscription { task.cancel() }
  }

  /// The value that was told last.
  private final class Follower: Sendable {
    private let value: Mutex<Bool?>

    init(_ value: Bool?) { self.value = Mutex(value) }

    /// Whether it is another one.
    func takes(_ next: Bool?) -> Bool {
      value.withLock { value in
        defer { value = next }
        return value != next
      }
    }
  }
}
