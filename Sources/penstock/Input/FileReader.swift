import Glibc
import OperatingSystem

/// An error that says why a file cannot be read.
struct FileReadFailure: Error {
  var message: String
}

/// Reads whole files that the user named.
enum FileReader {
  /// The maximum size, in bytes: 64 MiB, as for a result. Input for expressions is smaller.
  private static let limit = 64 << 20

  /// Returns the bytes of a file, a pipe of the shell, or terminal input.
  static func read(_ path: String) throws(FileReadFailure) -> [UInt8] {
    do throws(InputFileError) {
      return try InputFile.read(path, limit: limit, accepts: .given)
    } catch {
      throw FileReadFailure(message: "cannot read '\(path)': \(error.reason)")
    }
  }

  static func read(descriptor: Int32, name: String) throws(FileReadFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = SystemCall.retrying { Glibc.read(descriptor, &chunk, chunk.count) }
      guard count >= 0 else {
        throw FileReadFailure(message: "cannot read \(name): \(SystemError.text(of: errno))")
      }
      if count == 0 { return bytes }
      bytes += chunk[..<count]
      guard bytes.count <= limit else {
        throw FileReadFailure(message: "cannot read \(name): it is larger than \(limit >> 20) MiB")
      }
    }
  }
}
