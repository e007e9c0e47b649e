import FoundationEssentials
import Glibc

/// The directory in which everything is measured, on the file system of the default temporary directory.
///
/// Nothing in it is removed before the end: ext4 frees the blocks of removed files in the background, which would disturb the
/// next measurement.
struct Scratch: Sendable {
  /// An absolute path.
  let path: String

  init() throws {
    var template = (FileManager.default.temporaryDirectory.path + "/penstock-bench-XXXXXX").utf8CString.map { $0 }
    guard let created = template.withUnsafeMutableBufferPointer({ $0.baseAddress.flatMap { mkdtemp($0) } }) else {
      throw BenchError("cannot create a directory in \(FileManager.default.temporaryDirectory.path)")
    }
    // Without links, since tools print and compare real paths.
    let resolved = realpath(created, nil)
    defer { free(resolved) }
    path = String(cString: resolved ?? created)
  }

  /// A new directory; `name` may have slashes in it.
  func directory(_ name: String) throws -> String {
    let directory = path + "/" + name
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return directory
  }

  /// Has everything written to the disk: else who is measured next, and waits for the disk, waits for the files of those
  /// before as well.
  func settle() {
    sync()
  }

  /// Removes everything.
  func remove() {
    try? FileManager.default.removeItem(atPath: path)
  }
}

/// Writes a text to a file.
func write(_ text: String, to path: String) throws {
  guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else {
    throw BenchError("cannot write \(path)")
  }
}
