import Glibc

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
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { gate.deallocate() }
    pthread_mutex_init(gate, nil)
    pthread_mutex_lock(gate)
    var threads: [pthread_t] = []
    for _ in 0..<count {
      var thread = pthread_t()
      let error = pthread_create(
        &thread, nil,
        { argument in
          guard let gate = argument?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
          pthread_mutex_lock(gate)
          pthread_mutex_unlock(gate)
          return nil
        }, gate)
      guard error == 0 else { break }
      threads.append(thread)
    }
    pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    pthread_mutex_destroy(gate)
    return threads.count == count
  }
}
