import CMutexAnnotations
import Glibc
import Synchronization
import Testing

/// What a run without reports is worth: that the sanitizer knows the locks and atomics that the library uses, and still
/// sees what happens beside them. Each test is a process of its own, which the sanitizer ends with 66 when it has reported
/// something.
@Suite("The sanitizer", .timeLimit(.minutes(10)))
struct MutexAnnotationsTests {
  @Test("Access protected by a contended Mutex is not a race")
  func protected() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let shared = Shared()
      onTwoThreads { _ in shared.contend() }
      exit(0)
    }
  }

  @Test("What two threads write beside a contended Mutex is one")
  func beside() async {
    await #expect(processExitsWith: .exitCode(66)) {
      penstock_hide_reports()
      let shared = Shared()
      onTwoThreads { _ in
        shared.contend()
        shared.value += 1
      }
      exit(0)
    }
  }

  @Test("Passing data by an Atomic with release and acquire is not a race")
  func released() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let shared = Shared()
      onTwoThreads { number in
        if number == 0 {
          shared.value = 1
          shared.isReady.store(true, ordering: .releasing)
        } else {
          while !shared.isReady.load(ordering: .acquiring) { sched_yield() }
          shared.value += 1
        }
      }
      exit(0)
    }
  }

  @Test("Passing data by a relaxed Atomic is a race")
  func relaxed() async {
    await #expect(processExitsWith: .exitCode(66)) {
      penstock_hide_reports()
      let shared = Shared()
      onTwoThreads { number in
        if number == 0 {
          shared.value = 1
          shared.isReady.store(true, ordering: .relaxed)
        } else {
          while !shared.isReady.load(ordering: .relaxed) { sched_yield() }
          shared.value += 1
        }
      }
      exit(0)
    }
  }
}

/// What two threads of a test have in common.
private final class Shared: Sendable {
  let lock = Mutex<Void>(())
  let isReady = Atomic(false)
  /// Looked after by nobody: that is for the sanitizer to see.
  nonisolated(unsafe) var value = 0

  /// Changes the value under the lock, in each of the ways that a lock can be taken, until the slow paths have been seen.
  func contend() {
    while penstock_slow_locks() < 100 || penstock_slow_unlocks() < 100 {
      lock.withLock { _ in change() }
      lock._unsafeLock()
      change()
      lock._unsafeUnlock()
      _ = lock.withLockIfAvailable { _ in change() }
    }
  }

  /// Long enough for the other thread to want the lock, too.
  private func change() {
    value += 1
    usleep(100)
  }
}

/// Calls `body` with 0 and 1 on a thread each. Not tasks, which may follow one another on the same thread.
private func onTwoThreads(_ body: @escaping @Sendable (Int) -> Void) {
  final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let threads = (0..<2).map { number in
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Work { body(number) }).toOpaque())
    return thread
  }
  for thread in threads { pthread_join(thread, nil) }
}
