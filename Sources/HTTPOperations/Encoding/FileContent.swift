import Glibc
import OperatingSystem

/// Why a file could not be used.
struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  let path: String
  let problem: String
  /// The errno if the process has no descriptor or memory for the file; otherwise nil.
  var shortage: Int32?

  init(_ path: String, _ number: Int32) {
    self.path = path
    problem = SystemError.textWithAdvice(of: number)
    shortage = ResourceShortage.number(number)
  }

  init(_ path: String, problem: String) {
    self.path = path
    self.problem = problem
  }

  var description: String { "\(path): \(problem)" }
}

/// Reads small files.
enum FileContent {
  /// Returns the whole content of a regular file.
  static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    do throws(InputFileError) {
      return try InputFile.read(path, limit: limit)
    } catch {
      switch error {
      case .system(_, let number): throw FileError(path, number)
      case .tooLong: throw FileError(path, problem: "it has more than \(limit) bytes")
      default: throw FileError(path, problem: "it is not a regular file")
      }
    }
  }
}
