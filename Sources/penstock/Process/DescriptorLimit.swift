import Glibc
import OperatingSystem

/// Checks the limit on the descriptors of this process.
enum DescriptorLimit {
  /// The number of descriptors that threads and a database need before an error can be reported; without a descriptor, libdispatch silently ends a process.
  private static let least = 5
  /// A limit from which no check is needed.
  private static let plenty: rlim_t = 64

  /// Checks that there is room for the few descriptors that every command needs. A run reports a lack of further ones itself.
  ///
  /// - Throws: `CommandFailure`, with the limit and what to do.
  static func requireRoom() throws {
    guard let limit = ResourceLimit.soft(RLIMIT_NOFILE), limit < plenty else { return }
    let opened = (0..<least).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
    for descriptor in opened where descriptor >= 0 { close(descriptor) }
    guard opened.contains(where: { $0 < 0 }) else { return }
    throw CommandFailure(
      "the limit on open files is \(limit), which is not enough; raise it (`ulimit -n 64`)",
      status: .engineFailed)
  }
}
