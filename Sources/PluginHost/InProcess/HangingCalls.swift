/// Calls of plugins' functions that do not return.
package enum HangingCalls {
  /// Descriptions of the plugins that something is waiting for: for those called in this process, `'describe' of plugin 'notify' has not returned`;
  /// also those being loaded in their own processes.
  package static var texts: [String] {
    CallWatchdog.shared.textsUnderWay().map { "\($0) has not returned" } + LoadsUnderWay.texts
  }

  /// Returns the calls in progress that are still in progress after `time`, the longest first: `'start' of operation 'notify.post'`.
  ///
  /// May be called on any thread; a hanging call blocks only its own.
  package static func lasting(_ time: Duration) async -> [String] {
    let before = CallWatchdog.shared.callsUnderWay(namesPlugin: true)
    guard !before.isEmpty else { return [] }
    try? await Task.sleep(for: time)
    let after = CallWatchdog.shared.callsUnderWay(namesPlugin: true)
    return before.filter { after[$0.key] != nil }.sorted { $0.key.start < $1.key.start }.map(\.value)
  }
}
