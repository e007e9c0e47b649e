import Glibc

/// How many descriptors this process may have.
enum DescriptorLimit {
  /// What threads and a database take before anything can be said about them; libdispatch ends a process that has no descriptor for it without a word.
  private static let least = 5
  /// From here on nobody need look.
  private static let plenty: rlim_t = 64

  /// Makes sure that there is room for the few descriptors that every command takes. What more a run takes is its own to tell.
  ///
  /// - Throws: `CommandFailure`, with the limit and what to do.
  static func requireRoom() throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < plenty else { return }
    let opened = (0..<least).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard opened.contains(where: { $0 < 0 }) else { return }
    throw CommandFailure(
      "the limit on open files is \(limit.rlim_cur), which is not enough; raise it (`ulimit -n 64`)",
      status: .engineFailed)
  }
}
