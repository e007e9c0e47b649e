import Glibc
import LinuxObservers
import PluginKit

/// A file, or a directory and its content, watched by inotify.
///
/// inotify only indicates which directories to scan again; changes are found by comparison with the previous state. So nothing is lost if the
/// kernel drops events, and a replaced directory counts as changed. Not thread-safe.
final class FileTree {
  /// The part of the tree that must be scanned again.
  enum Dirt: Equatable {
    case nothing
    /// These directories, as paths below the root.
    case directories(Set<String>)
    /// Everything, including the path to the root: events were lost, or the root may have been replaced.
    case everything

    mutating func add(_ other: Dirt) {
      switch (self, other) {
      case (_, .nothing): break
      case (.directories(let some), .directories(let more)): self = .directories(some.union(more))
      case (.nothing, _), (_, .everything): self = other
      case (.everything, _): break
      }
    }
  }

  private static let itself = UInt32(IN_MOVE_SELF | IN_DELETE_SELF)
  private static let entries = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)
  private static let content = UInt32(IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB)

  private let root: String
  private let isRecursive: Bool
  /// The state at the last scan, by path below the root; the root itself has the empty path.
  private(set) var stamps: [String: FileStamp] = [:]
  /// The inotify descriptor; replaced by ``rebuild()``.
  private(set) var descriptor: Descriptor
  /// The directories on the path to the root, with the names in each that matter.
  private var ways: [Int32: Set<String>] = [:]
  private var directories: [Int32: String] = [:]
  /// The directories that could not be watched, for the log.
  private(set) var unwatched: [String] = []

  /// Starts watching, and makes the first scan.
  ///
  /// - Parameters:
  ///   - root: An absolute path.
  ///   - isRecursive: Whether directories below are watched, too.
  /// - Throws: `ObserverError` if the process or its user has no inotify descriptor left.
  init(root: String, isRecursive: Bool) throws {
    self.root = root
    self.isRecursive = isRecursive
    descriptor = try Self.inotify()
    rebuild(with: descriptor)
  }

  private static func inotify() throws -> Descriptor {
    try Descriptor(inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)), from: "inotify_init1")
  }

  // MARK: Events

  /// Reads the kernel's events.
  func drain() -> Dirt {
    var dirt = Dirt.nothing
    InotifyEvents.read(from: descriptor.number, capacity: 64 << 10) { dirt.add(self.dirt(of: $0, $1)) }
    return dirt
  }

  private func dirt(of event: inotify_event, _ name: String?) -> Dirt {
    if event.mask & UInt32(IN_Q_OVERFLOW | IN_UNMOUNT) != 0 { return .everything }
    if let names = ways[event.wd], event.mask & Self.itself != 0 || name.map(names.contains) == true {
      return .everything
    }
    guard let directory = directories[event.wd], event.mask & UInt32(IN_IGNORED) == 0 else { return .nothing }
    // The root itself; events of a directory below it are reported by its parent.
    if event.mask & Self.itself != 0 { return directory.isEmpty ? .everything : .nothing }
    return .directories([directory])
  }

  // MARK: Scanning

  /// Scans the dirty part, and returns the changes. After ``Dirt/everything``, the descriptor is a new one.
  func changes(in dirt: Dirt) throws -> [FileChange] {
    let former = stamps
    switch dirt {
    case .nothing: return []
    case .everything: rebuild(with: try Self.inotify())
    case .directories(let dirty):
      for directory in dirty.sorted() where stamps[directory]?.isDirectory == true { look(into: directory) }
    }
    return FileChange.between(former, stamps)
  }

  private func rebuild(with inotify: Descriptor) {
    descriptor = inotify
    ways = [:]
    directories = [:]
    stamps = [:]
    unwatched = []
    watchWay()
    guard let stamp = Self.stamp(root) else { return }
    stamps[""] = stamp
    if stamp.isDirectory { enter("") }
  }

  /// Watches each directory on the path for its removal, and for the next name in case that is missing, last or a link.
  private func watchWay() {
    let names = root.split(separator: "/").map(String.init)
    var directory = "/"
    for (index, name) in names.enumerated() {
      let next = directory == "/" ? "/\(name)" : "\(directory)/\(name)"
      let isLast = index == names.count - 1
      add(directory, Self.itself | Self.entries | (isLast ? Self.content : 0)) { ways[$0, default: []].insert(name) }
      // Nothing behind a missing name can be watched; its creation will be noticed.
      if access(next, F_OK) != 0 { return }
      directory = next
    }
  }

  private func add(_ path: String, _ events: UInt32, _ note: (Int32) -> Void) {
    let watch = inotify_add_watch(descriptor.number, path, events | UInt32(IN_MASK_ADD))
    if watch >= 0 { return note(watch) }
    if errno != ENOENT, errno != ENOTDIR { unwatched.append("\(path): \(String(cString: strerror(errno)))") }
  }

  /// Watches a directory, and scans its content.
  private func enter(_ directory: String) {
    // Before the scan, so that changes during it are reported.
    add(path(directory), Self.itself | Self.entries | Self.content | UInt32(IN_ONLYDIR)) { directories[$0] = directory }
    look(into: directory)
  }

  private func look(into directory: String) {
    let prefix = directory.isEmpty ? "" : "\(directory)/"
    var found: Set<String> = []
    for name in names(in: path(directory)) {
      let entry = prefix + name
      guard let stamp = Self.stamp(path(entry)) else { continue }
      found.insert(entry)
      let before = stamps.updateValue(stamp, forKey: entry)
      if stamp.isDirectory, isRecursive, before?.identity != stamp.identity {
        remove(below: entry)
        enter(entry)
      }
    }
    for entry in stamps.keys where !entry.isEmpty && Self.parent(of: entry) == directory && !found.contains(entry) {
      stamps[entry] = nil
      remove(below: entry)
    }
  }

  private func remove(below directory: String) {
    for entry in stamps.keys where entry.hasPrefix("\(directory)/") { stamps[entry] = nil }
    for (watch, path) in directories where path == directory || path.hasPrefix("\(directory)/") {
      directories[watch] = nil
      inotify_rm_watch(descriptor.number, watch)
    }
  }

  private func path(_ entry: String) -> String { entry.isEmpty ? root : "\(root)/\(entry)" }

  private static func parent(of entry: String) -> String {
    entry.lastIndex(of: "/").map { String(entry[..<$0]) } ?? ""
  }

  private func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Links are not followed, so that the tree is finite.
  private static func stamp(_ path: String) -> FileStamp? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    return FileStamp(
      identity: FileStamp.Identity(device: UInt64(status.st_dev), number: UInt64(status.st_ino)),
      isDirectory: isDirectory,
      content: isDirectory
        ? []
        : [Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec), Int64(status.st_mode)])
  }
}
