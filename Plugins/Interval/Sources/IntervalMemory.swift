import PluginKit

/// The instant up to which a grid has been dealt with, stored in the workspace so that instants while no host runs can be reported.
///
/// Each interval has its own entry.
struct IntervalMemory {
  /// The minimum time between writes, as an interval may be as short as 10 ms. Instants in between may be reported twice, which changes nothing.
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

  /// Returns the instant; nil if nothing is stored, or there is no workspace.
  func last() async -> Timestamp? {
    do {
      return try await storage.value(for: key)
    } catch PluginAccessProblem.unavailable {
      return nil
    } catch {
      log.warning("cannot determine which instants were missed while no host ran: \(error)")
      return nil
    }
  }

  /// Stores that everything up to `instant` has been dealt with.
  mutating func remember(_ instant: Timestamp) async {
    if let written, written <= instant, written.duration(to: instant) < Self.pause { return }
    written = instant
    do {
      try await storage.set(instant, for: key)
    } catch PluginAccessProblem.unavailable {
      return
    } catch {
      log.warning("cannot record that \(instant.notation) was handled: \(error)")
    }
  }
}
