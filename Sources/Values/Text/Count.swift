/// Numbers with the noun they count.
package enum Count {
  /// `1 operation`, `2 operations`; `plural` where it is not the noun with an s.
  package static func of(_ count: Int, _ noun: String, plural: String? = nil) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(plural ?? noun + "s")"
  }
}
