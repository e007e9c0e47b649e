import Synchronization

/// Brings a waiting retry forward when a specification turns true: when the network is back, or a file is there.
///
/// Only a turn counts. A specification that is satisfied when the wait begins brings nothing forward, or it would wake
/// every retry at once.
public struct SpecificationWaker: RetryWaker {
  /// Identifies the waker in history and messages.
  public let name: String
  /// What is watched while a retry waits.
  public let specification: AnyOperationRunSpecification
  private let context: OperationContext

  /// Creates a waker.
  ///
  /// - Parameters:
  ///   - specification: What is watched while a retry waits.
  ///   - context: What the specification is asked in. Default: one with nothing set.
  ///   - name: How messages call the waker. Default: the specification's own formula.
  public init(
    _ specification: some OperationRunSpecification, in context: OperationContext = OperationContext(),
    name: String? = nil
  ) {
    self.specification = AnyOperationRunSpecification(specification)
    self.context = context
    self.name = name ?? specification.description(in: context).formula
  }

  /// Watches the specification while a retry waits.
  public func subscribe(_ onWake: @escaping @Sendable () -> Void) -> OperationSubscription {
    let follower = Follower(specification, in: context, onWake: onWake)
    let subscription = specification.subscribe(in: context) { follower.look() }
    // A turn between the first look and the subscription would be lost otherwise.
    follower.look()
    return subscription
  }

  /// Knows the last value.
  private final class Follower: Sendable {
    private struct Seen {
      var isSatisfied: Bool
      /// One thread looks at a time; a change meanwhile makes it look again, so that the last look wins.
      var isLooking = false
      var mustLookAgain = false
    }

    private let specification: AnyOperationRunSpecification
    private let context: OperationContext
    private let onWake: @Sendable () -> Void
    private let seen: Mutex<Seen>

    init(
      _ specification: AnyOperationRunSpecification, in context: OperationContext,
      onWake: @escaping @Sendable () -> Void
    ) {
      self.specification = specification
      self.context = context
      self.onWake = onWake
      seen = Mutex(Seen(isSatisfied: specification.isSatisfied(in: context)))
    }

    func look() {
      let begins = seen.withLock { seen in
        seen.mustLookAgain = true
        defer { seen.isLooking = true }
        return !seen.isLooking
      }
      guard begins else { return }
      while mustGoOn() {
        let isSatisfied = specification.isSatisfied(in: context)
        let turnsTrue = seen.withLock { seen in
          defer { seen.isSatisfied = isSatisfied }
          return isSatisfied && !seen.isSatisfied
        }
        if turnsTrue { onWake() }
      }
    }

    private func mustGoOn() -> Bool {
      seen.withLock { seen in
        seen.isLooking = seen.mustLookAgain
        seen.mustLookAgain = false
        return seen.isLooking
      }
    }
  }
}
