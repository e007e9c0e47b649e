import SQLite
import Workspace

/// What one plugin remembers of one pipeline: JSON texts by name. Any thread.
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

  /// The text under a name; nil where there is none.
  package func text(_ key: String) throws(WorkspaceError) -> String? {
    try history.read { db in
      try db.fetch(for: StoredPluginValue.self).where(own && StoredPluginValue.key == key).first?.value
    }
  }

  /// Puts a text under a name; nil takes it away. Durable when it returns.
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

  /// The names that begin with a text, compared by their bytes, in order.
  package func keys(beginningWith prefix: String) throws(WorkspaceError) -> [String] {
    try history.read { db in
      try db.fetch(for: StoredPluginValue.self)
        .select(StoredPluginValue.key, where: own && StoredPluginValue.key.hasPrefix(prefix))
    }
  }
}
