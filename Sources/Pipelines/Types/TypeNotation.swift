/// Why a text is not a type.
public struct TypeNotationError: Error, Sendable, Hashable {
  /// What is wrong, in one sentence without a full stop.
  public var message: String
  /// Where, as the number of Unicode scalars before the place.
  public var offset: Int
  /// What to do, such as `did you mean 'string'?`.
  public var fix: String?

  /// The failure `message` at `offset`.
  public init(_ message: String, offset: Int, fix: String? = nil) {
    self.message = message
    self.offset = offset
    self.fix = fix
  }
}

extension ValueType: CustomStringConvertible {
  /// The names of the types that need no notation of their own, in the order of the documentation.
  public static let names: [String] = []

  /// The type called `name`, such as `int`; nil for every other text, lists and objects included.
  public init?(name: String) { return nil }

  /// Reads the notation: a name, `[T]`, or `{field: T, optional?: T}`.
  ///
  /// - Throws: `TypeNotationError` for anything else, for a field written twice, and for more than 64 levels of nesting.
  public static func parse(_ text: String) throws(TypeNotationError) -> ValueType { .json }

  /// The type in its own notation, such as `[{tag: string, draft?: bool}]`.
  public var description: String { "" }
}
