import Operations

/// A condition whose changes the event loop tells of.
protocol LoopSpecification: OperationRunSpecification {
  var loop: EventLoop { get }

  /// Begins to tell of changes, and returns what ends that. *On the loop*, and so is the end.
  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void
}

extension LoopSpecification {
  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    let watch = LoopSubscription(loop: loop)
    if loop.isOnLoop {
      watch.end = begin(onChange)
    } else {
      // What changes until the loop has come to it is told afterwards.
      let before = isSatisfied(in: context)
      loop.execute {
        guard !watch.isOver else { return }
        watch.end = begin(onChange)
        if isSatisfied(in: context) != before { onChange() }
      }
    }
    return OperationSubscription { [loop] in
      loop.reach { watch.cancel() }
    }
  }
}

/// One subscription on the loop.
private final class LoopSubscription: @unchecked Sendable {
  // @unchecked: touched only on the loop, or before it is given to it.

  private let loop: EventLoop
  var end: (() -> Void)?
  private(set) var isOver = false

  init(loop: EventLoop) { self.loop = loop }

  func cancel() {
    isOver = true
    end?()
    end = nil
  }
}
