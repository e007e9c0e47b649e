import Glibc
import OperatingSystem
import Synchronization

/// How many threads and processes this user may have.
enum ThreadLimit {
  /// What a run takes before it starts anything: the event loop, the presentation, those that write, and libdispatch's, without which tasks never begin.
  private static let least = 8
  /// From here on nobody need look.
  private static let plenty: rlim_t = 512

  /// Makes sure that there is room for the threads that a run takes: where one is missing, tasks wait for ever and nobody says why.
  ///
  /// - Throws: `CommandFailure`, with the limit and what to do.
  static func requireRoom() throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0, limit.rlim_cur < plenty else { return }
    guard !canStart(least) else { return }
    throw CommandFailure(
      "the limit on processes and threads of this user (RLIMIT_NPROC) is \(limit.rlim_cur), which is not enough; raise it (`ulimit -u \(plenty)`)",
      status: .engineFailed)
  }

  /// Whether so many threads can be there at once. They end before this returns.
  private static func canStart(_ count: Int) -> Bool {
    let gate = Mutex(())
    let threads = gate.withLock { _ in
      var threads: [SystemThread] = []
      while threads.count < count, let thread = try? SystemThread("penstock-count", { gate.withLock { _ in } }) {
        threads.append(thread)
      }
      return threads
    }
    for thread in threads { thread.join() }
    return threads.count == count
  }
}
