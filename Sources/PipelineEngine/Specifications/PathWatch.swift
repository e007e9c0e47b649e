import Glibc
import LinuxObservers
import Operations

/// Notifies observers when something at a path appears, changes or disappears, whether or not the path exists yet.
///
/// Uses one inotify descriptor for all paths of the host, on the event loop. Every directory on the way to a path is watched for the next name, and
/// so is every directory that a link on the way leads through. Only paths that the kernel refuses to watch, because the user has too many watches or
/// may not read a directory, are polled. *On the event loop.*
final class PathWatch: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// A path and its observers.
  private struct Target {
    let path: String
    var observers: [Int: () -> Void] = [:]
  }

  private struct Interest {
    let target: Int
    /// The name in the watched directory that counts; nil if everything does.
    let name: String?
  }

  /// Events of the entries of a directory, and of the directory itself.
  private static let structure = UInt32(
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_MASK_ADD)
  private static let content = UInt32(IN_CLOSE_WRITE | IN_ATTRIB)
  /// Events of the watched object itself, which have no name.
  private static let ofItself = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)

  /// Watches a path, as `inotify_add_watch` does.
  typealias AddWatch = (_ descriptor: Int32, _ path: String, _ events: UInt32) -> Int32

  private let loop: EventLoop
  private let addWatch: AddWatch
  private let pollingInterval: Duration
  private var descriptor: Int32 = -1
  private var token: EventLoop.Token?
  private var targets: [Int: Target] = [:]
  private var targetsByPath: [String: Int] = [:]
  private var targetsByEntry: [Int: Int] = [:]
  private var interests: [Int32: [Interest]] = [:]
  private var watches: [Int: Set<Int32>] = [:]
  private var lastNumber = 0
  /// The states of the paths that the kernel does not watch.
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
    let entry = newNumber()
    let target = targetsByPath[path] ?? newNumber()
    targetsByEntry[entry] = target
    let isNew = targets[target] == nil
    targets[target, default: Target(path: path)].observers[entry] = body
    if isNew {
      targetsByPath[path] = target
      watch(target, path)
    }
    return entry
  }

  /// Calls `body` after each change, and immediately if something has changed after `moment` of ``FileClock``: a caller that reads the file after
  /// that moment, and then calls this, misses nothing.
  func add(_ path: String, since moment: Timestamp, _ body: @escaping () -> Void) -> Int {
    let entry = add(path, body)
    if let change = FileClock.latestChange(atPath: path), change >= moment { body() }
    return entry
  }

  /// Ends the calls for one path.
  func remove(_ entry: Int) {
    guard let target = targetsByEntry.removeValue(forKey: entry), let path = targets[target]?.path else { return }
    // What it holds is released afterwards, because its deinitializer may remove others.
    let removed = targets[target]?.observers.removeValue(forKey: entry)
    withExtendedLifetime(removed) {
      guard targets[target]?.observers.isEmpty ?? false else { return }
      targets[target] = nil
      targetsByPath[path] = nil
      polled[target] = nil
      forget(target)
    }
  }

  private func newNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private func begin() {
    guard descriptor < 0 else { return }
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { return }
    token = try? loop.watch(descriptor) { [weak self] in self?.drain() }
  }

  private func watch(_ target: Int, _ path: String) {
    guard descriptor >= 0 else { return poll(target, path) }
    var isRefused = false
    PathWalk.visit(path) { place in
      let events = place.isLast ? Self.structure | Self.content : Self.structure
      let watch = addWatch(descriptor, place.path, events)
      guard watch >= 0 else {
        // If it no longer exists, it did a moment ago, and the watch of its directory reports that.
        if errno != ENOENT, errno != ENOTDIR { isRefused = true }
        return
      }
      interests[watch, default: []].append(Interest(target: target, name: place.name))
      watches[target, default: []].insert(watch)
    }
    if isRefused { poll(target, path) } else { polled[target] = nil }
  }

  private func forget(_ target: Int) {
    for watch in watches.removeValue(forKey: target) ?? [] {
      guard let left = interests[watch]?.filter({ $0.target != target }) else { continue }
      interests[watch] = left.isEmpty ? nil : left
      if left.isEmpty { inotify_rm_watch(descriptor, watch) }
    }
  }

  // MARK: Events of the kernel

  private func drain() {
    var touched: Set<Int> = []
    InotifyEvents.read(from: descriptor) { note($0, $1, into: &touched) }
    tell(touched)
  }

  private func note(_ event: inotify_event, _ name: String?, into touched: inout Set<Int>) {
    guard event.mask & UInt32(IN_Q_OVERFLOW) == 0 else {
      touched.formUnion(targets.keys)
      return
    }
    // The kernel has removed the watch, and may reuse its number.
    let interested =
      event.mask & UInt32(IN_IGNORED) != 0 ? interests.removeValue(forKey: event.wd) : interests[event.wd]
    let concernsAll = event.mask & Self.ofItself != 0
    for interest in interested ?? [] where concernsAll || interest.name == nil || interest.name == name {
      touched.insert(interest.target)
    }
  }

  private func tell(_ touched: some Sequence<Int>) {
    for target in touched.sorted() {
      guard let path = targets[target]?.path else { continue }
      // What is to be watched may have changed.
      forget(target)
      watch(target, path)
      for observer in (targets[target]?.observers ?? [:]).sorted(by: { $0.key < $1.key }) {
        // A called observer may remove another one.
        if targetsByEntry[observer.key] != nil { observer.value() }
      }
    }
  }

  // MARK: Polling

  private func poll(_ target: Int, _ path: String) {
    polled[target] = .some(FileStamp(path))
    scheduleLook()
  }

  private func scheduleLook() {
    guard timer == nil, !polled.isEmpty else { return }
    timer = loop.schedule(after: pollingInterval) { [weak self] in self?.lookAround() }
  }

  private func lookAround() {
    timer = nil
    let changed = polled.filter { target, stamp in targets[target].map { FileStamp($0.path) != stamp } ?? false }
    tell(changed.keys)
    scheduleLook()
  }
}
