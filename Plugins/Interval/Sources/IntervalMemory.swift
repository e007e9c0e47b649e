import PluginKit

/// Up to when the instants of a grid have been dealt with: remembered in the workspace, so that those that come while no host runs can be told.
///
/// Another interval is another memory.
struct IntervalMemory {
  /// How often it is written at most: an interval may be as short as 10 ms. What comes in between may be told twice, which changes nothing.
  private static let pause = Duration.seconds(1)

  private let storage: PluginStorage
  private let log: PluginLog
  private let key: String
  private var written: Timestamp?

  init(_ context: OperationContext, every: Duration) {
    storage = context.pluginStorage
    log = context.pluginLog
    key = "last \(context.pluginInput.pipeline) \(DurationNotation.format(every))"
  }

  /// The instant; nil where nothing was remembered, or there is no workspace.
  func last() async -> Timestamp? {
    do {
      return try await storage.value(for: key)
    } catch PluginAccessProblem.unavailable {
      return nil
    } catch {
      log.warning("cannot tell which instants came while no host ran: \(error)")
      return nil
    }
  }

  /// Remembers that everything up to `instant` has been dealt with.
  mutating func remember(_ instant: Timestamp) async {
    if let written, written <= instant, written.duration(to: instant) < Self.pause { return }
    written = instant
    do {
      try await storage.set(instant, for: key)
    } catch PluginAccessProblem.unavailable {
      return
    } catch {
      log.warning("cannot remember that \(instant.notation) was dealt with: \(error)")
    }
  }
}
