import Glibc

/// Another process that blocks writing to a workspace, as far as the kernel reveals.
package struct WriteLockHolder: Sendable, Hashable {
  /// Its process ID in this pid namespace.
  package let pid: Int32
  /// The name of its program, as `ps` shows it; empty if unknown.
  package let program: String
  /// Whether it is stopped, and holds the lock until it is continued.
  package let isStopped: Bool

  /// Finds the process that holds the write lock on the database of the workspace in a directory; nil if no other process does, or the kernel does not
  /// reveal it, for example because it is in another pid namespace.
  ///
  /// Uses only `/proc/locks`: opening and closing a file on which SQLite has locks would release those of this process.
  package init?(in directory: String) {
    guard let locks = Self.text(of: "/proc/locks") else { return nil }
    let memory = Self.Place("\(directory)/workspace.db-shm")
    let file = Self.Place("\(directory)/\(WriteLock.name)")
    // `1: POSIX  ADVISORY  WRITE 3568 fe:00:2531452 120 120`; the number of one that waits for another is followed by an arrow.
    for line in locks.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 8, parts[3] == "WRITE", let pid = Int32(parts[4]), pid > 0, pid != getpid() else { continue }
      let isHolder =
        switch parts[1] {
        // The first of SQLite's locks on the shared memory of a log is the write lock.
        case "POSIX": memory?.matches(parts[5]) == true && Self.includes(Self.writeLock, from: parts[6], to: parts[7])
        case "FLOCK": file?.matches(parts[5]) == true
        default: false
        }
      guard isHolder else { continue }
      self.pid = pid
      program = Self.text(of: "/proc/\(pid)/comm").map { String($0.prefix { $0 != "\n" }) } ?? ""
      isStopped = ProcessIdentity.running(pid: pid)?.isStopped ?? false
      return
    }
    return nil
  }

  /// A description: `process 3568 (sqlite3)`.
  package var words: String {
    "process \(pid)" + (program.isEmpty ? "" : " (\(program))") + (isStopped ? ", which is stopped," : "")
  }

  /// `WAL_WRITE_LOCK` of SQLite's file format.
  private static let writeLock = 120

  private static func includes(_ byte: Int, from start: Substring, to end: Substring) -> Bool {
    (Int(start) ?? .max) <= byte && (end == "EOF" || byte <= Int(end) ?? -1)
  }

  /// The location of a file, as the kernel lists it.
  private struct Place {
    private let device: String
    private let number: String
    /// Whether the device numbers of `stat` and of the kernel's list may differ: on Btrfs, and on layered file systems.
    private let isAnonymous: Bool

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      // `gnu_dev_major` and `gnu_dev_minor`, which are macros in C.
      let bits = UInt64(status.st_dev)
      let major = bits >> 8 & 0xfff | bits >> 32 & ~0xfff
      let minor = bits & 0xff | bits >> 12 & ~0xff
      func digits(_ value: UInt64) -> String { (value < 16 ? "0" : "") + String(value, radix: 16) }
      device = "\(digits(major)):\(digits(minor))"
      number = "\(status.st_ino)"
      isAnonymous = major == 0
    }

    func matches(_ text: Substring) -> Bool {
      let parts = text.split(separator: ":")
      guard parts.count == 3, parts[2] == number else { return false }
      return isAnonymous || "\(parts[0]):\(parts[1])" == device
    }
  }

  private static func text(of path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < 1 << 22 {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
