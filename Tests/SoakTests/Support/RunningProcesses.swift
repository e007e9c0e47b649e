import Foundation

/// What `/proc` shows of the processes that a run has started.
enum RunningProcesses {
  /// Returns the command lines, by process id, of processes whose environment contains the entry `NAME=value`. Zombies have no environment.
  static func carrying(_ entry: String) -> [Int32: String] {
    let wanted = Data(entry.utf8)
    var found: [Int32: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let pid = Int32(name), pid != getpid(), let environment = read("/proc/\(pid)/environ") else { continue }
      guard environment.split(separator: 0).contains(where: { $0 == wanted }) else { continue }
      found[pid] = read("/proc/\(pid)/cmdline").map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
    return found
  }

  /// Returns the values of a variable, by process id, of each process whose environment contains it.
  static func values(of variable: String) -> [Int32: String] {
    var found: [Int32: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
      guard let pid = Int32(name), pid != getpid(), let environment = read("/proc/\(pid)/environ") else { continue }
      for entry in environment.split(separator: 0) where entry.starts(with: Data("\(variable)=".utf8)) {
        found[pid] = String(decoding: entry.dropFirst(variable.utf8.count + 1), as: UTF8.self)
      }
    }
    return found
  }

  /// Returns whether the process exists and is not a zombie.
  static func isRunning(_ pid: Int32) -> Bool {
    guard let stat = contents(of: "/proc/\(pid)/stat"), let name = stat.lastIndex(of: ")") else { return false }
    return !stat[name...].hasPrefix(") Z")
  }

  private static func read(_ path: String) -> Data? {
    FileManager.default.contents(atPath: path)
  }
}
