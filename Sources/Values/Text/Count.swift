/// Phrases that count a noun.
package enum Count {
  /// Returns a phrase such as `1 operation` or `2 operations`; pass `plural` if it is not the noun plus s.
  package static func of(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
  }
}
