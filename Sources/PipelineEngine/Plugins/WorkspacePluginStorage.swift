import Operations
import PluginHost
import RunHistory
import Values
import Workspace

/// A plugin's storage in the workspace: keys and values for each plugin and pipeline. May be used from any thread.
struct WorkspacePluginStorage: PluginStorage {
  private static let pause = Duration.seconds(1)

  private let values: PluginValues
  private let delayer: any OperationDelayer

  init(
    plugin: String, pipeline: String, history: History, recorder: HistoryRecorder, delayer: any OperationDelayer
  ) {
    values = PluginValues(of: plugin, pipeline: pipeline, history: history, recorder: recorder)
    self.delayer = delayer
  }

  /// Returns the result of `body` once it can be read: a controller that found its storage empty would start anew, and the instants that it has
  /// missed would never be reported.
  ///
  /// - Throws: `unavailable` if waiting does not help, or the task is cancelled.
  static func read<T>(
    waiting delayer: any OperationDelayer, _ body: () throws(WorkspaceError) -> T
  ) async throws(PluginAccessError) -> T {
    while true {
      do throws(WorkspaceError) {
        return try body()
      } catch {
        guard error.isPassing, (try? await delayer.delay(for: pause)) != nil else { throw .unavailable }
      }
    }
  }

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    let text = try await Self.read(waiting: delayer) { () throws(WorkspaceError) in try values.text(key) }
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
    try await Self.read(waiting: delayer) { () throws(WorkspaceError) in try values.keys(beginningWith: prefix) }
  }
}
