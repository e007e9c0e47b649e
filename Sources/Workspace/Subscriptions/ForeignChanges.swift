import Glibc
import OperatingSystem
import Synchronization

/// Notifies when another process, or another workspace of this one, may have changed the database or a file beside it. This is the only place that waits
/// for other processes.
///
/// A thread waits for inotify to report a write to the log. SQLite first writes a commit to the log and then makes it visible, through memory that inotify
/// does not cover. After a report it therefore checks again five times within a second, and sleeps once nothing more is written. A process whose commits
/// others wait for touches the database afterwards, however long that takes: see ``OpenWorkspace/announce()``.
final class ForeignChanges: Sendable {
  /// The intervals of the checks after a report, in milliseconds: a commit is visible at the first check, unless its process was interrupted during it.
  private static let pauses: [Int64] = [1, 4, 20, 100, 500]
  /// The minimum interval between two checks while reports follow one another, in milliseconds.
  private static let crowdPause: Int64 = 5
  /// The same after an announced commit, which others wait for and which is already visible.
  private static let announcedPause: Int64 = 1
  /// The polling interval in milliseconds if inotify is not available.
  private static let pollPause: Int64 = 1000

  private struct Follower {
    let watch: Int32
    let body: @Sendable () -> Void
  }

  private let inotify: Int32
  /// The watch of the database's directory; -1 if it cannot be watched.
  private let database: Int32
  /// Signalled to end the thread. Nil if the process is out of descriptors; then there is no thread.
  private let wake = try? WakeDescriptor()
  private let check: @Sendable () -> Void
  private let followers = Mutex<[UInt64: Follower]>([:])
  private let lastFollower = Atomic<UInt64>(0)

  /// Begins to watch. `check` reads the database. [the watch's own thread]
  init(directory: String, check: @escaping @Sendable () -> Void) {
    self.check = check
    inotify = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    database = Self.watch(directory, inotify)
  }

  deinit {
    if inotify >= 0 { close(inotify) }
  }

  private static func watch(_ directory: String, _ inotify: Int32) -> Int32 {
    inotify < 0
      ? -1 : inotify_add_watch(inotify, directory, UInt32(IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_MOVED_TO | IN_ONLYDIR))
  }

  /// Starts the thread, which retains this object until ``stop()``.
  func start() {
    guard let wake else { return }
    // Without a thread, other processes' changes are not reported, but seen by the next query.
    try? SystemThread.detach("penstock-follow") { self.run(wake) }
  }

  /// Ends the thread soon.
  func stop() { wake?.signal() }

  /// Calls `body` after files were created or written in a directory. Nil if there is no such directory. [the watch's own thread]
  func follow(_ directory: String, _ body: @escaping @Sendable () -> Void) -> UInt64? {
    var status = stat()
    guard stat(directory, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    let number = lastFollower.wrappingAdd(1, ordering: .relaxed).newValue
    followers.withLock { $0[number] = Follower(watch: Self.watch(directory, inotify), body: body) }
    return number
  }

  func unfollow(_ number: UInt64) {
    followers.withLock { followers in
      guard let former = followers.removeValue(forKey: number), former.watch >= 0, former.watch != database,
        !followers.values.contains(where: { $0.watch == former.watch })
      else { return }
      inotify_rm_watch(inotify, former.watch)
    }
  }

  /// Calls the followers of these watches; nil calls all followers.
  private func tell(_ watches: Set<Int32>?) {
    let bodies = followers.withLock { followers in
      followers.sorted { $0.key < $1.key }.map(\.value).filter { watches?.contains($0.watch) ?? true }.map(\.body)
    }
    for body in bodies { body() }
  }

  private func run(_ wake: WakeDescriptor) {
    // Commits before the watch began are not reported.
    check()
    let isPolling = database < 0
    var look = 0
    var lastLook = Self.now()
    var due: Int64? = isPolling ? Self.now() + Self.pollPause : nil
    var takenAt: Int64?
    while true {
      // Writes within the same millisecond are handled together, because each commit is several writes.
      if takenAt == Self.now(), Self.isSignalled(wake, within: 1) { return }
      var descriptors = [
        pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
      ]
      let timeout = due.map { Int32(max(0, $0 - Self.now())) } ?? -1
      poll(&descriptors, 2, timeout)
      if descriptors[0].revents != 0 { return }
      if descriptors[1].revents != 0 {
        let report = takeReports()
        takenAt = Self.now()
        if report.files != [] { tell(report.files) }
        if let kind = report.kind, !isPolling {
          // Limits the checks to some hundred per second, however much is written.
          let pause = kind == .announced ? Self.announcedPause : Self.crowdPause
          due = min(due ?? .max, max(Self.now(), lastLook + pause))
          look = 0
        }
      }
      guard let instant = due, Self.now() >= instant else { continue }
      check()
      lastLook = Self.now()
      if isPolling {
        tell(nil)
        due = Self.now() + Self.pollPause
      } else if look < Self.pauses.count {
        due = Self.now() + Self.pauses[look]
        look += 1
      } else {
        due = nil
      }
    }
  }

  private static func isSignalled(_ wake: WakeDescriptor, within milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  /// What a report means for the database.
  private enum Kind {
    case written
    /// See ``OpenWorkspace/announce()``.
    case announced
  }

  /// Takes all reports: what they mean for the database, and the watches of those about other files, nil for all.
  private func takeReports() -> (kind: Kind?, files: Set<Int32>?) {
    var kind: Kind?
    var files: Set<Int32>? = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
      guard let base = buffer.baseAddress else { return }
      while true {
        let count = read(inotify, base, buffer.count)
        guard count > 0 else { return }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = (base + offset).loadUnaligned(as: inotify_event.self)
          let name = (base + offset + MemoryLayout<inotify_event>.size).assumingMemoryBound(to: CChar.self)
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
            // Reports were lost: anything may have happened.
            kind = .announced
            files = nil
          } else if event.mask & UInt32(IN_IGNORED) == 0 {
            if event.wd == database, let found = Self.kind(of: event.mask, of: event.len == 0 ? nil : name) {
              kind = kind == .announced ? kind : found
            }
            files?.insert(event.wd)
          }
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    return (kind, files)
  }

  /// Returns what an event on a file means. The connections' shared memory, `workspace.db-shm`, is also written by readers, and opening the log sets its
  /// owner again: neither means that something was committed.
  private static func kind(of mask: UInt32, of name: UnsafePointer<CChar>?) -> Kind? {
    guard let name else { return .written }
    let isOfMetadata = mask & UInt32(IN_ATTRIB) != 0
    if strcmp(name, "workspace.db") == 0 { return isOfMetadata ? .announced : .written }
    return strcmp(name, "workspace.db-wal") == 0 && !isOfMetadata ? .written : nil
  }

  /// The monotonic clock, in milliseconds.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
