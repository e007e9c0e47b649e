/// Calls of plugins' functions in this process that do not return.
package enum HangingCalls {
  /// What is to be said of the plugins that something waits for now: of those that are called in this process, `'describe' of plugin 'notify' has not
  /// returned`, and of those that are loaded in a process of their own.
  package static var texts: [String] {
    CallWatchdog.shared.textsUnderWay().map { "\($0) has not returned" } + LoadsUnderWay.texts
  }

  /// What is being called now and still will be after `time`: `'start' of operation 'notify.post'`, the longest first.
  ///
  /// May be called on any thread; a call that hangs blocks none but its own.
  package static func lasting(_ time: Duration) async -> [String] {
    let before = CallWatchdog.shared.callsUnderWay(namesPlugin: true)
    guard !before.isEmpty else { return [] }
    try? await Task.sleep(for: time)
    let after = CallWatchdog.shared.callsUnderWay(namesPlugin: true)
    return before.filter { after[$0.key] != nil }.sorted { $0.key.start < $1.key.start }.map(\.value)
  }
}
