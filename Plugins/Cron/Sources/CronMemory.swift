import PluginKit

/// The instants between which a schedule has been dealt with, stored in the workspace so that they outlive the host.
///
/// Each schedule and zone has its own entry: after a change of the line, nothing is caught up on.
struct CronMemory {
  private let storage: PluginStorage
  private let key: String
  private let firstKey: String

  init(_ storage: PluginStorage, pipeline: String, schedule: String, zone: String) {
    self.storage = storage
    // Neither a zone nor a name contains a space.
    let name = "\(pipeline) \(zone) \(schedule)"
    (key, firstKey) = ("last \(name)", "first \(name)")
  }

  /// Returns the instant from which on the schedule has been dealt with; nil if it is not stored.
  func first() async throws -> Timestamp? {
    try await storage.value(for: firstKey)
  }

  /// Returns the instant up to which it has been dealt with; nil if nothing is stored.
  func last() async throws -> Timestamp? {
    try await storage.value(for: key)
  }

  /// Stores that everything up to `instant` has been dealt with.
  func remember(_ instant: Timestamp) async throws {
    try await storage.set(instant, for: key)
  }

  /// Stores that the schedule is dealt with from `instant` on, and nothing before it.
  func remember(beginning instant: Timestamp) async throws {
    try await storage.set(instant, for: key)
    try await storage.set(instant, for: firstKey)
  }
}
