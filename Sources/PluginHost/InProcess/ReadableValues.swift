import PluginABI
import Values

/// The values of one instance that `penstock.values/1` reads: its settings and its input, by paths such as `hosts[2].port`.
struct ReadableValues: Sendable {
  var settings = JSONValue.null
  var input = JSONValue.null
  private var lent: LentTexts?

  enum Problem: Error {
    /// There is no such value, or it is null.
    case missing
    /// The key is not a path, or the value has another type.
    case wrong

    var status: PluginStatus { self == .missing ? .unknown : .invalid }
  }

  /// Returns the value at a path.
  ///
  /// - Parameters:
  ///   - key: Names of members, separated by dots, and `[index]` for an element, from 0; empty for the whole value.
  ///   - source: PENSTOCK_SETTINGS or PENSTOCK_INPUT.
  /// - Returns: The value, which is not null.
  /// - Throws: ``Problem``.
  func value(_ key: String, of source: Int32) throws(Problem) -> JSONValue {
    var value: JSONValue
    switch source {
    case Int32(PENSTOCK_SETTINGS): value = settings
    case Int32(PENSTOCK_INPUT): value = input
    default: throw .wrong
    }
    var rest = Array(key.utf8)[...]
    var isFirst = true
    while let byte = rest.first {
      let next: JSONValue?
      if byte == UInt8(ascii: "[") {
        guard let end = rest.firstIndex(of: UInt8(ascii: "]")),
          let index = Int(String(decoding: rest[(rest.startIndex + 1)..<end], as: UTF8.self)), index >= 0
        else { throw .wrong }
        rest = rest[(end + 1)...]
        next = value[index]
      } else {
        if !isFirst {
          guard byte == UInt8(ascii: ".") else { throw .wrong }
          rest.removeFirst()
        }
        let name = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
        guard !name.isEmpty else { throw .wrong }
        rest = rest[name.endIndex...]
        next = value[String(decoding: name, as: UTF8.self)]
      }
      guard let next else { throw .missing }
      value = next
      isFirst = false
    }
    if value.isNull { throw .missing }
    return value
  }

  func integer(_ value: JSONValue) throws(Problem) -> Int64 {
    guard let number = value.intValue else { throw .wrong }
    return number
  }

  func duration(_ value: JSONValue) throws(Problem) -> Int64 {
    if value.intValue == 0 { return 0 }
    guard let duration = value.stringValue.flatMap(DurationNotation.parse) else { throw .wrong }
    return duration.nanoseconds
  }

  func size(_ value: JSONValue) throws(Problem) -> Int64 {
    guard let size = value.intValue ?? value.stringValue.flatMap(SizeNotation.parse) else { throw .wrong }
    return size
  }

  /// Returns nanoseconds since 1970, to the microsecond.
  func instant(_ value: JSONValue) throws(Problem) -> Int64 {
    guard let seconds = value.stringValue.flatMap(TimestampNotation.parse),
      let microseconds = Int64(exactly: (seconds * 1e6).rounded())
    else { throw .wrong }
    let (nanoseconds, overflow) = microseconds.multipliedReportingOverflow(by: 1000)
    guard !overflow else { throw .wrong }
    return nanoseconds
  }

  func count(_ value: JSONValue) throws(Problem) -> Int {
    if let elements = value.arrayValue { return elements.count }
    guard let members = value.objectValue else { throw .wrong }
    return members.count
  }

  /// Returns a text that is lent to the plugin until the instance is destroyed; the same text for the same key.
  mutating func lend(_ key: String, of source: Int32, asJSON isJSON: Bool) throws(Problem) -> penstock_text {
    let value = try value(key, of: source)
    guard isJSON || value.stringValue != nil else { throw .wrong }
    let texts = lent ?? LentTexts()
    lent = texts
    return texts.text("\(source)\(isJSON)\(key)") {
      if !isJSON, let text = value.stringValue { return Array(text.utf8) }
      var bytes: [UInt8] = []
      value.writeExactly(to: &bytes)
      return bytes
    }
  }
}

/// Texts lent to a plugin for as long as its instance lives. Protected by the owner's lock.
private final class LentTexts: @unchecked Sendable {
  // @unchecked: the owner's lock is held for each use, and lent bytes are not changed.

  private var texts: [String: GuardedText] = [:]

  deinit { for text in texts.values { text.free() } }

  func text(_ key: String, _ make: () -> [UInt8]) -> penstock_text {
    if let known = texts[key] { return known.text }
    let text = GuardedText(make())
    texts[key] = text
    return text.text
  }
}

/// A text in its own memory. The byte after it is not valid UTF-8, to expose code that takes it for NUL-terminated; the NUL follows that byte.
struct GuardedText: @unchecked Sendable {
  // @unchecked: the memory is its own, and only `init` and `spoil` write it; the owner calls the latter once.
  private let memory: UnsafeMutablePointer<CChar>
  private let count: Int

  init(_ bytes: [UInt8]) {
    memory = .allocate(capacity: bytes.count + 2)
    count = bytes.count
    for (index, byte) in bytes.enumerated() { memory[index] = CChar(bitPattern: byte) }
    memory[count] = Self.poison
    memory[count + 1] = 0
  }

  var text: penstock_text { penstock_text(bytes: count == 0 ? nil : UnsafePointer(memory), length: count) }

  /// Overwrites the text, to expose code that has kept it.
  func spoil() {
    for index in 0..<count { memory[index] = Self.poison }
  }

  /// Overwrites the text, then frees it.
  func free() {
    spoil()
    memory.deallocate()
  }

  private static let poison = CChar(bitPattern: 0xFF)
}
