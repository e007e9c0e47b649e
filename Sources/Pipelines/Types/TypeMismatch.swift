/// Where and how a value is not of a type.
public struct TypeMismatch: Error, Sendable, Hashable, CustomStringConvertible {
  /// The way into the value, such as `[3].tag`; empty for the value itself.
  public var path: String
  /// What the type asks for, such as `int`.
  public var expected: String
  /// What is there instead, such as `string "twelve"` or `nothing`.
  public var found: String

  /// A mismatch at `path`.
  public init(path: String, expected: String, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// The mismatch as a sentence, such as `[3].tag: expected int, found string "x"`.
  public var description: String {
    path.isEmpty ? "expected \(expected), found \(found)" : "\(path): expected \(expected), found \(found)"
  }
}

extension ValueType {
  /// The first place where `value` is not of this type; nil when it is.
  ///
  /// Members that an object type does not name are allowed. A whole double is an `int`. `none` accepts only null, `json` everything.
  public func mismatch(of value: JSONValue) -> TypeMismatch? { nil }
}
