import PluginHost
import RunHistory
import Values
import Workspace

/// What a plugin remembers, in the workspace: keys and values for each plugin and pipeline. Any thread.
struct WorkspacePluginStorage: PluginStorage {
  private let values: PluginValues

  init(plugin: String, pipeline: String, history: History, recorder: HistoryRecorder) {
    values = PluginValues(of: plugin, pipeline: pipeline, history: history, recorder: recorder)
  }

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    let text: String?
    do {
      text = try values.text(key)
    } catch {
      throw .unavailable
    }
    guard let text else { throw .unknown }
    guard let value = try? JSONValue.parse(text) else { throw .unavailable }
    return value
  }

  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
    do {
      try await values.set(value?.text, for: key)
    } catch {
      throw .unavailable
    }
  }

  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] {
    do {
      return try values.keys(beginningWith: prefix)
    } catch {
      throw .unavailable
    }
  }
}
