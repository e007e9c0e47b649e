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
    let (plugin, pipeline) = (plugin, pipeline)
    try await recorder.perform { db in
      // In SQL, as the recorder's transactions are.
      if let text {
        try db.cachedStatement(
          sql: """
            INSERT INTO plugin_value (plugin, pipeline, key, value) VALUES (?, ?, ?, ?)
            ON CONFLICT (plugin, pipeline, key) DO UPDATE SET value = excluded.value
            """
        ).execute(arguments: [plugin, pipeline, key, text])
      } else {
        try db.cachedStatement(sql: "DELETE FROM plugin_value WHERE plugin = ? AND pipeline = ? AND key = ?")
          .execute(arguments: [plugin, pipeline, key])
      }
    }
    try await recorder.flush()
  }

  /// The names that begin with a text, compared by their bytes, in order.
  package func keys(beginningWith prefix: String) throws(WorkspaceError) -> [String] {
    try history.read { db in
      try db.fetch(for: StoredPluginValue.self)
        .select(StoredPluginValue.key, where: own && StoredPluginValue.key.hasPrefix(prefix))
    }
  }
}
