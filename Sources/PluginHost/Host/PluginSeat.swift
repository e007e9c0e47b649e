import Glibc
import Synchronization

/// The place of one plugin in a host. A thread that needs the plugin while another thread loads it waits for the load.
final class PluginSeat: Sendable {
  /// A load in progress. It runs the plugin's code, so no lock is held.
  private struct Loading {
    let thread: UInt
    let end = AwaitedOutcome<Void, Never>()
  }

  private struct State {
    var plugin: Plugin?
    var reference: PluginReference?
    var loading: Loading?
  }

  private enum Turn {
    case load(Loading, former: Plugin?)
    case wait(Loading)
  }

  private let state = Mutex(State())

  /// The plugin, if it has been loaded.
  var loaded: Plugin? { state.withLock { $0.plugin } }

  /// The reference that it was last loaded by.
  var reference: PluginReference? { state.withLock { $0.reference } }

  /// Runs `load` with the present plugin, if any, and returns the result. One thread at a time calls it.
  func plugin(
    _ load: (Plugin?) throws(PluginError) -> (Plugin, PluginReference)
  ) throws(PluginError) -> Plugin {
    let thread = UInt(pthread_self())
    while true {
      switch turn(thread) {
      case .load(let loading, let former): return try perform(loading, former, load)
      case .wait(let loading):
        // Called from within the plugin's own `open`, by way of the log: waiting would deadlock.
        guard loading.thread != thread else {
          throw PluginError(.unresponsive, "this thread is still loading the plugin; use the plugin after that")
        }
        loading.end.get()
      }
    }
  }

  private func turn(_ thread: UInt) -> Turn {
    state.withLock { state in
      if let loading = state.loading { return .wait(loading) }
      let loading = Loading(thread: thread)
      state.loading = loading
      return .load(loading, former: state.plugin)
    }
  }

  private func perform(
    _ loading: Loading, _ former: Plugin?, _ load: (Plugin?) throws(PluginError) -> (Plugin, PluginReference)
  ) throws(PluginError) -> Plugin {
    defer {
      state.withLock { $0.loading = nil }
      loading.end.resume(with: .success(()))
    }
    let (plugin, reference) = try load(former)
    state.withLock { ($0.plugin, $0.reference) = (plugin, reference) }
    return plugin
  }
}
