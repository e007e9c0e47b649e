extension OperationContext {
  /// Whether both hold the very same entries, as copies of one context do. False says nothing: equal values may have
  /// been set twice.
  func isSame(as other: OperationContext) -> Bool {
    guard entries.count == other.entries.count else { return false }
    return zip(entries, other.entries).allSatisfy { $0.key == $1.key && $0.box === $1.box }
  }
}
