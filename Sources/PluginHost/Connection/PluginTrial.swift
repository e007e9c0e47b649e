import Values

/// Asks a plugin whether it takes settings, and waits for its answer.
enum PluginTrial {
  /// How long an answer may take. `create` is to return within 10 ms; the rest is for a child host that has to be started first.
  static let limit = Duration.seconds(10)
}

extension PluginConnection {
  /// Whether the plugin takes these settings: an instance is created and destroyed, never started.
  ///
  /// The calling thread waits, at most ``PluginTrial/limit`` where the plugin runs in a child host, which is ended then. Code in this
  /// process that hangs cannot be ended: the call watchdog says so.
  ///
  /// - Parameters:
  ///   - offer: One of the plugin's offers.
  ///   - settings: An object, checked and with defaults: see ``PluginOffer/resolve(settings:)``.
  /// - Returns: Why not; nil where it takes them. Its `detail` may name the setting: see ``PluginFailure/place``.
  package func check(_ offer: PluginOffer, settings: JSONValue) -> PluginFailure? {
    do throws(PluginFailure) {
      _ = try ask(offer, settings: settings, nil)
      return nil
    } catch {
      return error
    }
  }

  /// What an instance ends with that is created, asked where there is a question, and destroyed.
  func ask(
    _ offer: PluginOffer, settings: JSONValue, _ question: InstantsQuestion?
  ) throws(PluginFailure) -> JSONValue? {
    let awaited = AwaitedOutcome<JSONValue?, PluginFailure>()
    let instance = trial(offer, settings: settings, question: question, events: PluginTrialEvents(awaited))
    let failure = PluginFailure(
      code: .unresponsive,
      message: "plugin '\(description.id)' did not say within \(PluginTrial.limit.brief) "
        + (question == nil ? "whether it takes the settings" : "which instants come"))
    let alarm = clock.wake(after: PluginTrial.limit) { awaited.resume(with: .failure(failure)) }
    defer {
      alarm.cancel()
      instance.destroy()
    }
    return try awaited.get()
  }
}

/// Hears how a trial ends.
private final class PluginTrialEvents: PluginInstanceEvents {
  private let awaited: AwaitedOutcome<JSONValue?, PluginFailure>

  init(_ awaited: AwaitedOutcome<JSONValue?, PluginFailure>) { self.awaited = awaited }

  func ended(_ outcome: Result<JSONValue?, PluginFailure>) { awaited.resume(with: outcome) }

  // What is not started has nothing to tell; what it logs is of no run.
  func progressed(_ progress: JSONValue) {}
  func yielded(_ signal: PluginSignal) {}
  func changed(_ isSatisfied: Bool?, reason: String) {}
  func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {}
}

extension PluginFailure {
  /// Which setting a failure of `create` is about, where the plugin says so in `detail`.
  package struct Place: Hashable, Sendable {
    /// The setting's name.
    package var setting: String
    /// Where in its text, in Unicode scalars from 0; nil for all of it.
    package var range: Range<Int>?
  }

  private static let longestText: Int64 = 1 << 24

  /// `{"setting": "schedule", "position": 1, "length": 2}`, the last two only where a part of a text is meant.
  package var place: Place? {
    guard let setting = detail?["setting"]?.stringValue else { return nil }
    var place = Place(setting: setting)
    // Both are of a plugin, which may say anything; no text of settings is longer than the limit.
    if let position = detail?["position"]?.intValue, (1...Self.longestText).contains(position) {
      let length = min(max(detail?["length"]?.intValue ?? 1, 0), Self.longestText)
      place.range = Int(position) - 1..<Int(position) - 1 + Int(length)
    }
    return place
  }
}
