import CProcess
import Glibc
import Synchronization

/// A directory that belongs to one check: empty at its beginning, and deleted at its end.
///
/// The shared directory for temporary files would not do: a plugin that watches its pipeline's directory would be notified of unrelated files, and
/// if there are thousands of entries, the kernel takes milliseconds to start a watch.
struct ScratchDirectory: ~Copyable {
  /// Those that exist, so that a process that is about to end can delete them.
  private static let existing = Mutex<Set<String>>([])

  let path: String

  /// Nil if none can be created; see `errno`.
  init?() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array("\(parent.isEmpty ? "/tmp" : parent)/penstock-check-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Self.existing.withLock { _ = $0.insert(path) }
    self.path = path
  }

  deinit { Self.remove(path) }

  /// Deletes all that exist.
  static func removeAll() {
    for path in existing.withLock(\.self) { remove(path) }
  }

  private static func remove(_ path: String) {
    existing.withLock { _ = $0.remove(path) }
    penstock_remove_tree(path)
  }
}
