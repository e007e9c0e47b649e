import Glibc
import OperatingSystem
import Values
import Workspace

/// What prevents a host that serves the workspace from doing anything, although its process exists.
package enum HostStandstill: Sendable, Hashable {
  /// The process is stopped, for example by SIGSTOP or a debugger.
  case stopped(pid: Int32)
  /// It cannot write its history, and begins nothing until it can. `since` is nil if it cannot even report this.
  case unwritten(since: RecordTime?, reason: String)
  /// Nothing can be created in the workspace's directory, because its file system has no inodes left. Runs that need no file still execute.
  case withoutInodes(directory: String)

  /// Describes it in one sentence without a full stop, including how it ends.
  package var words: String {
    switch self {
    case .stopped(let pid):
      "process \(pid) is stopped (as by SIGSTOP), so nothing starts and nothing is recorded; continue it with `kill -CONT \(pid)`"
    case .unwritten(let since, let reason):
      "the host \(Self.inability(since)), so nothing starts, and results are recorded later: \(reason)"
    case .withoutInodes(let directory):
      "no file can be created in '\(directory)', so no run that needs one starts: its file system has no inodes left (`df -i`); delete files on it"
    }
  }

  /// Describes what is waited for: `the host, whose process 12 is stopped; …`.
  package var awaited: String {
    switch self {
    case .stopped(let pid): "the host, whose process \(pid) is stopped; `kill -CONT \(pid)` continues it"
    case .unwritten(let since, let reason):
      "the host, which \(Self.inability(since)): \(reason)"
    case .withoutInodes(let directory):
      "the host, which cannot create files in '\(directory)': its file system has no inodes left (`df -i`); delete files on it"
    }
  }

  private static func inability(_ since: RecordTime?) -> String {
    since.map { "has not been able to write since \(ClockText.dateAndTime($0))" } ?? "cannot write"
  }

  /// Whether it differs from another one. The reason may change while a lock is held, because its holder may.
  package func isOther(than other: Self?) -> Bool {
    switch (self, other) {
    case (.stopped, .stopped?): false
    case (.unwritten(let since, _), .unwritten(let former, _)?): since != former
    case (.withoutInodes, .withoutInodes?): false
    default: true
    }
  }

  /// Describes it in a few words, for a pipeline of the host.
  package var brief: String {
    switch self {
    case .stopped: "the host is stopped"
    case .unwritten: "the host cannot write"
    case .withoutInodes: "the host cannot create files"
    }
  }
}

extension History {
  /// Returns what currently prevents a host from working, or nil if nothing does or the host has ended.
  package func standstill(of host: HostRecord) -> HostStandstill? {
    guard host.state != .stopped, host.state != .died else { return nil }
    if host.owner.isStopped { return .stopped(pid: host.owner.pid) }
    return HostNote.read(of: host.owner, in: workspace.directory) ?? .ofFileSystem(of: workspace.directory)
  }

  /// Returns what prevents the host that serves the workspace from working, or nil if nothing does or there is no host.
  package func standstill() throws(WorkspaceError) -> HostStandstill? {
    try currentHost().flatMap(standstill)
  }

  /// Returns why the process that executes a run, the host or another one, cannot work. Nil if it can, or if the run is not running.
  package func standstill(ofProcessOf run: RunRecord) throws(WorkspaceError) -> HostStandstill? {
    guard run.state == .running else { return nil }
    if run.owner.isStopped { return .stopped(pid: run.owner.pid) }
    guard let host = try currentHost(), host.owner == run.owner else { return nil }
    return standstill(of: host)
  }
}

extension HostStandstill {
  /// Returns the reason for which no process can write to a directory, nor report this in a file there; nil if there is none.
  fileprivate static func ofFileSystem(of directory: String) -> HostStandstill? {
    if FileSystem.isReadOnly(at: directory) {
      return .unwritten(
        since: nil, reason: "the file system of '\(directory)' is read-only; check it, and mount it for writing again")
    }
    var status = statvfs()
    // File systems that create inodes as needed report none.
    guard statvfs(directory, &status) == 0, status.f_files > 0, status.f_ffree == 0 else { return nil }
    return .withoutInodes(directory: directory)
  }
}

/// What a host reports outside the database, in the file `workspace.unwritten`, while it cannot write to the database: why, and since when.
///
/// The file exists only in the meantime. One left by a killed host identifies another process than the next host's, and is ignored. On a full disk,
/// where there is no room for its content, it is empty, and its modification time is the start, which takes no room. The next host removes such a
/// file before anyone can ask about that host.
package struct HostNote: Sendable {
  private static let name = "workspace.unwritten"
  /// Longer than any reason.
  private static let longest = 16384

  private let directory: String

  /// - Parameter directory: The directory of the workspace.
  package init(in directory: String) { self.directory = directory }

  /// Writes the report. If the file cannot be created, others must find out by themselves.
  package func write(since: RecordTime, because reason: String, of owner: ProcessIdentity = .current) {
    guard let descriptor = try? OwnFile.open(Self.name, in: directory, O_WRONLY | O_CREAT) else { return }
    defer { close(descriptor) }
    let note: JSONValue = [
      "boot": .string(owner.boot), "pid": JSONValue(Int(owner.pid)), "started": JSONValue(Int(owner.started)),
      "since": JSONValue(Int(since.microseconds)), "reason": .string(reason),
    ]
    // In one call, so that a reader sees all of it. Longer earlier content is truncated.
    let text = note.text + "\n"
    let count = pwrite(descriptor, text, text.utf8.count, 0)
    let hasRoom = count == text.utf8.count
    ftruncate(descriptor, hasRoom ? count : 0)
    guard !hasRoom else { return }
    let (seconds, rest) = since.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest) * 1000)
    futimens(descriptor, [time, time])
  }

  /// Removes the report.
  package func remove() { unlink("\(directory)/\(Self.name)") }

  fileprivate static func read(of owner: ProcessIdentity, in directory: String) -> HostStandstill? {
    guard let descriptor = try? OwnFile.open(name, in: directory, O_RDONLY) else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: longest)
    let count = pread(descriptor, &bytes, longest, 0)
    if count == 0 { return withoutRoom(descriptor, in: directory) }
    guard count > 0,
      let line = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").first,
      let note = try? JSONValue.parse(String(line)), note["boot"]?.stringValue == owner.boot,
      note["pid"]?.intValue == Int64(owner.pid), note["started"]?.intValue == owner.started,
      let since = note["since"]?.intValue, let reason = note["reason"]?.stringValue
    else { return nil }
    return .unwritten(since: RecordTime(microseconds: since), reason: reason)
  }

  /// Reads an empty file: the disk was full when the host wrote it. Returns nil if the host is about to write it.
  private static func withoutRoom(_ descriptor: Int32, in directory: String) -> HostStandstill? {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    let (since, changed) = (status.st_mtim, status.st_ctim)
    // A file that has just been created, and is about to be written, has equal times.
    guard since.tv_sec != changed.tv_sec || since.tv_nsec != changed.tv_nsec else { return nil }
    return .unwritten(
      since: RecordTime(microseconds: Int64(since.tv_sec) * 1_000_000 + Int64(since.tv_nsec) / 1000),
      reason: WorkspaceError.full(path: "\(directory)/workspace.db").advice)
  }
}
