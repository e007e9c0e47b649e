import Glibc
import SQLite

/// The unique identity of a process. A process ID alone is eventually reused, also across reboots, and belongs to a different process in another container.
public struct ProcessIdentity: Sendable, Hashable {
  /// The boot ID from `/proc/sys/kernel/random/boot_id`, a slash, and the number of the pid namespace from `/proc/self/ns/pid`. Earlier versions recorded
  /// only the boot ID.
  public let boot: String
  /// The process ID.
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

  /// The boot and the pid namespace of this process, as in ``boot``; empty if the kernel does not report them.
  public static let currentBoot: String = {
    guard let boot = text(of: "/proc/sys/kernel/random/boot_id")?.prefix(while: { $0 != "\n" }) else { return "" }
    var status = stat()
    return stat("/proc/self/ns/pid", &status) == 0 ? "\(boot)/\(status.st_ino)" : String(boot)
  }()

  /// Returns the running process with this ID, or nil if there is none.
  public static func running(pid: Int32) -> ProcessIdentity? {
    startTime(of: pid).map { ProcessIdentity(boot: currentBoot, pid: pid, started: $0) }
  }

  /// What is known about a process.
  public enum Judgement: Sendable {
    /// It is running. It may be stopped.
    case alive
    /// It has ended. A zombie counts as ended, since it no longer does anything.
    case dead
    /// It is in another pid namespace, such as another container, and its lock in the workspace cannot be queried. Nothing that it holds may be taken over.
    case unknown
  }

  /// Returns whether exactly this process is still running: according to `/proc` if it is visible there, otherwise according to the lock that it holds in
  /// the workspace in `directory` while it may write there.
  public func judgement(in directory: @autoclosure () -> String) -> Judgement {
    if self == .current { return .alive }
    if isVisible { return Self.startTime(of: pid) == started ? .alive : .dead }
    // Identities of earlier versions have no lock, nor do invented ones such as that of an imported run.
    guard boot.utf8.contains(UInt8(ascii: "/")) else { return .dead }
    if let isHeld = HostLock.isHeld(by: self, in: directory()) { return isHeld ? .alive : .dead }
    // If this computer has been rebooted since, the process has ended.
    return isElsewhere ? .unknown : .dead
  }

  /// Returns whether the process may be running: it is, or that cannot be determined.
  public func isAlive(in directory: @autoclosure () -> String) -> Bool {
    switch judgement(in: directory()) {
    case .alive, .unknown: true
    case .dead: false
    }
  }

  /// Returns the same for a process recorded in a workspace's database.
  public func isAlive(in db: Database) -> Bool {
    isAlive(in: db.workspaceDirectory)
  }

  /// Whether `/proc` shows the process while it is running: it belongs to this boot and this pid namespace.
  public var isVisible: Bool {
    guard !Self.currentBoot.isEmpty else { return false }
    // Earlier versions recorded only the boot ID; their namespace is assumed to be this one.
    return boot == Self.currentBoot || boot.utf8.elementsEqual(Self.bootAlone(Self.currentBoot).utf8)
  }

  /// Whether the process is, or was, in another pid namespace of this boot, such as another container.
  public var isElsewhere: Bool { !isVisible && Self.bootAlone(boot) == Self.bootAlone(Self.currentBoot) }

  private static func bootAlone(_ boot: String) -> Substring { boot.prefix { $0 != "/" } }

  /// Whether the process is stopped, for example by SIGSTOP or a debugger: it is alive, but does nothing until it is continued. False if `/proc` does not
  /// show it.
  public var isStopped: Bool {
    guard isVisible, let found = Self.entry(of: pid), found.started == started else { return false }
    return found.state == "T" || found.state == "t"
  }

  private static func startTime(of pid: Int32) -> Int64? { entry(of: pid)?.started }

  /// Returns the entry in `/proc` of a process that has not ended.
  private static func entry(of pid: Int32) -> (state: Substring, started: Int64)? {
    guard let stat = text(of: "/proc/\(pid)/stat"), let name = stat.lastIndex(of: ")") else { return nil }
    // The name may contain blanks and parentheses; the fields after its last one are 3 (state), 4, … 22 (start time).
    let fields = stat[stat.index(after: name)...].split(separator: " ", maxSplits: 20)
    guard fields.count > 19, fields[0] != "Z", fields[0] != "X" else { return nil }
    return Int64(fields[19]).map { (fields[0], $0) }
  }

  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // Both files are shorter than this, and a /proc file is read completely in one call.
    return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
