import Glibc
import OperatingSystem

/// Why a file could not be used: what the system says.
struct FileError: Error, Sendable, Hashable, CustomStringConvertible {
  let path: String
  let problem: String
  /// The error number where the process has no descriptor or memory for it; else nil.
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

/// The content of small files.
enum FileContent {
  /// All of a regular file.
  static func read(_ path: String, limit: Int) throws(FileError) -> [UInt8] {
    do throws(InputFileError) {
      return try InputFile.read(path, limit: limit)
    } catch {
      switch error {
      case .system(_, let number): throw FileError(path, number)
      case .tooLong: throw FileError(path, problem: "it has more than \(limit) bytes")
      default: throw FileError(path, problem: "it is not a file with a content of its own")
      }
    }
  }
}
