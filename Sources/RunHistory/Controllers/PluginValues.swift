import SQLite
import Workspace

/// The values that one plugin stores for one pipeline: JSON texts by key. May be used from any thread.
package struct PluginValues: Sendable {
  private let plugin: String
  private let pipeline: String
  private let history: History
  private let recorder: HistoryRecorder

  package init(of plugin: String, pipeline: String, history: History, recorder: HistoryRecorder) {
    self.plugin = plugin
    self.pipeline = pipeline
    self.history = history
    self.recorder = recorder
  }

  private var own: Condition<StoredPluginValue> {
    StoredPluginValue.plugin == plugin && StoredPluginValue.pipeline == pipeline
  }

  /// Returns the text under a key, or nil if there is none.
  package func text(_ key: String) throws(WorkspaceError) -> String? {
    try history.read { db in
      try db.fetch(for: StoredPluginValue.self).where(own && StoredPluginValue.key == key).first?.value
    }
  }

  /// Stores a text under a key; nil removes it. Durable when it returns.
  package func set(_ text: String?, for key: String) async throws {
    let (plugin, pipeline, own) = (plugin, pipeline, own)
    try await recorder.perform(changing: { _ in [StoredPluginValue.self] }) { db in
      try db.changing([StoredPluginValue.self]) { context in
        if let text {
          let value = StoredPluginValue(plugin: plugin, pipeline: pipeline, key: key, value: text)
          try context.submit(StoredPluginValue.upsertRequest(value))
        } else {
          try context.delete(StoredPluginValue.self, where: own && StoredPluginValue.key == key)
        }
      }
    }
  }

  /// Returns the keys with the given prefix, compared by their bytes, in order.
  package func keys(beginningWith prefix: String) throws(WorkspaceError) -> [String] {
    try history.read { db in
      try db.fetch(for: StoredPluginValue.self)
        .select(StoredPluginValue.key, where: own && StoredPluginValue.key.hasPrefix(prefix))
    }
  }
}
