extension JSONValue {
  /// Whether the value counts as true in an expression: everything does but `false`, `0`, `-0`, `NaN`, `''` and null.
  public var isTruthy: Bool { false }

  /// The value as the text that GitHub Actions makes of it: null is empty, numbers have 15 significant digits (`1E+20`),
  /// a list is `Array` and an object `Object`.
  public var coercedString: String { "" }

  /// The value as the number that GitHub Actions makes of it: null is 0, true 1, the empty string 0; text that is no number,
  /// lists and objects are NaN.
  public var coercedNumber: Double { 0 }
}
