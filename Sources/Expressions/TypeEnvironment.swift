import Values

/// The names that an expression may refer to, with their types, for checks before anything runs.
public protocol TypeEnvironment {
  /// Returns what is known about a context, or nil if there is none of that name. Names are those of ``contextNames``, matched exactly.
  func type(of context: String) -> ContextType?
  /// The names of all contexts, for suggestions.
  var contextNames: [String] { get }
}

/// What is known about a context.
public enum ContextType {
  /// A context with known members: the type of each (nil if there is no such member), and the names of all, for suggestions.
  case members((String) -> MemberType?, names: () -> [String])
  /// A context that is a value of this type, such as the item of a `for_each` loop.
  case value(ValueType)
}

/// The type of a context's member.
public struct MemberType: Sendable, Hashable {
  /// The member's type, unless it is null.
  public var type: ValueType
  /// Whether it may be null, as the result of an operation that may fail.
  public var isOptional: Bool

  /// Creates a member of type `type`.
  public init(_ type: ValueType, isOptional: Bool = false) {
    self.type = type
    self.isOptional = isOptional
  }
}
