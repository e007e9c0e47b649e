/// Whether every value of one type is also of another.
public enum Acceptance: Sendable, Hashable {
  /// Every value is.
  case yes
  /// No value is, or not every one; the reason names the place, such as `[].tag: expected int, found string`.
  case no(reason: String)
  /// It depends on the value, because one of the types is `json`.
  case unknown
}

extension ValueType {
  /// Whether a value of type `other` can stand where this type is required.
  public func accepts(_ other: ValueType) -> Acceptance { .unknown }

  /// The type of the member `name` of an object type; nil where there is none. `json` has every member, of type `json`.
  public func member(_ name: String) -> ValueType? { nil }
}
