import Glibc
import OperatingSystem

/// Reads a plugin's description without loading it into this process.
package enum PluginProbe {
  /// Loads the plugin in a child, and ends the child again. The calling thread waits.
  ///
  /// The end matters: whatever the plugin does when its process ends, it would do in the host too.
  ///
  /// - Throws: The reason why it cannot be loaded; `plugin-crashed` if the plugin crashed the child.
  package static func describe(
    _ launch: ChildLaunch, options: IsolatedConnection.Options = .init()
  ) throws(PluginError) -> PluginDescription {
    try ChildThread.load(launch, options) { thread, process, description, awaited in
      process.onMessage = { _ in }
      process.onEnd = { end in
        thread.stop()
        awaited.resume(with: end.fault(of: launch).map { .failure($0) } ?? .success(description))
      }
      process.close(options.limits)
    }
  }
}

extension ChildEnd {
  /// Returns what went wrong when a child was asked to end; nil if nothing did, or if the host stopped waiting and killed it.
  fileprivate func fault(of launch: ChildLaunch) -> PluginError? {
    guard exitCode != 0, signal != SIGTERM, signal != SIGKILL else { return nil }
    var own = self
    own.reason = nil
    return PluginError(own.code, own.message(plugin: launch.name, while: "its process ended"))
  }
}

extension ChildThread {
  /// Starts a child on a new thread and waits for the outcome: why its plugin cannot be loaded, or what `loaded`, called on the thread, resumes
  /// with. The thread keeps running as long as it is needed.
  fileprivate static func load<Value: Sendable>(
    _ launch: ChildLaunch, _ options: IsolatedConnection.Options,
    loaded:
      @escaping @Sendable (
        ChildThread, ChildProcess, PluginDescription, AwaitedOutcome<Value, PluginError>
      ) -> Void
  ) throws(PluginError) -> Value {
    let thread: ChildThread
    do throws(SystemError) {
      thread = try ChildThread()
    } catch {
      throw PluginError(.childHost, "cannot start a child host for plugin '\(launch.name)': \(error)")
    }
    let awaited = AwaitedOutcome<Value, PluginError>()
    let log = options.log
    let load = LoadsUnderWay.begin(launch.name)
    defer { LoadsUnderWay.end(load) }
    thread.execute {
      _ = ChildStart.start(
        launch, on: thread, options: options, line: { log(.info, $0) }, hanging: { LoadsUnderWay.note($0, in: load) },
        told: { outcome in
          switch outcome {
          case .success(let (process, description)): loaded(thread, process, description, awaited)
          case .failure(let error):
            thread.stop()
            awaited.resume(with: .failure(error))
          }
        })
    }
    return try awaited.get()
  }
}

extension IsolatedConnection {
  /// Starts a child for a plugin that is not yet known, and waits until the plugin is loaded. The child is kept.
  ///
  /// The calling thread waits.
  ///
  /// - Throws: The reason why it cannot be loaded; `plugin-crashed` if the plugin crashed the child.
  package static func open(
    _ launch: ChildLaunch, options: Options = Options()
  ) throws(PluginError) -> IsolatedConnection {
    try ChildThread.load(launch, options) { thread, process, description, awaited in
      awaited.resume(
        with: .success(
          IsolatedConnection(launch, description: description, options: options, thread: thread, process: process)))
    }
  }

  /// Creates a connection that takes over a child whose plugin is loaded. *On the thread.*
  private convenience init(
    _ launch: ChildLaunch, description: PluginDescription, options: Options, thread: ChildThread, process: ChildProcess
  ) {
    self.init(launch, description: description, options: options)
    state.withLock { state in
      state.thread = thread
      state.lastSession = 1
      state.starts[1] = Start(launch: launch, process: process)
      state.phase = .starting(1)
    }
    started(1, process, description)
  }
}
