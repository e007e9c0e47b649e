import FoundationEssentials

/// Stores nested values as JSON in a text column, which SQLite's own functions (`json_extract`, `->>`) can read.
///
/// It needs Foundation: the standard library has `Codable` but no encoder.
enum JSONColumn {
  /// Keys are sorted, so that equal values have equal texts.
  static func encode(_ value: some Encodable) throws(UnsuitableValue) -> SQLValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return .text(String(decoding: try encoder.encode(value), as: UTF8.self))
    } catch {
      throw UnsuitableValue(reason: "it cannot be written as JSON: \(error)")
    }
  }

  static func decode<Value: Decodable>(_ value: SQLValue) -> Value? {
    guard case .text(let text) = value else { return nil }
    return try? JSONDecoder().decode(Value.self, from: Data(text.utf8))
  }
}
