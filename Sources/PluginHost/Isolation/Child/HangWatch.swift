/// Finds calls of the plugin that do not return.
///
/// The host pings its child at intervals. A call that is in progress at three pings in a row has lasted two whole intervals. Two pings would not
/// suffice: the computer may have slept between them.
struct HangWatch {
  /// The number of pings at which a call must be found.
  static let looks = 3

  private var seen: [CallWatchdog.CallKey: Int] = [:]

  /// Records the calls that are in progress.
  ///
  /// - Returns: The call that hangs, for a message; nil if none does.
  mutating func look(_ calls: [CallWatchdog.CallKey: String]) -> String? {
    seen = Dictionary(uniqueKeysWithValues: calls.keys.map { ($0, (seen[$0] ?? 0) + 1) })
    // The oldest one: others may only be waiting for it.
    let hanging = seen.filter { $0.value >= Self.looks }.keys.min { $0.start < $1.start }
    return hanging.flatMap { calls[$0] }
  }
}
