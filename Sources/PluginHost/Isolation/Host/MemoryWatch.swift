import CProcess
import Glibc
import OperatingSystem

/// Sees to it that a child host does not take more memory than it may, shared memory and files in memory included.
///
/// Where there is a control group, the kernel does so. Else the process is looked at: ten times a second while that grows, once a second while
/// it does not. What it can write and shares with nobody is limited by the kernel in any case: see `penstock_limit_process`.
///
/// Used on the connection's thread only.
final class MemoryWatch {
  private let pid: Int32
  private let limit: Int64
  private let file: MemoryUse.FileInMemory?
  private let fileSize: Int64
  private let group: ControlGroup?
  private let timer: Int32
  private var interval = MemoryUse.intervals.first
  private var last: Int64 = 0

  /// A watch of a child that was just started, in a group of its own where one can be made.
  ///
  /// - Parameters:
  ///   - pid: The child.
  ///   - limit: The bytes that the plugin may have.
  ///   - file: The plugin's file, which may be one in memory.
  ///   - groups: Where a group may be made.
  init(pid: Int32, limit: Int64, file: Int32, groups: ControlGroups) {
    self.pid = pid
    self.limit = limit
    self.file = MemoryUse.FileInMemory(file)
    var status = stat()
    fileSize = fstat(file, &status) == 0 ? Int64(status.st_size) : 0
    group = groups.group(for: pid, memory: limit.addingSaturating(MemoryUse.allowance))
    timer = group == nil ? timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK)) : -1
  }

  /// Looks at the process from now on, and calls `exceeded` when it has more than it may.
  ///
  /// - Returns: The watch of the thread; nil where none is needed, or to be had.
  func begin(on thread: ChildThread, exceeded: @escaping (Int64) -> Void) throws(SystemError) -> ChildThread.Token? {
    guard timer >= 0 else { return nil }
    let token = try thread.watch(timer) { [self] _ in
      var count: UInt64 = 0
      _ = read(timer, &count, 8)
      look(exceeded)
    }
    arm()
    return token
  }

  /// The process has ended: whether the kernel ended it for its memory.
  func end() -> Bool {
    if timer >= 0 { close(timer) }
    guard let group else { return false }
    defer { group.remove() }
    return group.hasRunOut
  }

  private func look(_ exceeded: (Int64) -> Void) {
    guard let bytes = MemoryUse.bytes(of: pid, except: file) else { return }
    // Pages of the plugin's own file count as shared ones where that is a copy in memory.
    guard bytes <= limit.addingSaturating(MemoryUse.allowance + fileSize) else { return exceeded(limit) }
    let isStill = abs(bytes - last) < 1 << 20
    interval = isStill ? min(interval * 2, MemoryUse.intervals.longest) : MemoryUse.intervals.first
    last = bytes
    arm()
  }

  private func arm() {
    var time = itimerspec()
    time.it_value = timespec(tv_sec: Int(interval / 1000), tv_nsec: Int(interval % 1000) * 1_000_000)
    timerfd_settime(timer, 0, &time, nil)
  }
}
