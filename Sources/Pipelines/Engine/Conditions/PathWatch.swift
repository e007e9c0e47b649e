import Glibc

/// Tells when something at a path appears, changes or goes, whether or not the path is there yet.
///
/// One inotify descriptor for all paths of the host, on the event loop. Of a path that is not there, the nearest directory above it that is there is
/// watched. Only paths that the kernel refuses to watch, because the user has too many watches or may not read the directory, are looked at from time to
/// time. *On the loop.*
final class PathWatch: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  private struct Interest {
    let entry: Int
    /// The name in the watched directory that counts; nil when everything does.
    let name: String?
  }

  private static let events = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF)

  /// Watches a path, as `inotify_add_watch` does.
  typealias AddWatch = (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32

  private let loop: EventLoop
  private let addWatch: AddWatch
  private let pollingInterval: Duration
  private var descriptor: Int32 = -1
  private var token: EventLoop.Token?
  private var entries: [Int: (path: String, body: () -> Void)] = [:]
  private var interests: [Int32: [Interest]] = [:]
  private var nextEntry = 0
  /// What was seen at the paths that the kernel does not watch.
  private var polled: [Int: FileStamp?] = [:]
  private var timer: EventLoop.Token?

  init(
    loop: EventLoop, pollingInterval: Duration = .seconds(1),
    addWatch: @escaping AddWatch = { inotify_add_watch($0, $1, $2) }
  ) {
    self.loop = loop
    self.pollingInterval = pollingInterval
    self.addWatch = addWatch
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Calls `body` after each change at the absolute `path`, until `remove`.
  func add(_ path: String, _ body: @escaping () -> Void) -> Int {
    begin()
    nextEntry += 1
    entries[nextEntry] = (path, body)
    watch(nextEntry, path)
    return nextEntry
  }

  /// Ends the calls for one path.
  func remove(_ entry: Int) {
    guard entries.removeValue(forKey: entry) != nil else { return }
    polled[entry] = nil
    forget(entry)
  }

  private func begin() {
    guard descriptor < 0 else { return }
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return }
    token = try? loop.watch(descriptor) { [weak self] in self?.drain() }
  }

  /// Watches the path itself where it is there, and the nearest directory above it for the next name on the way to it.
  private func watch(_ entry: Int, _ path: String) {
    guard descriptor >= 0 else { return poll(entry, path) }
    var refusal = note(entry, nil, at: path)
    var name = Substring(path)
    while let slash = name.lastIndex(of: "/") {
      let directory = slash == path.startIndex ? "/" : String(path[..<slash])
      let error = note(entry, String(name[name.index(after: slash)...]), at: directory)
      if !Self.isAbsence(error) { refusal = error }
      if !Self.isAbsence(error) || directory == "/" { break }
      name = path[..<slash]
    }
    if refusal == 0 || Self.isAbsence(refusal) { polled[entry] = nil } else { poll(entry, path) }
  }

  /// Watches a path for an entry; the error number, or 0.
  private func note(_ entry: Int, _ name: String?, at path: String) -> Int32 {
    let watch = addWatch(descriptor, path, Self.events)
    guard watch >= 0 else { return errno }
    interests[watch, default: []].append(Interest(entry: entry, name: name))
    return 0
  }

  private static func isAbsence(_ error: Int32) -> Bool { error == ENOENT || error == ENOTDIR }

  // MARK: What the kernel does not watch

  private func poll(_ entry: Int, _ path: String) {
    polled[entry] = .some(FileStamp(path))
    guard timer == nil else { return }
    timer = loop.schedule(after: pollingInterval) { [weak self] in self?.lookAround() }
  }

  private func lookAround() {
    timer = nil
    var changed: [Int] = []
    for (entry, stamp) in polled {
      guard let path = entries[entry]?.path else { continue }
      if FileStamp(path) != stamp { changed.append(entry) }
    }
    tell(changed)
    guard !polled.isEmpty, timer == nil else { return }
    timer = loop.schedule(after: pollingInterval) { [weak self] in self?.lookAround() }
  }

  private func forget(_ entry: Int) {
    for (watch, others) in interests {
      let left = others.filter { $0.entry != entry }
      guard left.count < others.count else { continue }
      interests[watch] = left.isEmpty ? nil : left
      if left.isEmpty { inotify_rm_watch(descriptor, watch) }
    }
  }

  private func drain() {
    var touched: Set<Int> = []
    withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 8) { buffer in
      while true {
        let count = read(descriptor, buffer.baseAddress, buffer.count)
        guard count > 0, let base = buffer.baseAddress else { break }
        var offset = 0
        while offset + MemoryLayout<inotify_event>.size <= count {
          let event = (base + offset).loadUnaligned(as: inotify_event.self)
          let text = (base + offset + MemoryLayout<inotify_event>.size).assumingMemoryBound(to: CChar.self)
          let name = event.len > 0 ? String(cString: text) : nil
          note(event, name, into: &touched)
          offset += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    tell(touched)
  }

  private func tell(_ touched: some Sequence<Int>) {
    for entry in touched.sorted() {
      guard let (path, body) = entries[entry] else { continue }
      // What is there to be watched may be another thing now.
      forget(entry)
      watch(entry, path)
      body()
    }
  }

  private func note(_ event: inotify_event, _ name: String?, into touched: inout Set<Int>) {
    guard event.mask & UInt32(IN_Q_OVERFLOW) == 0 else {
      touched.formUnion(entries.keys)
      return
    }
    // The kernel has taken the watch away, and may give its number to another one.
    let interested =
      event.mask & UInt32(IN_IGNORED) != 0 ? interests.removeValue(forKey: event.wd) : interests[event.wd]
    for interest in interested ?? [] where interest.name == nil || interest.name == name {
      touched.insert(interest.entry)
    }
  }
}
