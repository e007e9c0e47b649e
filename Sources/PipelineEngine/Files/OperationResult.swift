import Glibc
import OperatingSystem
import Values

/// What an operation has produced.
enum OperationResult: Sendable {
  /// Nothing at all.
  case none
  case value(JSONValue)
  /// Something too large, or too strange, to be held in memory: the bytes are in a file.
  case file(ResultFile)

  /// Whether there is a result to hand on.
  var isPresent: Bool {
    if case .none = self { false } else { true }
  }
}

/// A result that stays in its file.
struct ResultFile: Sendable, Hashable {
  /// The largest file that an expression may look into.
  static let memoryLimit: Int64 = 64 << 20

  /// The absolute path.
  var path: String
  /// The size in bytes.
  var size: Int64
  /// The type it was declared with; nil means JSON if it is an object or a list, else text.
  var type: ValueType?
  /// Whether the size is that in a record of another run or host, which the file must still have.
  var isRecorded = false

  /// Opens the file.
  ///
  /// - Throws: ``OperationFailure`` with code `result-missing`, also where the file was changed after it was recorded: a power loss or
  ///   somebody else may have cut it.
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
          "the result in '\(path)' has \(found) bytes, but \(size) were recorded: the file was changed after its operation had succeeded; run that operation again with `penstock retry --from`"
      )
    }
    return file
  }

  /// The value in the file.
  ///
  /// - Throws: ``OperationFailure`` with code `result-too-large`, `result-invalid` or `result-missing`.
  func load() throws(OperationFailure) -> JSONValue {
    guard size <= Self.memoryLimit else {
      throw OperationFailure(
        code: "result-too-large",
        message:
          "the result of \(SizeNotation.format(size)) in '\(path)' is too large for an expression (limit \(SizeNotation.format(Self.memoryLimit))); inject it whole, so that it arrives on standard input"
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
