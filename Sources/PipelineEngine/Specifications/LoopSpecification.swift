import Operations

/// A specification whose changes are reported on the event loop.
protocol LoopSpecification: OperationRunSpecification {
  var loop: EventLoop { get }

  /// Starts to report changes, and returns a closure that ends this. *On the event loop*, as is the closure.
  func begin(_ onChange: @escaping @Sendable () -> Void) -> () -> Void
}

extension LoopSpecification {
  func subscribe(in context: OperationContext, onChange: @escaping @Sendable () -> Void) -> OperationSubscription {
    let watch = LoopSubscription(loop: loop)
    if loop.isOnLoop {
      watch.end = begin(onChange)
    } else {
      // Changes before the event loop runs this are reported afterwards.
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

/// One subscription on the event loop.
private final class LoopSubscription: @unchecked Sendable {
  // @unchecked: accessed only on the event loop, or before it is passed to it.

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
