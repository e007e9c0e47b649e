import Glibc

/// Why a file cannot be read, for a person.
struct FileReadFailure: Error {
  var message: String
}

/// Reads whole files that a person named.
enum FileReader {
  static func exists(_ path: String) -> Bool { access(path, R_OK) == 0 }

  static func read(_ path: String) throws(FileReadFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else {
      throw FileReadFailure(message: "cannot read '\(path)': \(String(cString: strerror(errno)))")
    }
    defer { close(descriptor) }
    return try read(descriptor: descriptor, name: "'\(path)'")
  }

  static func read(descriptor: Int32, name: String) throws(FileReadFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = chunk.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw FileReadFailure(message: "cannot read \(name): \(String(cString: strerror(errno)))")
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
    }
  }
}
