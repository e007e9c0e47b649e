import Glibc
import Synchronization

/// The place of one plugin in a host. Whoever needs it while another thread loads it waits for that.
final class PluginSeat: Sendable {
  private struct State {
    var plugin: Plugin?
    var reference: PluginReference?
  }

  private let state = Mutex(State())
  /// Held while the plugin is loaded. Not `state`, so that the plugin that is there can be asked for meanwhile.
  private let gate = Mutex<Void>(())
  /// The thread that loads, 0 for none.
  private let loader = Atomic<UInt>(0)

  /// The plugin, where it has been loaded.
  var loaded: Plugin? { state.withLock { $0.plugin } }

  /// How it was asked for when it was loaded.
  var reference: PluginReference? { state.withLock { $0.reference } }

  /// What `load` makes of the plugin that is there.
  func plugin(
    _ load: (Plugin?) throws(PluginError) -> (Plugin, PluginReference)
  ) throws(PluginError) -> Plugin {
    let thread = UInt(pthread_self())
    // From within the plugin's own `open`, by way of the log: waiting would be for ever.
    guard loader.load(ordering: .relaxed) != thread else {
      throw PluginError(.unresponsive, "the plugin is being loaded by the same thread; use it when that is done")
    }
    let result: Result<Plugin, PluginError> = gate.withLock { _ in
      loader.store(thread, ordering: .relaxed)
      defer { loader.store(0, ordering: .relaxed) }
      do throws(PluginError) {
        let (plugin, reference) = try load(loaded)
        state.withLock { $0 = State(plugin: plugin, reference: reference) }
        return .success(plugin)
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
