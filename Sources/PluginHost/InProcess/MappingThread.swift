import DequeModule
import Glibc
import OperatingSystem
import Synchronization

/// The thread on which shared objects are mapped and initialised. It starts with the first one and never ends.
///
/// A library may assume that the thread that initialises it is the program's main thread, which lives as long as the process. The libdispatch in
/// plugins written in Swift does: it aborts the process if that thread ends when no descriptor is left. Threads of the concurrency runtime end
/// whenever they are idle.
final class MappingThread: @unchecked Sendable {
  // @unchecked: a semaphore may be used by several threads, and this one lives as long as the process.

  static let shared = MappingThread()

  private struct State {
    var work: Deque<@Sendable () -> Void> = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let wakeUps = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  private init() { sem_init(wakeUps, 0, 0) }

  /// Calls `body` on the thread, or on the calling one if the system has none left, and returns its answer.
  func run<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> Answer {
    guard begin() else { return body() }
    let call = Call<Answer>()
    state.withLock { $0.work.append { call.end(with: body()) } }
    sem_post(wakeUps)
    return call.answer()
  }

  /// A call that another thread waits for.
  private final class Call<Answer: Sendable>: @unchecked Sendable {
    // @unchecked: `ended` orders the only write of `result` before its reads.

    private let ended = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    private var result: Answer?

    init() { sem_init(ended, 0, 0) }

    deinit {
      sem_destroy(ended)
      ended.deallocate()
    }

    func end(with answer: Answer) {
      result = answer
      sem_post(ended)
    }

    func answer() -> Answer {
      while true {
        if sem_wait(ended) == 0, let result { return result }
      }
    }
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard !state.isRunning else { return true }
      do throws(SystemError) {
        try SystemThread.detach("penstock-images", blocking: .allButFaults) { MappingThread.shared.work() }
        state.isRunning = true
      } catch {
        // The next call retries.
      }
      return state.isRunning
    }
  }

  private func work() {
    while true {
      while let body = state.withLock({ $0.work.popFirst() }) { body() }
      while sem_wait(wakeUps) != 0 {}
    }
  }
}
