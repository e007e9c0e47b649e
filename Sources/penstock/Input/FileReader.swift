import Glibc
import OperatingSystem

/// Why a file cannot be read, for a person.
struct FileReadFailure: Error {
  var message: String
}

/// Reads whole files that a person named.
enum FileReader {
  /// Expressions are asked about less: 64 MiB, as for a result.
  private static let limit = 64 << 20

  /// The bytes of a file, a pipe of the shell or what is typed at a terminal.
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
