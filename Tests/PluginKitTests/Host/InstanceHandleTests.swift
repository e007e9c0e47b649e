import Glibc
import PluginKitTesting
import Synchronization
import Testing

@testable import PluginKit

@Suite(.timeLimit(.minutes(5))) struct InstanceHandleTests {
  /// Runs `body` on a new thread.
  private func thread(_ body: @escaping @Sendable () -> Void) -> pthread_t {
    final class Box: Sendable {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
    precondition(error == 0)
    return thread
  }

  @Test func nobodyEntersAClosedHandle() {
    let handle = InstanceHandle(7)
    #expect(handle.enter { $0 } == 7)
    handle.close()
    #expect(handle.enter { $0 } == nil)
    #expect(InstanceHandle.none.enter { $0 } == 0)
  }

  @Test func closingWaitsForThoseWhoAreInside() {
    let handle = InstanceHandle(7)
    let flags = Flags()
    let caller = thread {
      handle.enter { _ in
        flags.isInside.store(true, ordering: .sequentiallyConsistent)
        // Until no further call is admitted: then the other thread is closing.
        while handle.enter({ $0 }) != nil { sched_yield() }
        flags.hasLeft.store(true, ordering: .sequentiallyConsistent)
      }
    }
    while !flags.isInside.load(ordering: .sequentiallyConsistent) { sched_yield() }
    handle.close()
    let hasLeft = flags.hasLeft.load(ordering: .sequentiallyConsistent)
    #expect(hasLeft)
    pthread_join(caller, nil)
  }

  private final class Flags: Sendable {
    let isInside = Atomic(false)
    let hasLeft = Atomic(false)
  }

  @Test func aThreadMayCloseFromWithinItsOwnCall() {
    let handle = InstanceHandle(7)
    let clock = ContinuousClock()
    let time = clock.measure { _ = handle.enter { _ in handle.close() } }
    // If it waited, it would give up after half a second.
    #expect(time < .milliseconds(400))
    #expect(handle.enter { $0 } == nil)
  }

  @Test func nothingIsToldAfterDestroyHasReturned() async throws {
    let host = try TestPluginHost(Words.self)
    for _ in 0..<50 {
      let instance = try host.controller("words.chatter")
      instance.start()
      _ = await instance.events(1)
      instance.destroy()
    }
    host.close()
    #expect(host.faults.isEmpty)
  }
}
