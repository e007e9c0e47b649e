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
  /// All of a regular file.
  static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    // Without O_NONBLOCK, a pipe that nobody writes to would keep the caller waiting in `open`, for ever.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw FileError(path, errno) }
    defer { close(descriptor) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else { throw FileError(path, errno) }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw FileError(path, problem: "it is not a file with a content of its own")
    }
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
