import Synchronization

/// Finds out whether a search hangs while it loads a file, because of a plugin that checks its settings. May be used from any thread.
final class SearchProgress: Sendable {
  private struct State {
    /// The file that is being loaded.
    var path: String?
    /// How often it was found to be loaded.
    var looks = 0
  }

  private let state = Mutex(State())

  /// Notes that another file is being loaded.
  func begin(_ path: String) { state.withLock { $0 = State(path: path) } }

  /// Returns the file that is being loaded if an earlier call, but not one before that, found the same.
  func look() -> String? {
    state.withLock { state in
      state.looks += 1
      return state.looks == 2 ? state.path : nil
    }
  }
}
