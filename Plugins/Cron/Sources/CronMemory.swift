import PluginKit

/// Up to when the instants of a schedule have been dealt with: remembered in the workspace, so that it outlives the host.
///
/// Another schedule or zone is another memory: changing a line makes up for nothing.
struct CronMemory {
  private let storage: PluginStorage
  private let key: String

  init(_ storage: PluginStorage, pipeline: String, schedule: String, zone: String) {
    self.storage = storage
    // Neither a zone nor a name has a blank in it.
    key = "last \(pipeline) \(zone) \(schedule)"
  }

  /// The instant; nil where nothing was remembered.
  func last() async throws -> Timestamp? {
    try await storage.value(for: key)
  }

  /// Remembers that everything up to `instant` has been dealt with.
  func remember(_ instant: Timestamp) async throws {
    try await storage.set(instant, for: key)
  }
}
