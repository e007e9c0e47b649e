import Glibc

struct SystemCallError: Error {
  let number = errno
}

/// Writes all of `bytes` at the current offset.
func write(_ bytes: [UInt8], to descriptor: Int32) throws {
  guard Glibc.write(descriptor, bytes, bytes.count) == bytes.count else { throw SystemCallError() }
}

/// A directory for one test, deleted when its last reference is released.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/penstock-http-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw SystemCallError() }
    path = String(cString: made)
  }

  deinit {
    for name in names { unlink("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names of its files, sorted.
  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Returns the content of one of its files; nil if it does not exist.
  func content(_ name: String) -> [UInt8]? {
    guard let file = fopen("\(path)/\(name)", "r") else { return nil }
    defer { fclose(file) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&piece, 1, piece.count, file)
      if count == 0 { return content }
      content += piece[..<count]
    }
  }

  /// Creates a file in it.
  func make(_ name: String, _ bytes: [UInt8]) throws {
    let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    guard file >= 0 else { throw SystemCallError() }
    defer { close(file) }
    try write(bytes, to: file)
  }
}
