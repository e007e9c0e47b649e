import Glibc

/// Checks the limit on the address space of this process.
enum MemoryLimit {
  /// What a host needs, in bytes: with less, the stacks of its threads and the child hosts of plugins find no room, and it hangs instead of failing.
  private static let leastOfHost: rlim_t = 320 << 20

  /// Checks that a host has room to serve.
  ///
  /// - Throws: `CommandFailure`, with the limit and what to do.
  static func requireRoomForHost() throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < leastOfHost else { return }
    throw CommandFailure(
      "the limit on the address space of a process (RLIMIT_AS) is \(limit.rlim_cur >> 20) MiB, and a host needs at least \(leastOfHost >> 20) MiB; raise it (`ulimit -v \(512 << 10)`)",
      status: .engineFailed)
  }
}
