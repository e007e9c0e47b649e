import Values

/// Converts the output of a process to a result.
enum ResultText {
  /// Returns the value of `bytes` as `type`; nil means JSON if it is an object or a list, otherwise text.
  ///
  /// Text loses one trailing newline. Without a declared type, numbers, words and quoted strings are text, because `1.10` may be a version.
  ///
  /// - Throws: ``OperationFailure`` with code `result-invalid` (not UTF-8, not JSON) or `result-mismatch` (not of the type).
  static func value(of bytes: [UInt8], as type: ValueType?) throws(OperationFailure) -> JSONValue {
    guard let type else { return try undeclared(bytes) }
    switch type {
    case .none: return .null
    case .string, .duration, .size, .timestamp, .date, .file:
      let value = JSONValue.string(try text(bytes))
      return try checked(value, as: type)
    default:
      do {
        return try checked(try JSONValue.parse(bytes), as: type)
      } catch let error as JSONError {
        throw OperationFailure(
          code: "result-invalid",
          message:
            "the result should be \(type.description), but it is not JSON: \(error.message) at byte \(error.offset) of \(sample(bytes))"
        )
      } catch let error as OperationFailure {
        throw error
      } catch {
        throw OperationFailure(code: "result-invalid", message: "\(error)")
      }
    }
  }

  /// Returns the value if it is of the type.
  static func checked(_ value: JSONValue, as type: ValueType) throws(OperationFailure) -> JSONValue {
    if let mismatch = type.mismatch(of: value) {
      throw OperationFailure(code: "result-mismatch", message: "the result should be \(type.description): \(mismatch)")
    }
    return value
  }

  private static func undeclared(_ bytes: [UInt8]) throws(OperationFailure) -> JSONValue {
    if let first = bytes.first(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["), let value = try? JSONValue.parse(bytes)
    {
      return value
    }
    return .string(try text(bytes))
  }

  private static func text(_ bytes: [UInt8]) throws(OperationFailure) -> String {
    var end = bytes.count
    if end > 0, bytes[end - 1] == 0x0A { end -= 1 }
    guard let text = String(validating: bytes[..<end], as: UTF8.self) else {
      throw OperationFailure(
        code: "result-invalid",
        message:
          "the result is not UTF-8 text; declare `result: none`, or write the bytes to a file and print its path (`result: file`)"
      )
    }
    return text
  }

  private static func sample(_ bytes: [UInt8]) -> String {
    let head = String(decoding: bytes.prefix(40), as: UTF8.self)
    return bytes.isEmpty ? "an empty output" : "'\(head.escapedForMessage)\(bytes.count > 40 ? "…" : "")'"
  }
}
