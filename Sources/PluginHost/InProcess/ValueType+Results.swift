import Values

extension ValueType {
  /// Returns why `value`, or nil for no value, is not a result of this type.
  func mismatch(ofResult value: JSONValue?) -> TypeMismatch? {
    if let value { return mismatch(of: value) }
    return self == .none || self == .json ? nil : TypeMismatch(path: "", expected: "\(self)", found: "nothing")
  }
}
