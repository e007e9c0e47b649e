import PluginKit

/// The instant up to which a schedule has been dealt with, stored in the workspace so that it outlives the host.
///
/// Each schedule and zone has its own entry: after a change of the line, nothing is caught up on.
struct CronMemory {
  private let storage: PluginStorage
  private let key: String

  init(_ storage: PluginStorage, pipeline: String, schedule: String, zone: String) {
    self.storage = storage
    // Neither a zone nor a name contains a space.
    key = "last \(pipeline) \(zone) \(schedule)"
  }

  /// Returns the instant; nil if nothing is stored.
  func last() async throws -> Timestamp? {
    try await storage.value(for: key)
  }

  /// Stores that everything up to `instant` has been dealt with.
  func remember(_ instant: Timestamp) async throws {
    try await storage.set(instant, for: key)
  }
}
