import CPluginKit

extension penstock_text {
  /// The bytes, valid for as long as the contract states.
  package var buffer: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: length > 0 ? bytes : nil, count: length) }

  /// A copy of the text.
  package var string: String { String(decoding: buffer, as: UTF8.self) }

  /// Returns the value of the JSON text; nil for empty text.
  package func value() throws(JSONError) -> JSONValue? {
    length == 0 ? nil : try JSONValue.parse(buffer)
  }
}

/// Calls `body` with `text` in the contract's form.
package func withText<Value>(_ text: String, _ body: (penstock_text) -> Value) -> Value {
  var text = text
  return text.withUTF8 { utf8 in
    utf8.withMemoryRebound(to: CChar.self) { body(penstock_text(bytes: $0.baseAddress, length: $0.count)) }
  }
}

/// Calls `body` with the JSON of `value`, or with empty text for nil.
package func withText<Value>(_ value: JSONValue?, _ body: (penstock_text) -> Value) -> Value {
  guard let value else { return body(penstock_text(bytes: nil, length: 0)) }
  var bytes: [UInt8] = []
  value.write(to: &bytes)
  return bytes.withUnsafeBytes { raw in
    raw.withMemoryRebound(to: CChar.self) { body(penstock_text(bytes: $0.baseAddress, length: $0.count)) }
  }
}

/// Returns the part of the other side's table that both sides know, with the rest zeroed; nil if there is no table, or it is smaller than `least`,
/// its size in bytes in version 1.0.
package func copyTable<Table>(_ table: UnsafeRawPointer?, _ type: Table.Type, least: Int32) -> Table? {
  withUnsafeTemporaryAllocation(of: Table.self, capacity: 1) { memory in
    guard let copy = memory.baseAddress,
      penstock_table_copy(copy, MemoryLayout<Table>.size, Int(least), table) != 0
    else { return nil }
    return copy.move()
  }
}

extension penstock_status {
  static let ok = penstock_status(PENSTOCK_OK)
  static let failed = penstock_status(PENSTOCK_FAILED)
  static let invalid = penstock_status(PENSTOCK_INVALID)
  static let ended = penstock_status(PENSTOCK_ENDED)
  static let unknown = penstock_status(PENSTOCK_UNKNOWN)
  static let tooLarge = penstock_status(PENSTOCK_TOO_LARGE)
  static let unavailable = penstock_status(PENSTOCK_UNAVAILABLE)
  static let denied = penstock_status(PENSTOCK_DENIED)
  static let full = penstock_status(PENSTOCK_FULL)
}
