import CProcess
import Glibc

/// A directory of a check's own, empty when it begins and gone when it ends.
///
/// The shared one for temporary files would not do: a plugin that watches the directory of its pipeline hears of
/// everybody's files there, and where it has thousands of entries, the kernel takes milliseconds to begin a watch.
struct ScratchDirectory: ~Copyable {
  let path: String

  /// Nil where none can be made; `errno` says why.
  init?() {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array("\(parent.isEmpty ? "/tmp" : parent)/penstock-check-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return nil }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { penstock_remove_tree(path) }
}
