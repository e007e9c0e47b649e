import CProcess
import Glibc
import OperatingSystem

/// Limits the memory of a child host, including shared memory and files in memory.
///
/// If a control group can be created, the kernel enforces the limit. Otherwise the process is checked: ten times a second while its memory changes,
/// once a second while it does not. Private writable memory is limited by the kernel in any case: see `penstock_limit_process`.
///
/// Used only on the connection's thread.
final class MemoryWatch {
  private let pid: Int32
  private let limit: Int64
  private let file: MemoryUse.FileInMemory?
  private let fileSize: Int64
  private let group: ControlGroup?
  private let timer: Int32
  private var interval = MemoryUse.intervals.first
  private var last: Int64 = 0

  /// Creates a watch of a child that was just started, in its own control group if possible.
  ///
  /// - Parameters:
  ///   - pid: The child.
  ///   - limit: The number of bytes that the plugin may use.
  ///   - file: The plugin's file, which may be one in memory.
  ///   - groups: Where a control group may be created.
  init(pid: Int32, limit: Int64, file: Int32, groups: ControlGroups) {
    self.pid = pid
    self.limit = limit
    self.file = MemoryUse.FileInMemory(file)
    var status = stat()
    fileSize = fstat(file, &status) == 0 ? Int64(status.st_size) : 0
    group = groups.group(for: pid, memory: limit.addingSaturating(MemoryUse.allowance))
    timer = group == nil ? timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK)) : -1
  }

  /// Starts checking the process, and calls `exceeded` when it uses more than allowed.
  ///
  /// - Returns: The thread's watch; nil if none is needed, or none is available.
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

  /// Ends the watch of a process that has ended. Returns whether the kernel killed it for lack of memory.
  func end() -> Bool {
    if timer >= 0 { close(timer) }
    guard let group else { return false }
    defer { group.remove() }
    return group.hasRunOut
  }

  private func look(_ exceeded: (Int64) -> Void) {
    guard let bytes = MemoryUse.bytes(of: pid, except: file) else { return }
    // If the plugin's own file is a copy in memory, its pages count as shared memory.
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
