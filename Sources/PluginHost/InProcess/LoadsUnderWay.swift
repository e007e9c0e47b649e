import Synchronization

/// The plugins that child hosts are loading while a thread waits.
enum LoadsUnderWay {
  private struct State {
    var loads: [Int: (plugin: String, call: String?)] = [:]
    var last = 0
  }

  private static let state = Mutex(State())

  /// Notes that a thread begins to wait for a plugin. Returns the number to end the wait with.
  static func begin(_ plugin: String) -> Int {
    state.withLock { state in
      state.last += 1
      state.loads[state.last] = (plugin, nil)
      return state.last
    }
  }

  /// Notes that a call of the plugin hangs: `'describe'`.
  static func note(_ call: String, in number: Int) { state.withLock { $0.loads[number]?.call = call } }

  static func end(_ number: Int) { state.withLock { _ = $0.loads.removeValue(forKey: number) } }

  /// The descriptions of all loads, the oldest first.
  static var texts: [String] {
    state.withLock { $0.loads }.sorted { $0.key < $1.key }.map { _, load in
      let plugin = "plugin '\(load.plugin)'"
      return load.call.map { "\($0) of \(plugin) has not returned" } ?? "\(plugin) was being loaded"
    }
  }
}
