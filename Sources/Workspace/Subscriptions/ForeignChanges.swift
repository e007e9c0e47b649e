import Glibc
import Synchronization

/// Wakes up when another process, or another workspace of this one, may have changed the database.
///
/// A thread waits for inotify to report a write to the log. SQLite writes a commit to the log first and makes it visible
/// afterwards, through memory of which inotify tells nothing. So after a report it looks again and again, at growing intervals of
/// 1 ms to about a second; when nothing is written any more, it sleeps.
final class ForeignChanges: Sendable {
  private static let lastPause: Int64 = 1024
  /// Where the kernel gives no inotify, the database is looked at this often, in milliseconds.
  private static let pollPause: Int64 = 250

  private let watch: Int32
  /// A pipe; what is written to it ends the thread.
  private let wake: (read: Int32, write: Int32)
  private let check: @Sendable () -> Void

  /// Begins to watch. `check` looks at the database. [the watch's own thread]
  init(directory: String, check: @escaping @Sendable () -> Void) {
    self.check = check
    var ends: [Int32] = [-1, -1]
    wake = pipe(&ends) == 0 ? (ends[0], ends[1]) : (-1, -1)
    for descriptor in ends where descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO)
    if descriptor >= 0, inotify_add_watch(descriptor, directory, events) < 0 {
      close(descriptor)
      watch = -1
    } else {
      watch = descriptor
    }
  }

  deinit {
    if watch >= 0 { close(watch) }
    for descriptor in [wake.read, wake.write] where descriptor >= 0 { close(descriptor) }
  }

  /// Starts the thread, which holds this object until ``stop()``.
  func start() {
    guard wake.read >= 0 else { return }
    // Without a thread there are no reports of others; what they have done is seen with the next query.
    _ = WorkspaceThread.start { self.run() }
  }

  /// Ends the thread soon.
  func stop() {
    write(wake.write, [0], 1)
  }

  private func run() {
    // What was committed before the watch began is not reported.
    check()
    var pause: Int64 = 1
    var due: Int64? = watch < 0 ? Self.now() + Self.pollPause : nil
    while true {
      var descriptors = [
        pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0), pollfd(fd: watch, events: Int16(POLLIN), revents: 0),
      ]
      let timeout = due.map { Int32(max(0, $0 - Self.now())) } ?? -1
      poll(&descriptors, 2, timeout)
      if descriptors[0].revents != 0 { return }
      if descriptors[1].revents != 0, reportsWrite() {
        pause = 1
        // At most a thousand times a second, however much is written.
        due = min(due ?? .max, Self.now() + (due == nil ? 0 : 1))
      }
      guard let instant = due, Self.now() >= instant else { continue }
      check()
      if watch < 0 {
        due = Self.now() + Self.pollPause
      } else if pause > Self.lastPause {
        due = nil
      } else {
        due = Self.now() + pause
        pause *= 2
      }
    }
  }

  /// Takes all reports; returns whether one was about the database or its log.
  private func reportsWrite() -> Bool {
    var found = false
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      guard let base = buffer.baseAddress else { return }
      while true {
        let count = read(watch, base, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = (base + offset).loadUnaligned(as: inotify_event.self)
          let name = (base + offset + MemoryLayout<inotify_event>.size).assumingMemoryBound(to: CChar.self)
          // When reports were lost there is no name, and anything may have happened.
          if event.len == 0 || isDatabase(name) { found = true }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    return found
  }

  /// The memory that connections share, `workspace.db-shm`, is written by readers as well.
  private func isDatabase(_ name: UnsafePointer<CChar>) -> Bool {
    strcmp(name, "workspace.db-wal") == 0 || strcmp(name, "workspace.db") == 0
  }

  /// Milliseconds of a clock that never jumps.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
