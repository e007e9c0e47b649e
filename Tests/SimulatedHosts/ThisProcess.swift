import CProcess
import Foundation
import Glibc

/// The process of a simulation, as the kernel sees it.
enum ThisProcess {
  /// The number of named threads of this process.
  static func threads(named name: String) -> Int {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.count { task in
      (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix(name) == true
    }
  }

  /// The memory in allocations that are in use, in kilobytes: what ``anonymousMemory()`` has beyond it is fragmentation, stacks and data of libraries.
  static func allocatedMemory() -> Int { Int(penstock_heap_in_use() / 1024) }

  /// Its anonymous memory, in kilobytes.
  static func anonymousMemory() -> Int {
    // Freed memory no longer belongs to the process. The function is not available in Swift.
    if let trim = dlsym(nil, "malloc_trim") {
      _ = unsafeBitCast(trim, to: (@convention(c) (Int) -> Int32).self)(0)
    }
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
      let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
    else { return 0 }
    return line.split(separator: " ").compactMap { Int($0) }.first ?? 0
  }
}
