/// Numbers with the noun they count.
package enum Count {
  /// `1 operation`, `2 operations`.
  package static func of(_ count: Int, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
  }
}
