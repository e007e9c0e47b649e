import Glibc
import OperatingSystem
import Values

/// The result of an operation.
enum OperationResult: Sendable {
  /// No result.
  case none
  case value(JSONValue)
  /// A result that is too large, or not valid text, to be held in memory: the bytes are in a file.
  case file(ResultFile)

  /// Whether there is a result to pass on.
  var isPresent: Bool {
    if case .none = self { false } else { true }
  }
}

/// A result that is kept in its file.
struct ResultFile: Sendable, Hashable {
  /// The maximum size of a file that an expression may read, in bytes.
  static let memoryLimit: Int64 = 64 << 20

  /// The absolute path.
  var path: String
  /// The size in bytes.
  var size: Int64
  /// The declared type; nil means JSON if the content is an object or a list, otherwise text.
  var type: ValueType?
  /// Whether the size comes from a record of another run or host, so that the file must still have it.
  var isRecorded = false

  /// Opens the file.
  ///
  /// - Throws: ``OperationFailure`` with code `result-missing`, also if the file's size has changed since it was recorded: it may have been truncated
  ///   by a power loss or by another process.
  func open() throws(OperationFailure) -> InputFile {
    let file: InputFile
    do {
      file = try InputFile(path, followsLink: false)
    } catch {
      throw Self.unreadable(error)
    }
    let found = file.size
    guard !isRecorded || found == size else {
      throw OperationFailure(
        code: "result-missing",
        message:
          "the result in '\(path)' has \(found) bytes, but \(size) were recorded: the file was changed after the operation succeeded; run the operation again with `penstock retry --from`"
      )
    }
    return file
  }

  /// Reads the value from the file.
  ///
  /// - Throws: ``OperationFailure`` with code `result-too-large`, `result-invalid` or `result-missing`.
  func load() throws(OperationFailure) -> JSONValue {
    guard size <= Self.memoryLimit else {
      throw OperationFailure(
        code: "result-too-large",
        message:
          "the result of \(SizeNotation.format(size)) in '\(path)' is too large for an expression (limit \(SizeNotation.format(Self.memoryLimit))); inject the whole result, so that it arrives on standard input"
      )
    }
    let file = try open()
    let bytes: [UInt8]
    do {
      bytes = try file.read(limit: Int(Self.memoryLimit))
    } catch {
      throw Self.unreadable(error)
    }
    return try ResultText.value(of: bytes, as: type)
  }

  static func unreadable(_ error: InputFileError) -> OperationFailure {
    OperationFailure(code: "result-missing", message: "the result cannot be read: \(error)")
  }
}
