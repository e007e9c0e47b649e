import Synchronization

/// Reports the host's observations about one plugin in this process with its name, and rarely if they recur all the time.
final class PluginReports: @unchecked Sendable {
  // @unchecked: `subject` is written before it is shared, and never changed or freed.

  /// The plugin's id; until the plugin has stated it, the id derived from its file.
  let plugin: String
  /// `plugin 'calendar'`, for crash reports.
  let subject: UnsafePointer<CChar>
  /// The time limits of its calls.
  let limits: CallWatchdog.Limits
  private let log: @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void
  private let mistakes = Mutex(MistakeCounts())

  init(
    plugin: String, limits: CallWatchdog.Limits = CallWatchdog.Limits(),
    log: @escaping @Sendable (PluginLogLevel, _ plugin: String, _ message: String) -> Void
  ) {
    self.plugin = plugin
    self.limits = limits
    self.log = log
    subject = .permanent("plugin '\(plugin)'")
  }

  /// Returns `specification 'calendar.time-window' of plugin 'calendar'`, for messages.
  func name(of offer: LoadedOffer?) -> String {
    guard let offer else { return "plugin '\(plugin)'" }
    return "\(offer.offer.kind.rawValue) '\(offer.offer.id)' of plugin '\(plugin)'"
  }

  func report(_ level: PluginLogLevel, _ message: String) { log(level, plugin, message) }

  func report(_ mistake: PluginMistake, of offer: LoadedOffer?, instance: UInt64) {
    let count = mistakes.withLock { $0.count(mistake, offer: offer?.index ?? -1, instance: instance) }
    guard let count else { return }
    report(.warning, "\(name(of: offer)) \(mistake.kind.sentence(mistake.function))\(times(count))")
  }

  func reportSlow(_ call: CallWatchdog.SlowCall, isOver: Bool) {
    let time = Duration.nanoseconds(call.nanoseconds).brief
    guard isOver else {
      return report(.warning, "\(call.text) has not returned for \(time) and blocks everything that waits for it")
    }
    guard let count = mistakes.withLock({ $0.countSlow(call.function, offer: call.offer?.index ?? -1) }) else { return }
    report(
      .warning,
      "\(call.text) took \(time); it must return at once and do longer work on a thread of its own\(times(count))"
    )
  }

  private func times(_ count: Int) -> String { count > MistakeCounts.single ? " (\(count) times so far)" : "" }
}
