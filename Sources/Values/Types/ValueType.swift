/// A type in the notation shared by `params`, `result`, `requires` and the settings of plugins.
///
/// Written `string int number bool duration size timestamp date json none file`, `[T]`, `{field: T, optional?: T}`.
/// At run time a duration, size, timestamp, date or file is a string of the right form.
public indirect enum ValueType: Sendable, Hashable {
  case string, int, number, bool, duration, size, timestamp, date, file
  /// Any value, checked at run time.
  case json
  /// No result.
  case none
  case list(ValueType)
  case object([Field])

  /// The type as a noun with its article: `a string`, `an int`.
  package var noun: String { self == .int ? "an int" : "a \(self)" }

  /// One member of an object type.
  public struct Field: Sendable, Hashable {
    /// The member's name.
    public var name: String
    /// The member's type.
    public var type: ValueType
    /// Whether the member may be missing (or null).
    public var isOptional: Bool

    /// Creates a member called `name`.
    public init(name: String, type: ValueType, isOptional: Bool = false) {
      self.name = name
      self.type = type
      self.isOptional = isOptional
    }
  }
}
