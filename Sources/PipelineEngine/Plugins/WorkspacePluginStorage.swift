import PluginHost
import RunHistory
import SQLite
import Values
import Workspace

/// What a plugin remembers, in the workspace: keys and values for each plugin and pipeline. Any thread.
struct WorkspacePluginStorage: PluginStorage {
  let plugin: String
  let pipeline: String
  let history: History
  let recorder: HistoryRecorder

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    let text: String?
    do {
      text = try history.read { [plugin, pipeline] db in
        try String.fetchOne(
          db.cachedStatement(sql: "SELECT value FROM plugin_value WHERE plugin = ? AND pipeline = ? AND key = ?"),
          arguments: [plugin, pipeline, key])
      }
    } catch {
      throw .unavailable
    }
    guard let text else { throw .unknown }
    guard let value = try? JSONValue.parse(text) else { throw .unavailable }
    return value
  }

  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
    let (plugin, pipeline, text) = (plugin, pipeline, value?.text)
    do {
      try await recorder.perform { db in
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
    } catch {
      throw .unavailable
    }
  }

  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] {
    do {
      return try history.read { [plugin, pipeline] db in
        // Compared by bytes: `LIKE` knows wildcards, and ignores case. Of an empty key, `substr` makes NULL.
        try String.fetchAll(
          db.cachedStatement(
            sql: """
              SELECT key FROM plugin_value
              WHERE plugin = ? AND pipeline = ? AND (? = '' OR substr(CAST(key AS BLOB), 1, ?) = CAST(? AS BLOB))
              ORDER BY key
              """), arguments: [plugin, pipeline, prefix, prefix.utf8.count, prefix])
      }
    } catch {
      throw .unavailable
    }
  }
}
