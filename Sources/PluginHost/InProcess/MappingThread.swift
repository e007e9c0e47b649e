import DequeModule
import Glibc
import OperatingSystem
import Synchronization

/// The thread on which shared objects are mapped and initialized. It begins with the first one, and never ends.
///
/// A library may take the thread that initializes it for the first one of the program, which ends with the process. The libdispatch in a plugin written in Swift does: it aborts the process when that
/// thread ends and no descriptor is left. Threads of the concurrency runtime end whenever there is nothing to do.
final class MappingThread: @unchecked Sendable {
  // @unchecked: the semaphore is made for several threads, and lives as long as the process.

  static let shared = MappingThread()

  private struct State {
    var work: Deque<@Sendable () -> Void> = []
    var isRunning = false
  }

  private let state = Mutex(State())
  private let wakeUps = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  private init() { sem_init(wakeUps, 0, 0) }

  /// Calls `body` on the thread, or on the calling one where the system has none left, and returns its answer.
  func run<Answer: Sendable>(_ body: @escaping @Sendable () -> Answer) -> Answer {
    guard begin() else { return body() }
    let call = Call<Answer>()
    state.withLock { $0.work.append { call.end(with: body()) } }
    sem_post(wakeUps)
    return call.answer()
  }

  /// A call that another thread waits for.
  private final class Call<Answer: Sendable>: @unchecked Sendable {
    // @unchecked: `ended` orders the only write of `result` before the only read.

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
        // The next call tries again.
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
