import Glibc
import OperatingSystem

/// Checks the limit on the address space of this process.
enum MemoryLimit {
  /// What a host needs, in bytes: with less, the stacks of its threads and the child hosts of plugins find no room, and it hangs instead of failing.
  private static let leastOfHost: rlim_t = 320 << 20

  /// Checks that a host has room to serve.
  ///
  /// - Throws: `CommandFailure`, with the limit and what to do.
  static func requireRoomForHost() throws {
    guard let limit = ResourceLimit.soft(RLIMIT_AS), limit < leastOfHost else { return }
    throw CommandFailure(
      "the limit on the address space of a process (RLIMIT_AS) is \(limit >> 20) MiB, and a host needs at least \(leastOfHost >> 20) MiB; raise it (`ulimit -v \(512 << 10)`)",
      status: .engineFailed)
  }
}
