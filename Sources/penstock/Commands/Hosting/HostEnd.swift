import RunHistory
import Values

/// Waits for the end of a draining host.
struct HostEnd {
  let host: HostRecord
  let history: History
  /// Whether to report what prevents the host from ending.
  private let isTalkative: Bool
  /// Whether to show how many runs are still active.
  private let isShown: Bool

  /// The maximum wait in milliseconds before checking again: a host that dies sends no notification.
  private static let longestWait: Int32 = 1000

  init(of host: HostRecord, in history: History, showing isTalkative: Bool) {
    self.host = host
    self.history = history
    self.isTalkative = isTalkative
    isShown = isTalkative && TextOutput.error.isTerminal
  }

  /// Returns the host's record once it has ended.
  func wait() throws -> HostRecord {
    let changes = ChangeWait()
    // Subscribed before the first read, so that no change in between is missed.
    let subscriptions = try history.followHosting { changes.end() } + history.followActivity { changes.end() }
    defer { subscriptions.forEach { $0.cancel() } }
    var told: String?
    // A standstill at the start has already been reported.
    var standstill = history.standstill(of: host)
    defer { if told != nil { TextOutput.error.write("\r\u{1b}[K") } }
    while true {
      // Hosts that ended long ago are deleted.
      guard let now = try history.hosts(limit: 100).first(where: { $0.number == host.number }) else { return host }
      if now.state == .stopped || now.state == .died { return now }
      if let found = history.standstill(of: now), found.isOther(than: standstill) {
        if told != nil { TextOutput.error.write("\r\u{1b}[K") }
        told = nil
        if isTalkative { TextOutput.error.writeMessage("penstock: \(found.words)") }
        standstill = found
      }
      if isShown {
        let count = try history.runs(RunFilter(states: [.running])).count { $0.owner == host.owner && $0.parent == nil }
        let text = "waiting for \(Count.of(count, "active run")); Ctrl-C ends the wait, not the drain"
        if text != told { TextOutput.error.write("\r\u{1b}[K\(text)") }
        told = text
      }
      changes.wait(milliseconds: Self.longestWait)
    }
  }
}
