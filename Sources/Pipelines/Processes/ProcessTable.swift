import Glibc

/// What `/proc` tells about the processes of this machine.
enum ProcessTable {
  /// The ids of all processes.
  static func all() -> [Int32] { DirectoryNames.of("/proc").compactMap { Int32($0) } }

  /// The processes of a group that have not ended (zombies left out).
  static func members(ofGroup group: Int32) -> [Int32] {
    all().filter { pid in
      guard let fields = fields(of: pid) else { return false }
      return fields[2].elementsEqual("\(group)".utf8) && !fields[0].elementsEqual("Z".utf8)
    }
  }

  /// The process that started another one, or has adopted it; nil where there is no such process.
  static func parent(of pid: Int32) -> Int32? {
    fields(of: pid).flatMap { Int32(String(decoding: $0[1], as: UTF8.self)) }
  }

  /// What `/proc` tells of a process behind its name: its state, its parent, its group, and more.
  private static func fields(of pid: Int32) -> [ArraySlice<UInt8>]? {
    guard let stat = read("/proc/\(pid)/stat", limit: 1024), let close = stat.lastIndex(of: UInt8(ascii: ")")) else {
      return nil
    }
    let fields = stat[(close + 1)...].split(separator: UInt8(ascii: " "))
    return fields.count > 2 ? fields : nil
  }

  /// The processes of this user whose initial environment held the entry `NAME=value`.
  static func carrying(_ entry: String) -> [Int32] {
    let wanted = Array(entry.utf8)
    return all().filter { pid in
      pid != getpid() && environment(of: pid)?.contains { $0.elementsEqual(wanted) } == true
    }
  }

  /// The entries `NAME=value` of the environment that a process was started with; nil where this user may not know it.
  static func environment(of pid: Int32) -> [ArraySlice<UInt8>]? {
    read("/proc/\(pid)/environ", limit: 4 << 20)?.split(separator: 0)
  }

  private static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16 << 10)
    while result.count < limit {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count < 0 { return nil }
      if count == 0 { break }
      result.append(contentsOf: chunk[..<count])
    }
    return result
  }
}
