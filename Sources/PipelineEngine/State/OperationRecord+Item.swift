import RunHistory

extension OperationRecord {
  /// The index of an item in its loop: the number in `archive[3]`.
  var itemIndex: Int? {
    guard name.hasSuffix("]"), let open = name.lastIndex(of: "[") else { return nil }
    return Int(name[name.index(after: open)...].dropLast())
  }
}
