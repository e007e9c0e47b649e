import Glibc

/// Why a file could not be used: what the system says.
struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  let path: String
  let problem: String

  init(_ path: String, _ number: Int32) {
    self.path = path
    // strerror_r of glibc returns a text that need not be in the buffer.
    var buffer = [CChar](repeating: 0, count: 256)
    problem = buffer.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, strerror_r(number, start, buffer.count) == 0 else {
        return "error \(number)"
      }
      return String(cString: start)
    }
  }

  init(_ path: String, problem: String) {
    self.path = path
    self.problem = problem
  }

  var description: String { "\(path): \(problem)" }
}

/// The content of small files.
enum FileContent {
  /// All of a file.
  static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw FileError(path, errno) }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &piece, piece.count)
      if count < 0 {
        if errno == EINTR { continue }
        throw FileError(path, errno)
      }
      if count == 0 { return content }
      guard content.count + count <= limit else { throw FileError(path, problem: "it has more than \(limit) bytes") }
      content += piece[..<count]
    }
  }
}
