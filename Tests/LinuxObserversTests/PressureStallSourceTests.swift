import Glibc
import OperationsTesting
import Synchronization
import Testing

@testable import LinuxObservers
@testable import Operations

@Suite("Pressure stall source")
struct PressureStallSourceTests {
  /// Stands in for the kernel: urgent data on a socket looks like a fired trigger.
  private final class FakeKernel: Sendable {
    private let ends = Mutex<[String: Descriptor]>([:])

    func open(_ trigger: String) throws(ObserverError) -> Descriptor {
      var pair: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else {
        throw .systemCall("socketpair", errno)
      }
      let (near, far) = (try Descriptor(pair[0], from: "socketpair"), try Descriptor(pair[1], from: "socketpair"))
      ends.withLock { $0[String(trigger.prefix(4))] = far }
      return near
    }

    func fire(_ trigger: String) {
      let end = ends.withLock { $0[trigger] }
      if let end { send(end.number, "!", 1, Int32(MSG_OOB)) }
    }
  }

  private func source(_ kernel: FakeKernel, calmTime: timespec) -> PressureStallSource {
    PressureStallSource(calmTime: calmTime) { (trigger) throws(ObserverError) in try kernel.open(trigger) }
  }

  @Test("Each trigger reports its level", .timeLimit(.minutes(10)))
  func levels() async {
    let kernel = FakeKernel()
    let source = source(kernel, calmTime: timespec(tv_sec: 3600, tv_nsec: 0))
    let (levels, continuation) = AsyncStream<MemoryPressure>.makeStream()
    let subscription = source.subscribe { continuation.yield($0) }
    var told = levels.makeAsyncIterator()
    kernel.fire("some")
    #expect(await told.next() == .warning)
    kernel.fire("full")
    #expect(await told.next() == .critical)
    #expect(source.failure == nil)
    subscription.cancel()
  }

  @Test("The level returns to normal some time after the last trigger", .timeLimit(.minutes(10)))
  func calm() async {
    let kernel = FakeKernel()
    let source = source(kernel, calmTime: timespec(tv_sec: 0, tv_nsec: 1_000_000))
    let (levels, continuation) = AsyncStream<MemoryPressure>.makeStream()
    let subscription = source.subscribe { continuation.yield($0) }
    var told = levels.makeAsyncIterator()
    kernel.fire("full")
    #expect(await told.next() == .critical)
    #expect(await told.next() == .normal)
    subscription.cancel()
  }

  @Test("Without pressure stall information, the source gives the reason and reports nothing")
  func absent() {
    let source = PressureStallSource(path: "/proc/pressure/none")
    #expect(!source.isAvailable)
    #expect(source.unavailability == .unavailable("pressure stall information (/proc/pressure/none)"))
    #expect(source.failure == nil)
    let subscription = source.subscribe { _ in Issue.record("told of something that is not there") }
    #expect(source.failure == source.unavailability)
    subscription.cancel()
  }

  @Test("A file that accepts the trigger but reports nothing is an error, not silence")
  func wrongFile() {
    let source = PressureStallSource(path: "/dev/null")
    let subscription = source.subscribe { _ in }
    #expect(source.failure == .systemCall("epoll_ctl", EPERM))
    subscription.cancel()
  }

  @Test(
    "The kernel accepts the triggers",
    .enabled(if: access("/proc/pressure/memory", W_OK) == 0, "this kernel has no pressure stall information"))
  func real() {
    let source = PressureStallSource()
    #expect(source.unavailability == nil)
    let subscription = source.subscribe { _ in }
    #expect(source.failure == nil)
    subscription.cancel()
  }
}
