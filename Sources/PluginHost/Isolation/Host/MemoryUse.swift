import Glibc

/// The memory that a process uses, including shared memory and files in memory, as `/proc` shows it to its owner.
enum MemoryUse {
  /// A generous allowance for the child host itself, in bytes: it uses at most 20 MiB once its plugin is loaded.
  static let allowance: Int64 = 32 << 20

  /// The intervals between checks, in milliseconds: the first, and the longest while nothing changes.
  static let intervals = (first: Int64(100), longest: Int64(1000))

  /// Returns the bytes that a process uses. Shared memory counts once: as the greater of what is mapped and what its open files in memory hold,
  /// since most of either is in both.
  ///
  /// - Parameters:
  ///   - pid: The process.
  ///   - file: A file in memory that does not count; nil for none.
  /// - Returns: Nil if the process has ended or cannot be inspected.
  static func bytes(of pid: Int32, except file: FileInMemory? = nil) -> Int64? {
    guard let status = ProcFile.text("/proc/\(pid)/status") else { return nil }
    func bytes(_ name: String) -> Int64 {
      guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return 0 }
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int64($0) }.map { $0 << 10 } ?? 0
    }
    return bytes("RssAnon:") + bytes("VmSwap:") + max(bytes("RssShmem:"), filesInMemory(of: pid, except: file))
  }

  /// A file in memory.
  struct FileInMemory: Hashable {
    var device: UInt64
    var inode: UInt64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }

    /// Creates the identity of the file behind a descriptor of this process.
    init?(_ descriptor: Int32) {
      var status = stat()
      guard fstat(descriptor, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  /// Returns the bytes of the files in memory that a process has open, each counted once.
  private static func filesInMemory(of pid: Int32, except file: FileInMemory?) -> Int64 {
    guard let folder = opendir("/proc/\(pid)/fd") else { return 0 }
    defer { closedir(folder) }
    var seen: Set<FileInMemory> = file.map { [$0] } ?? []
    var total: Int64 = 0
    var target = [CChar](repeating: 0, count: 64)
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let path = "/proc/\(pid)/fd/\(name)"
      let count = readlink(path, &target, target.count)
      guard count > 0 else { continue }
      let text = target[..<count].lazy.map { UInt8(bitPattern: $0) }
      guard ["/memfd:", "/dev/shm/"].contains(where: { text.starts(with: $0.utf8) }) else { continue }
      var status = stat()
      guard stat(path, &status) == 0, seen.insert(FileInMemory(status)).inserted else { continue }
      total += Int64(status.st_blocks) * 512
    }
    return total
  }
}
