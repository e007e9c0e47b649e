import Glibc

/// A struct that an ``OpenWorkspace`` stores as rows of its own table.
///
/// The fields are declared once, each with its column's name, and listed in the order of the initializer:
///
/// ```swift
/// struct Job: Storable {
///   enum State: String, ColumnValue { case queued, running, failed }
///   var id: String
///   var state: State
///   var attempt: Int
///   var endedAt: Instant?
///   var tags: [String]
///
///   static let id = Field("id", \Job.id)
///   static let state = Field("state", \Job.state)
///   static let attempt = Field("attempt", \Job.attempt, default: 1)
///   static let endedAt = Field("ended_at", \Job.endedAt)
///   static let tags = Field("tags", json: \Job.tags)
///   static let schema = ObjectSchema(
///     "job", Job.init, id, state, attempt, endedAt, tags, key: id, indexes: [.index(state, attempt)])
/// }
/// ```
/// The compiler checks that each field has the type of its property, that the list matches the initializer, and that the key has no optional parts. It is
/// a declaration instead of a macro, because a macro would make everyone who builds the package compile swift-syntax first, which takes longer than all of
/// this library.
///
/// Name the types in ``WorkspaceSchema/objects``: their tables are created and extended when the workspace is opened.
public protocol Storable: Sendable {
  /// The table, its columns in the order of an initializer, its key and its indexes.
  static var schema: ObjectSchema<Self> { get }
}

/// The key of a stored object: the values of its key fields, in order.
public struct ObjectKey: Sendable, Hashable, CustomStringConvertible {
  /// One value for each key field.
  public let values: [SQLValue]

  init(_ values: [SQLValue]) {
    self.values = values
  }

  /// Returns whether the values are identical, comparing texts byte by byte: to SQLite, two spellings of one character are two keys.
  public static func == (left: ObjectKey, right: ObjectKey) -> Bool {
    left.values.isSame(as: right.values)
  }

  /// Hashes texts byte by byte.
  public func hash(into hasher: inout Hasher) {
    for value in values {
      if case .text(let text) = value {
        hasher.combine(text.utf8.count)
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
      } else {
        hasher.combine(value)
      }
    }
  }

  /// The values in readable form, separated by commas.
  public var description: String {
    values.map(\.text).joined(separator: ", ")
  }
}

extension SQLValue {
  /// Returns whether the values are identical to SQLite.
  func isSame(as other: SQLValue) -> Bool {
    if case .text(let left) = self, case .text(let right) = other { return left.hasSameBytes(as: right) }
    return self == other
  }

  /// Returns whether the value precedes the other in SQLite's order; nil if they are of different kinds.
  func precedes(_ other: SQLValue) -> Bool? {
    switch (self, other) {
    case (.int(let left), .int(let right)): left < right
    case (.double(let left), .double(let right)): left < right
    case (.text(let left), .text(let right)): left.utf8.lexicographicallyPrecedes(right.utf8)
    case (.blob(let left), .blob(let right)): left.lexicographicallyPrecedes(right)
    default: nil
    }
  }

  /// The value in readable form: texts in quotes, bytes as their count.
  var text: String {
    switch self {
    case .null: "nil"
    case .int(let number): String(number)
    case .double(let number): String(number)
    case .text(let text): "'\(text)'"
    case .blob(let bytes): "\(bytes.count) bytes"
    }
  }
}

extension String {
  /// Returns whether both have the same bytes. `==` treats two spellings of one character as equal, which SQLite does not.
  func hasSameBytes(as other: String) -> Bool {
    var (left, right) = (self, other)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        guard left.count == right.count else { return false }
        // Empty texts may have no address.
        guard let start = left.baseAddress, let other = right.baseAddress else { return true }
        return memcmp(start, other, left.count) == 0
      }
    }
  }
}

extension [SQLValue] {
  func isSame(as other: [SQLValue]) -> Bool {
    count == other.count && zip(self, other).allSatisfy { $0.isSame(as: $1) }
  }
}
