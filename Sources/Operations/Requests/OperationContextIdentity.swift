extension OperationContext {
  /// Returns whether both contain identical entries, as copies of one context do. If false, they may still be equal:
  /// equal values may have been set separately.
  func isSame(as other: OperationContext) -> Bool {
    guard entries.count == other.entries.count else { return false }
    return zip(entries, other.entries).allSatisfy { $0.key == $1.key && $0.box === $1.box }
  }
}
