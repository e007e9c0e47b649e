import Glibc
import Operations
import OperationsTesting
import Synchronization
import Testing

@Suite("Exclusive access to a store", .timeLimit(.minutes(10)))
struct ExclusiveAccessTests {
  /// A thread of its own, because it waits for the test without yielding its thread.
  private final class Thread {
    private final class Body {
      let call: () -> Void
      init(_ call: @escaping () -> Void) { self.call = call }
    }

    private var handle = pthread_t()

    init(_ body: @escaping @Sendable () -> Void) {
      pthread_create(
        &handle, nil,
        { argument in
          guard let argument else { return nil }
          Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().call()
          return nil
        }, Unmanaged.passRetained(Body(body)).toOpaque())
    }

    func join() { pthread_join(handle, nil) }
  }

  /// A flag that threads can wait for.
  private final class Flag: Sendable {
    private let isSet = Atomic(false)
    var value: Bool { isSet.load(ordering: .sequentiallyConsistent) }
    func set(_ value: Bool = true) { isSet.store(value, ordering: .sequentiallyConsistent) }
    func wait() { while !value { usleep(100) } }
  }

  @Test("During a section handlers are not notified of its changes, even by a thread that is delivering older ones")
  func deliveringElsewhere() {
    let store = OperationStore.detached(countingQuery(), initialValue: 0)
    let log = Log<String>()
    let (isTelling, mayGoOn, hasTold, isOpen) = (Flag(), Flag(), Flag(), Flag())
    let subscription = store.subscribe(
      with: OperationEventHandler(onStateChanged: { state, _ in
        log.append("\(state.currentValue ?? -1)" + (isOpen.value ? " inside" : ""))
        guard state.currentValue == 1 else { return }
        isTelling.set()
        mayGoOn.wait()
      }))
    let other = Thread {
      store.currentValue = 1
      hasTold.set()
    }
    isTelling.wait()
    store.withExclusiveAccess { store in
      isOpen.set()
      store.currentValue = 2
      mayGoOn.set()
      hasTold.wait()
      store.currentValue = 3
      isOpen.set(false)
    }
    other.join()
    #expect(log.elements == ["0", "1", "2", "3"])
    subscription.cancel()
  }
}
