import Values

/// What an expression may name, and of which types, for checks before anything runs.
public protocol TypeEnvironment {
  /// What is known of the context `name`; nil where there is none. Asked with the spelling of `contextNames`.
  func type(of context: String) -> ContextType?
  /// The names of all contexts, for suggestions.
  var contextNames: [String] { get }
}

/// What is known of a context.
public enum ContextType {
  /// A context with known members: the type of each (nil where there is no such member), and the names of all, for suggestions.
  case members((String) -> MemberType?, names: () -> [String])
  /// A context that is a value of this type, such as the item of a loop.
  case value(ValueType)
}

/// The type of a context's member.
public struct MemberType: Sendable, Hashable {
  /// The type it has when it is there.
  public var type: ValueType
  /// Whether it may be null instead, such as the result of an operation that may fail.
  public var isOptional: Bool

  /// A member of type `type`.
  public init(_ type: ValueType, isOptional: Bool = false) {
    self.type = type
    self.isOptional = isOptional
  }
}
