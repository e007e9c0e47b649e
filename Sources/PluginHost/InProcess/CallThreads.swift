import DequeModule
import Glibc
import OperatingSystem
import Synchronization

/// The host's own threads for calls to plugins that become due while a plugin is calling the host: such calls are never made on the plugin's thread.
///
/// A thread is started when there is work and none is idle, so that a hanging call delays no other one; two idle threads are kept.
final class CallThreads: @unchecked Sendable {
  // @unchecked: a semaphore may be used by several threads, and this one lives as long as the process.

  static let shared = CallThreads()

  private struct State {
    var work: Deque<@Sendable () -> Void> = []
    /// Threads that wait for the semaphore and have not been woken.
    var idle = 0
    var count = 0
  }

  private static let mostIdle = 2

  private let state = Mutex(State())
  private let wakeUps = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  private init() { sem_init(wakeUps, 0, 0) }

  /// Schedules `body` to be called soon on one of the threads.
  func run(_ body: @escaping @Sendable () -> Void) {
    let isIdle = state.withLock { state in
      state.work.append(body)
      guard state.idle > 0 else {
        state.count += 1
        return false
      }
      state.idle -= 1
      return true
    }
    if isIdle { sem_post(wakeUps) } else { begin() }
  }

  private func begin() {
    do throws(SystemError) {
      try SystemThread.detach("penstock-calls", blocking: .allButFaults) { CallThreads.shared.work() }
    } catch {
      let isAlone = state.withLock { state in
        state.count -= 1
        return state.count == 0
      }
      // The system has no thread left: an existing thread finds the work after its own, and otherwise this thread does it.
      if isAlone { while let body = state.withLock({ $0.work.popFirst() }) { body() } }
    }
  }

  private func work() {
    while true {
      while let body = state.withLock({ $0.work.popFirst() }) { body() }
      let isOver = state.withLock { state -> Bool? in
        guard state.work.isEmpty else { return nil }
        if state.idle == Self.mostIdle {
          state.count -= 1
          return true
        }
        state.idle += 1
        return false
      }
      guard let isOver else { continue }
      if isOver { return }
      while sem_wait(wakeUps) != 0 {}
    }
  }
}
