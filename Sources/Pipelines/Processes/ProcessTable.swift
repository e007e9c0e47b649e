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

  /// The children of this process, whichever of its threads has started or adopted them; those that have ended and were not waited for included.
  static func children() -> [Int32] {
    var found: [Int32] = []
    var isKnown = false
    for thread in DirectoryNames.of("/proc/self/task") {
      guard let list = read("/proc/self/task/\(thread)/children", limit: 1 << 20) else { continue }
      isKnown = true
      found += list.split(separator: UInt8(ascii: " ")).compactMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }
    // A kernel may be built without these lists.
    return isKnown ? found : all().filter { parent(of: $0) == getpid() }
  }

  /// Whether processes of a group live. Those that have ended and are this process's to wait for, as it adopted them, are reaped.
  static func isAlive(group: Int32) -> Bool {
    guard kill(-group, 0) == 0 else { return false }
    while waitpid(-group, nil, WNOHANG) > 0 {}
    return kill(-group, 0) == 0
  }

  /// What the environment that a process was started with says of an entry.
  enum Mark {
    case present
    /// It is not there, or this user may not know.
    case absent
    /// The process has ended.
    case gone
    /// The process is just becoming another program, and shows no environment yet.
    case undecided
  }

  /// Whether the initial environment of a process holds the entry `NAME=value`.
  static func mark(_ entry: [UInt8], of pid: Int32) -> Mark {
    let environment = environment(of: pid)
    if let environment, !environment.isEmpty {
      return environment.contains { $0.elementsEqual(entry) } ? .present : .absent
    }
    guard let fields = fields(of: pid), let state = fields[0].first, state != UInt8(ascii: "Z"),
      state != UInt8(ascii: "X")
    else { return .gone }
    // Between the old program and the new one there is memory (field 23) and the place of the environment (field 50) is not known yet. Kernel threads
    // have no memory.
    let (memory, place) = (20, 47)
    guard environment != nil, fields.count > place, !fields[memory].elementsEqual("0".utf8),
      fields[place].elementsEqual("0".utf8)
    else {
      return .absent
    }
    return .undecided
  }

  /// The process that started another one, or has adopted it; nil where there is no such process.
  static func parent(of pid: Int32) -> Int32? {
    fields(of: pid).flatMap { Int32(String(decoding: $0[1], as: UTF8.self)) }
  }

  /// The processes in the sessions that `leaders` have led, which have not ended; the leaders are left out.
  static func members(ofSessions leaders: Set<Int32>) -> [Int32] {
    guard !leaders.isEmpty else { return [] }
    return all().filter { pid in
      guard !leaders.contains(pid), let fields = fields(of: pid), !fields[0].elementsEqual("Z".utf8) else {
        return false
      }
      return Int32(String(decoding: fields[3], as: UTF8.self)).map(leaders.contains) == true
    }
  }

  /// What `/proc` tells of a process behind its name: its state, its parent, its group, its session, and more.
  private static func fields(of pid: Int32) -> [ArraySlice<UInt8>]? {
    guard let stat = read("/proc/\(pid)/stat", limit: 1024), let close = stat.lastIndex(of: UInt8(ascii: ")")) else {
      return nil
    }
    let fields = stat[(close + 1)...].split(separator: UInt8(ascii: " "))
    return fields.count > 3 ? fields : nil
  }

  /// The processes of this user whose initial environment held the entry `NAME=value`, and whether others may turn out to be such in a moment.
  static func carrying(_ entry: String) -> (pids: [Int32], isUndecided: Bool) {
    let wanted = Array(entry.utf8)
    var isUndecided = false
    let pids = all().filter { pid in
      guard pid != getpid() else { return false }
      let mark = mark(wanted, of: pid)
      if mark == .undecided { isUndecided = true }
      return mark == .present
    }
    return (pids, isUndecided)
  }

  /// The entries `NAME=value` of the environment that a process was started with; nil where this user may not know it.
  static func environment(of pid: Int32) -> [ArraySlice<UInt8>]? {
    read("/proc/\(pid)/environ", limit: 4 << 20)?.split(separator: 0)
  }

  static func read(_ path: String, limit: Int) -> [UInt8]? {
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
