import OperatingSystem
import Operations
import PipelineLanguage
import PluginHost
import Synchronization

/// Loads a plugin again soon after its file has changed, for its long-lived users: controllers, conditions, and runs that use its operations. May be
/// used from any thread.
final class PluginRenewal: Sendable {
  private struct State {
    /// The hash of the code in use.
    var hash: String
    var watched: Int?
    var timer: EventLoop.Token?
    /// How often the file has changed.
    var changes = 0
    var hasEnded = false
  }

  /// Watching starts after this delay, because it is not worthwhile for anything shorter: starting and ending a watch takes 16 ms.
  private static let delay = Duration.milliseconds(500)
  /// How long a file must be unchanged before it is loaded, because it is copied in several steps.
  private static let settling = Duration.milliseconds(250)

  private let plugin: any PipelinePlugin
  private let services: PluginServices
  private let onRenewal: @Sendable () -> Void
  private let state: Mutex<State>

  /// Starts to watch. `onRenewal` is called on any thread when instances created from now on use new code.
  init(of plugin: any PipelinePlugin, _ services: PluginServices, onRenewal: @escaping @Sendable () -> Void) {
    self.plugin = plugin
    self.services = services
    self.onRenewal = onRenewal
    state = Mutex(State(hash: plugin.hash))
    guard let path = plugin.path.map(PathText.absolute) else { return }
    let moment = FileClock.now()
    services.loop.execute { [weak self] in
      guard let self, !state.withLock({ $0.hasEnded }) else { return }
      let timer = services.loop.schedule(after: Self.delay) { [weak self] in self?.watch(path, since: moment) }
      state.withLock { $0.timer = timer }
    }
  }

  /// *On the event loop.*
  private func watch(_ path: String, since moment: Timestamp) {
    let entry = services.observations.paths.add(path, since: moment) { [weak self] in self?.changed() }
    state.withLock { state in
      state.watched = entry
      state.timer = nil
    }
  }

  /// Stops watching.
  func end() {
    services.loop.execute { [services, self] in
      let (entry, timer) = state.withLock { state in
        state.hasEnded = true
        defer { (state.watched, state.timer) = (nil, nil) }
        return (state.watched, state.timer)
      }
      if let timer { services.loop.cancelTimer(timer) }
      if let entry { services.observations.paths.remove(entry) }
    }
  }

  /// *On the event loop.*
  private func changed() {
    let change = state.withLock { state in
      state.changes += 1
      return state.changes
    }
    _ = services.loop.schedule(after: Self.settling) { [weak self] in
      guard let self, state.withLock({ $0.changes == change && !$0.hasEnded }) else { return }
      // Loading waits for the plugin's own code, which must not block the event loop.
      Task { self.reload() }
    }
  }

  private func reload() {
    services.source.catalog?.reloadChanged()
    let hash = plugin.hash
    let isNew = state.withLock { state in
      defer { state.hash = hash }
      return state.hash != hash && !state.hasEnded
    }
    if isNew { onRenewal() }
  }
}
