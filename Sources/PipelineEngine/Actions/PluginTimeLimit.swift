import Operations
import PipelineLanguage
import PluginHost

/// Measures the `timeout` of a plugin's operation, excluding the time for which its instance waits for a process.
///
/// A child host that has crashed is started again after a pause of up to 30 s. An attempt that has not begun by then has not been slow.
struct PluginTimeLimit: OperationDelayer {
  let plugins: LoopBound<RunPlugins>
  let loop: EventLoop
  let ordinal: Int
  /// Performs the delays.
  let delayer: any OperationDelayer

  nonisolated(nonsending) func delay(for duration: Duration) async throws {
    var counted = Duration.zero
    var left = duration
    while true {
      try await delayer.delay(for: left)
      guard let instance = await instanceUnderWay() else { return }
      let waited = instance.timeWaited
      guard waited > counted else { return }
      left = waited - counted
      await instance.begun()
      counted = instance.timeWaited
    }
  }

  /// Returns the instance that is being waited for.
  private func instanceUnderWay() async -> (any PluginInstance)? {
    await withTaskExecutorPreference(loop) { await look() }
  }

  @concurrent private func look() async -> (any PluginInstance)? { plugins.value.attempts[ordinal]?.instance }
}
