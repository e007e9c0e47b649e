import PluginABI
import Values

/// Text that crosses the contract.
enum PluginText {
  /// The maximum size of one payload: 16 MiB.
  static let maximum = 16 << 20
  /// The maximum length of a value's key, a prefix of keys or a secret's name, in bytes.
  static let longestKey = 1024

  static var empty: penstock_text { penstock_text(bytes: nil, length: 0) }

  /// Returns the bytes of a plugin's text, valid until the call that passed it returns.
  static func bytes(_ text: penstock_text) -> Result<UnsafeRawBufferPointer, PluginMistake.Kind> {
    // A length beyond Int.max arrives as a negative number.
    guard text.length >= 0, text.length <= maximum else { return .failure(.tooLarge) }
    guard text.length > 0 else { return .success(UnsafeRawBufferPointer(start: nil, count: 0)) }
    guard let bytes = text.bytes else { return .failure(.noBytes) }
    return .success(UnsafeRawBufferPointer(start: bytes, count: text.length))
  }

  /// Returns a text that must be UTF-8.
  static func string(_ text: penstock_text) -> Result<String, PluginMistake.Kind> {
    bytes(text).flatMap { bytes in
      guard let string = String(validating: bytes, as: UTF8.self) else {
        return .failure(.noUTF8(String(decoding: bytes.prefix(200), as: UTF8.self)))
      }
      return .success(string)
    }
  }

  /// Returns the value of a text that must be JSON, or nil if it is empty.
  static func json(_ text: penstock_text) -> Result<JSONValue?, PluginMistake.Kind> {
    bytes(text).flatMap { bytes in
      guard !bytes.isEmpty else { return .success(nil) }
      do throws(JSONError) {
        return .success(try JSONValue.parse(bytes))
      } catch {
        return .failure(.noJSON(error.description))
      }
    }
  }

  /// Calls `body` with a text of the host.
  static func with<Answer>(_ bytes: [UInt8], _ body: (penstock_text) -> Answer) -> Answer {
    bytes.withUnsafeBytes { with($0, body) }
  }

  private static func with<Answer>(_ bytes: UnsafeRawBufferPointer, _ body: (penstock_text) -> Answer) -> Answer {
    let start = bytes.isEmpty ? nil : bytes.assumingMemoryBound(to: CChar.self).baseAddress
    return body(penstock_text(bytes: start, length: bytes.count))
  }

  /// The settings of everything that has none.
  private static let emptyObject = Array("{}".utf8)

  /// Calls `body` with a value of the host as JSON.
  static func with<Answer>(_ value: JSONValue, _ body: (penstock_text) -> Answer) -> Answer {
    if case .object(let members) = value, members.isEmpty { return with(emptyObject, body) }
    return value.withJSON(exactly: true) { with(UnsafeRawBufferPointer($0), body) }
  }
}
