import CProcess
import Glibc

/// A directory that belongs to one check: empty at its beginning, and deleted at its end.
///
/// The shared directory for temporary files would not do: a plugin that watches its pipeline's directory would be notified of unrelated files, and
/// if there are thousands of entries, the kernel takes milliseconds to start a watch.
struct ScratchDirectory: ~Copyable {
  let path: String

  /// Nil if none can be created; see `errno`.
  init?() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array("\(parent.isEmpty ? "/tmp" : parent)/penstock-check-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { penstock_remove_tree(path) }
}
