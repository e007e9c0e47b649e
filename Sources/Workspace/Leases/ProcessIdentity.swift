import Glibc

/// One process, for as long as the computer runs and beyond: a process id alone is given to another process sooner or later.
public struct ProcessIdentity: Sendable, Hashable {
  /// The identity of the boot, from `/proc/sys/kernel/random/boot_id`.
  public let boot: String
  /// The process id.
  public let pid: Int32
  /// When the process started, in clock ticks since boot (field 22 of `/proc/<pid>/stat`).
  public let started: Int64

  /// Creates an identity from its recorded parts.
  public init(boot: String, pid: Int32, started: Int64) {
    self.boot = boot
    self.pid = pid
    self.started = started
  }

  /// This process.
  public static let current = ProcessIdentity(
    boot: currentBoot, pid: getpid(), started: startTime(of: getpid()) ?? 0)

  /// The boot that this process runs in; empty where the kernel does not tell.
  public static let currentBoot = text(of: "/proc/sys/kernel/random/boot_id")?.prefix { $0 != "\n" }.description ?? ""

  /// The running process with the id, or nil if there is none.
  public static func running(pid: Int32) -> ProcessIdentity? {
    startTime(of: pid).map { ProcessIdentity(boot: currentBoot, pid: pid, started: $0) }
  }

  /// Whether this very process is still running. A zombie counts as dead: it does nothing any more.
  public var isAlive: Bool {
    if self == .current { return true }
    return boot == Self.currentBoot && Self.startTime(of: pid) == started
  }

  private static func startTime(of pid: Int32) -> Int64? {
    guard let stat = text(of: "/proc/\(pid)/stat"), let name = stat.lastIndex(of: ")") else { return nil }
    // The name may contain blanks and parentheses; the fields after its last one are 3 (state), 4, … 22 (start time).
    let fields = stat[stat.index(after: name)...].split(separator: " ", maxSplits: 20)
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return Int64(fields[19])
  }

  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Both files are shorter than this, and a /proc file is read whole in one call.
    return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
