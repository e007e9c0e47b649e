import Glibc
import Synchronization

/// The place of one plugin in a host. Whoever needs it while another thread loads it waits for that.
final class PluginSeat: Sendable {
  /// A loading that is under way: code of the plugin's runs then, so no lock is held.
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

  /// The plugin, where it has been loaded.
  var loaded: Plugin? { state.withLock { $0.plugin } }

  /// How it was asked for when it was loaded.
  var reference: PluginReference? { state.withLock { $0.reference } }

  /// What `load` makes of the plugin that is there. One thread at a time calls it.
  func plugin(
    _ load: (Plugin?) throws(PluginError) -> (Plugin, PluginReference)
  ) throws(PluginError) -> Plugin {
    let thread = UInt(pthread_self())
    while true {
      switch turn(thread) {
      case .load(let loading, let former): return try perform(loading, former, load)
      case .wait(let loading):
        // From within the plugin's own `open`, by way of the log: waiting would be for ever.
        guard loading.thread != thread else {
          throw PluginError(.unresponsive, "the plugin is being loaded by the same thread; use it when that is done")
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
