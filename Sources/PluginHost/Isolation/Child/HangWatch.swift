/// Finds calls of the plugin that do not return.
///
/// The host looks at its child from time to time. A call that is under way at three looks in a row has been so for two whole spans between
/// them. Two looks would not do: the computer may have slept between them.
struct HangWatch {
  /// The looks at which a call has to be found.
  static let looks = 3

  private var seen: [CallWatchdog.CallKey: Int] = [:]

  /// Looks at the calls that are under way.
  ///
  /// - Returns: The call that hangs, for a message; nil where none does.
  mutating func look(_ calls: [CallWatchdog.CallKey: String]) -> String? {
    seen = Dictionary(uniqueKeysWithValues: calls.keys.map { ($0, (seen[$0] ?? 0) + 1) })
    // The oldest: others may only wait for it.
    let hanging = seen.filter { $0.value >= Self.looks }.keys.min { $0.start < $1.start }
    return hanging.flatMap { calls[$0] }
  }
}
