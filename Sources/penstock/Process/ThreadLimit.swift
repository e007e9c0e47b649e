import Glibc
import OperatingSystem
import Synchronization

/// Checks the limit on this user's threads and processes.
enum ThreadLimit {
  /// The number of threads that a run needs before it starts anything: the event loop, the presentation, the writers, and libdispatch's threads, without
  /// which tasks never start.
  static let least = 8
  /// The number that a host needs before it begins anything, a child host for plugins included.
  static let leastOfHost = 32
  /// A limit from which no check is needed.
  private static let plenty: rlim_t = 512

  /// Checks that there is room for this number of threads: otherwise tasks would wait forever without an error.
  ///
  /// - Throws: `CommandFailure`, with the limit and what to do.
  static func requireRoom(for count: Int = least) throws {
    guard let limit = ResourceLimit.soft(__RLIMIT_NPROC), limit < plenty else { return }
    guard !canStart(count) else { return }
    throw CommandFailure(
      "the limit on processes and threads of this user (RLIMIT_NPROC) is \(limit), which is not enough; raise it (`ulimit -u \(plenty)`)",
      status: .engineFailed)
  }

  /// Returns whether `count` threads can exist at once. They end before this returns.
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
