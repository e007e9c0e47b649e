import Glibc
import OperatingSystem
import Synchronization

/// Wakes up when another process, or another workspace of this one, may have changed the database or a file beside it: the one place that waits for others.
///
/// A thread waits for inotify to report a write to the log. SQLite writes a commit to the log first and makes it visible
/// afterwards, through memory of which inotify tells nothing. So after a report it looks again, five times within a second; when nothing is written any
/// more, it sleeps. Who commits what others wait for touches the database afterwards, however long that takes: see ``OpenWorkspace/announce()``.
final class ForeignChanges: Sendable {
  /// When it looks after a report, in milliseconds after the look before: a commit is visible at the first look, unless its process was interrupted in it.
  private static let pauses: [Int64] = [1, 4, 20, 100, 500]
  /// How much time is between two looks while one report follows the other.
  private static let crowdPause: Int64 = 5
  /// The same where somebody has announced a commit, for which others wait, and which is visible by then.
  private static let announcedPause: Int64 = 1
  /// Where the kernel gives no inotify, everything is looked at this often, in milliseconds.
  private static let pollPause: Int64 = 1000

  private struct Follower {
    let watch: Int32
    let body: @Sendable () -> Void
  }

  private let inotify: Int32
  /// Of the directory of the database; -1 where it cannot be watched.
  private let database: Int32
  /// A signal ends the thread. Nil where the process is out of descriptors, when there is no thread.
  private let wake = try? WakeDescriptor()
  private let check: @Sendable () -> Void
  private let followers = Mutex<[UInt64: Follower]>([:])
  private let lastFollower = Atomic<UInt64>(0)

  /// Begins to watch. `check` looks at the database. [the watch's own thread]
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

  /// Starts the thread, which holds this object until ``stop()``.
  func start() {
    guard let wake else { return }
    // Without a thread there are no reports of others; what they have done is seen with the next query.
    try? SystemThread.detach("penstock-follow") { self.run(wake) }
  }

  /// Ends the thread soon.
  func stop() { wake?.signal() }

  /// Has `body` called after files were created in a directory or written to. Nil where there is no directory. [the watch's own thread]
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

  /// Calls those who follow a watch; nil calls all of them.
  private func tell(_ watches: Set<Int32>?) {
    let bodies = followers.withLock { followers in
      followers.sorted { $0.key < $1.key }.map(\.value).filter { watches?.contains($0.watch) ?? true }.map(\.body)
    }
    for body in bodies { body() }
  }

  private func run(_ wake: WakeDescriptor) {
    // What was committed before the watch began is not reported.
    check()
    let isPolling = database < 0
    var look = 0
    var lastLook = Self.now()
    var due: Int64? = isPolling ? Self.now() + Self.pollPause : nil
    var takenAt: Int64?
    while true {
      // What is written next within a millisecond is taken together, as each commit is several writes.
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
          // However much is written, at most some hundred times a second.
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

  /// What a report says of the database.
  private enum Kind {
    case written
    /// See ``OpenWorkspace/announce()``.
    case announced
  }

  /// Takes all reports: what they say of the database, and the watches of those about other files, nil for all.
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

  /// What it means that something has happened to a file. The memory that connections share, `workspace.db-shm`, is written by readers as well, and who opens the log sets
  /// its owner anew: neither says that something was committed.
  private static func kind(of mask: UInt32, of name: UnsafePointer<CChar>?) -> Kind? {
    guard let name else { return .written }
    let isOfMetadata = mask & UInt32(IN_ATTRIB) != 0
    if strcmp(name, "workspace.db") == 0 { return isOfMetadata ? .announced : .written }
    return strcmp(name, "workspace.db-wal") == 0 && !isOfMetadata ? .written : nil
  }

  /// Milliseconds of a clock that never jumps.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
