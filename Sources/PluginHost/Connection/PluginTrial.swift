import Values

/// Asks a plugin whether it accepts settings, and waits for its answer.
enum PluginTrial {
  /// How long an answer may take. `create` must return within 10 ms; the rest is for a child host that must be started first.
  static let limit = Duration.seconds(10)
}

extension PluginConnection {
  /// Returns whether the plugin accepts these settings. An instance is created and destroyed, but never started.
  ///
  /// The calling thread waits: at most ``PluginTrial/limit`` if the plugin runs in a child host, which is then ended. Code that hangs in this
  /// process cannot be ended; the call watchdog reports it.
  ///
  /// - Parameters:
  ///   - offer: One of the plugin's offers.
  ///   - settings: An object with checked settings, including defaults: see ``PluginOffer/resolve(settings:)``.
  /// - Returns: Nil if it accepts them, otherwise the reason. Its `detail` may name the setting: see ``PluginFailure/place``.
  package func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure? {
    do throws(PluginFailure) {
      _ = try ask(offer, settings: settings, nil)
      return nil
    } catch {
      return error
    }
  }

  /// Creates an instance, asks it the question, if any, and destroys it. Returns the value that it ends with.
  func ask(
    _ offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion?
  ) throws(PluginFailure) -> JSONValue? {
    let awaited = AwaitedOutcome<JSONValue?, PluginFailure>()
    let instance = trial(offer, settings: settings, question: question, events: PluginTrialEvents(awaited))
    let failure = PluginFailure(
      code: .unresponsive,
      message: "plugin '\(description.id)' did not report within \(PluginTrial.limit.brief) "
        + (question == nil ? "whether it accepts the settings" : "its next instants"))
    let alarm = clock.wake(after: PluginTrial.limit) { awaited.resume(with: .failure(failure)) }
    defer {
      alarm.cancel()
      instance.destroy()
    }
    return try awaited.get()
  }
}

/// Receives the end of a trial.
private final class PluginTrialEvents: PluginInstanceEvents {
  private let awaited: AwaitedOutcome<JSONValue?, PluginFailure>

  init(_ awaited: AwaitedOutcome<JSONValue?, PluginFailure>) { self.awaited = awaited }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) { awaited.resume(with: outcome) }

  // An instance that is not started has no events, and its log belongs to no run.
  func progressed(_ progress: JSONValue) {}
  func yielded(_ signal: PluginSignal) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {}
}

extension PluginFailure {
  /// The setting that a failure of `create` is about, if the plugin names it in `detail`.
  package struct Place: Hashable, Sendable {
    /// The setting's name.
    package var setting: String
    /// The position in its text, in Unicode scalars from 0; nil for the whole text.
    package var range: Range<Int>?
  }

  private static let longestText: Int64 = 1 << 24

  /// Read from `{"setting": "schedule", "position": 1, "length": 2}`; the last two only where a part of a text is meant.
  package var place: Place? {
    guard let setting = detail?["setting"]?.stringValue else { return nil }
    var place = Place(setting: setting)
    // Both come from a plugin and may be anything; no text in settings is longer than the limit.
    if let position = detail?["position"]?.intValue, (1...Self.longestText).contains(position) {
      let length = min(max(detail?["length"]?.intValue ?? 1, 0), Self.longestText)
      place.range = Int(position) - 1..<Int(position) - 1 + Int(length)
    }
    return place
  }
}
