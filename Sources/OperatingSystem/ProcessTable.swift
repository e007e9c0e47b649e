import Glibc

/// Reads information about this computer's processes from `/proc`.
package enum ProcessTable {
  /// Returns the ids of all processes.
  package static func all() -> [Int32] { DirectoryNames.of("/proc").compactMap { Int32($0) } }

  /// Returns the members of a process group that have not ended (without zombies).
  package static func members(ofGroup group: Int32) -> [Int32] {
    all().filter { pid in
      guard let fields = fields(of: pid) else { return false }
      return fields[2].elementsEqual("\(group)".utf8) && !fields[0].elementsEqual("Z".utf8)
    }
  }

  /// Returns the children of this process, whichever of its threads started or adopted them, including those that have ended but were not waited for.
  package static func children() -> [Int32] {
    var found: [Int32] = []
    var isKnown = false
    for thread in DirectoryNames.of("/proc/self/task") {
      guard let list = read("/proc/self/task/\(thread)/children", limit: 1 << 20) else { continue }
      isKnown = true
      found += list.split(separator: UInt8(ascii: " ")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
    // Kernels may be built without these lists.
    return isKnown ? found : all().filter { parent(of: $0) == getpid() }
  }

  /// Returns whether a process group has living members. Reaps members that have ended and are this process's children, for example by adoption.
  package static func isAlive(group: Int32) -> Bool {
    guard kill(-group, 0) == 0 else { return false }
    while waitpid(-group, nil, WNOHANG) > 0 {}
    return kill(-group, 0) == 0
  }

  /// The result of searching the initial environment of a process for an entry.
  package enum Mark {
    case present
    /// The entry is absent, or this user may not read the environment.
    case absent
    /// The process has ended.
    case gone
    /// The process is in the middle of an exec and has no environment yet.
    case undecided
  }

  /// Returns whether the initial environment of a process contains the entry `NAME=value`.
  package static func mark(_ entry: [UInt8], of pid: Int32) -> Mark {
    let environment = read("/proc/\(pid)/environ", limit: 4 << 20)
    if let environment, !environment.isEmpty {
      return environment.split(separator: 0).contains { $0.elementsEqual(entry) } ? .present : .absent
    }
    guard let fields = fields(of: pid), let state = fields[0].first, state != UInt8(ascii: "Z"),
      state != UInt8(ascii: "X")
    else { return .gone }
    // During an exec, a process has memory (field 23) but no address for its code (field 26), which the kernel sets after the bounds of the environment
    // (50 and 51). If the environment is no longer empty, the file was opened on the old program's memory, which no longer existed when it was read.
    // Kernel threads have no memory.
    let (memory, code, start, end) = (20, 23, 47, 48)
    guard environment != nil, fields.count > end, !fields[memory].elementsEqual("0".utf8),
      fields[code].elementsEqual("0".utf8) || fields[start] != fields[end]
    else {
      return .absent
    }
    return .undecided
  }

  /// Returns the process that started or adopted `pid`; nil if there is no such process.
  package static func parent(of pid: Int32) -> Int32? {
    fields(of: pid).flatMap { Int32(String(decoding: $0[1], as: UTF8.self)) }
  }

  /// A process that has not ended.
  package struct Entry: Hashable {
    package let pid: Int32
    package let parent: Int32
    package let session: Int32
    /// The start time, in clock ticks since boot.
    package let started: Int64

    /// Whether this same process is still running.
    package var isRunning: Bool { ProcessTable.entry(of: pid)?.started == started }
  }

  /// Returns the processes that have not ended (without zombies).
  package static func entries() -> [Entry] { all().compactMap(entry) }

  /// Returns the entry of a process that has not ended; nil if there is none.
  package static func entry(of pid: Int32) -> Entry? {
    guard let fields = fields(of: pid), fields.count > startField, !fields[0].elementsEqual("Z".utf8),
      !fields[0].elementsEqual("X".utf8), let parent = Int32(String(decoding: fields[1], as: UTF8.self)),
      let session = Int32(String(decoding: fields[3], as: UTF8.self)),
      let started = Int64(String(decoding: fields[startField], as: UTF8.self))
    else { return nil }
    return Entry(pid: pid, parent: parent, session: session, started: started)
  }

  /// Returns the start time of a process in clock ticks since boot, even if it has ended but was not waited for; nil if there is no such process.
  package static func started(of pid: Int32) -> Int64? {
    fields(of: pid).flatMap { $0.count > startField ? Int64(String(decoding: $0[startField], as: UTF8.self)) : nil }
  }

  /// Returns the user that a process runs as; nil if there is no such process.
  package static func user(of pid: Int32) -> uid_t? {
    // The owner of the directory is root if the process is not dumpable.
    guard let status = read("/proc/\(pid)/status", limit: 16 << 10),
      let line = status.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: "Uid:".utf8) })
    else { return nil }
    let numbers = line.dropFirst(4).split { $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: " ") }
    return numbers.first.flatMap { uid_t(String(decoding: $0, as: UTF8.self)) }
  }

  /// Returns whether a process has standard output or error open for writing to a file below `directory`, an absolute path without symbolic links.
  package static func writes(into directory: String, _ pid: Int32) -> Bool {
    let prefix = Array((directory + "/").utf8)
    return [1, 2].contains { descriptor in
      let path = "/proc/\(pid)/fd/\(descriptor)"
      var status = stat()
      // The permissions of the link are the mode in which the file was opened.
      guard lstat(path, &status) == 0, status.st_mode & S_IWUSR != 0 else { return false }
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
        guard let start = buffer.baseAddress else { return false }
        let count = readlink(path, start, buffer.count)
        return count > 0
          && UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]).starts(with: prefix)
      }
    }
  }

  private static let startField = 19

  /// Returns the fields of a process in `/proc` after its name: its state, parent, group, session, and more.
  private static func fields(of pid: Int32) -> [ArraySlice<UInt8>]? {
    guard let stat = read("/proc/\(pid)/stat", limit: 1024), let close = stat.lastIndex(of: UInt8(ascii: ")")) else {
      return nil
    }
    let fields = stat[(close + 1)...].split(separator: UInt8(ascii: " "))
    return fields.count > 3 ? fields : nil
  }

  /// Returns the `NAME=value` entries of a process's initial environment; nil if this user may not read it.
  package static func environment(of pid: Int32) -> [ArraySlice<UInt8>]? {
    read("/proc/\(pid)/environ", limit: 4 << 20)?.split(separator: 0)
  }

  /// Returns the processes started since `begin` (in clock ticks since boot) that have lost their parent or session leader and show no environment, so that
  /// nothing identifies their owner.
  package static func hidden(since begin: Int64) -> [Entry] {
    let table = entries()
    let known = Set(table.map(\.pid))
    return table.filter { process in
      // Session 0 contains kernel threads, and processes started from outside the container.
      guard process.started >= begin, process.session != 0, process.pid != getpid(),
        process.parent == 1 || !known.contains(process.session)
      else { return false }
      return environment(of: process.pid)?.isEmpty ?? true
    }
  }

  package static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      LookFailures.note(errno)
      return nil
    }
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
