import Glibc
import SQLite

/// One process, for as long as the computer runs and beyond: a process id alone is given to another process sooner or later, and is another process's in
/// another container.
public struct ProcessIdentity: Sendable, Hashable {
  /// The boot, from `/proc/sys/kernel/random/boot_id`, a slash, and the number of the pid namespace, from `/proc/self/ns/pid`. Former versions recorded the boot alone.
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

  /// The boot and the pid namespace that this process runs in, as in ``boot``; empty where the kernel does not tell.
  public static let currentBoot: String = {
    guard let boot = text(of: "/proc/sys/kernel/random/boot_id")?.prefix(while: { $0 != "\n" }) else { return "" }
    var status = stat()
    return stat("/proc/self/ns/pid", &status) == 0 ? "\(boot)/\(status.st_ino)" : String(boot)
  }()

  /// The running process with the id, or nil if there is none.
  public static func running(pid: Int32) -> ProcessIdentity? {
    startTime(of: pid).map { ProcessIdentity(boot: currentBoot, pid: pid, started: $0) }
  }

  /// What can be told of a process.
  public enum Judgement: Sendable {
    /// It is running. It may be stopped.
    case alive
    /// It has ended. A zombie counts as ended: it does nothing any more.
    case dead
    /// It is in another pid namespace, such as another container, and its lock in the workspace cannot be asked for. Nobody may take over what it holds.
    case unknown
  }

  /// Whether this very process is still running: by `/proc` where that shows it, else by the lock that it holds in the workspace in `directory` as
  /// long as it may write there.
  public func judgement(in directory: @autoclosure () -> String) -> Judgement {
    if self == .current { return .alive }
    if isVisible { return Self.startTime(of: pid) == started ? .alive : .dead }
    // Neither an identity of a former version nor one that nobody has ever had, such as that of an imported run, has a lock.
    guard boot.utf8.contains(UInt8(ascii: "/")) else { return .dead }
    if let isHeld = HostLock.isHeld(by: self, in: directory()) { return isHeld ? .alive : .dead }
    // Where this computer has been started again since, nothing of that time is left.
    return isElsewhere ? .unknown : .dead
  }

  /// Whether the process may be running: it is, or nobody can tell.
  public func isAlive(in directory: @autoclosure () -> String) -> Bool {
    switch judgement(in: directory()) {
    case .alive, .unknown: true
    case .dead: false
    }
  }

  /// The same for a process that is recorded in a workspace's database.
  public func isAlive(in db: Database) -> Bool {
    isAlive(in: db.workspaceDirectory)
  }

  /// Whether `/proc` shows the process as long as it is running: it is of this boot and this pid namespace.
  public var isVisible: Bool {
    guard !Self.currentBoot.isEmpty else { return false }
    // Former versions recorded the boot alone; what they ran in is taken to be this namespace.
    return boot == Self.currentBoot || boot.utf8.elementsEqual(Self.bootAlone(Self.currentBoot).utf8)
  }

  /// Whether the process is, or was, in another pid namespace of this boot, such as another container.
  public var isElsewhere: Bool { !isVisible && Self.bootAlone(boot) == Self.bootAlone(Self.currentBoot) }

  private static func bootAlone(_ boot: String) -> Substring { boot.prefix { $0 != "/" } }

  /// Whether the process is stopped, as by SIGSTOP or by a debugger: it is alive, and does nothing until it is continued. False where `/proc` does not show it.
  public var isStopped: Bool {
    guard isVisible, let found = Self.entry(of: pid), found.started == started else { return false }
    return found.state == "T" || found.state == "t"
  }

  private static func startTime(of pid: Int32) -> Int64? { entry(of: pid)?.started }

  /// What `/proc` has of a process that has not ended.
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
    // Both files are shorter than this, and a /proc file is read whole in one call.
    return withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { buffer in
      let count = read(descriptor, buffer.baseAddress, buffer.count)
      guard count > 0 else { return nil }
      return String(decoding: buffer[..<count], as: UTF8.self)
    }
  }
}
