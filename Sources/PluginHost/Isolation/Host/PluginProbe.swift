import Glibc
import OperatingSystem

/// Finds out what a plugin says about itself without letting it into this process.
package enum PluginProbe {
  /// Loads the plugin in a child, and has the child end again. The calling thread waits for it.
  ///
  /// The end counts: what the plugin does when its process ends, it would do in the host too.
  ///
  /// - Throws: Why it cannot be loaded, with `plugin-crashed` where it took the child with it.
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
  /// What was wrong with the end of a child that was asked to end; nil where nothing was, or where it was the host that lost
  /// patience.
  fileprivate func fault(of launch: ChildLaunch) -> PluginError? {
    guard exitCode != 0, signal != SIGTERM, signal != SIGKILL else { return nil }
    var own = self
    own.reason = nil
    return PluginError(own.code, own.message(plugin: launch.name, while: "its process ended"))
  }
}

extension ChildThread {
  /// Starts a child on a thread of its own, and waits for what comes of it: why its plugin cannot be loaded, or what `loaded`, on the
  /// thread, resumes with. The thread goes on with what it has then.
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
      throw PluginError(.childHost, "no child host can be started for plugin '\(launch.name)': \(error)")
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
  /// Starts a child of a plugin that nothing is known of, and waits until the plugin is loaded. The child is kept.
  ///
  /// The calling thread waits.
  ///
  /// - Throws: Why it cannot be loaded, with `plugin-crashed` where it took the child with it.
  package static func open(
    _ launch: ChildLaunch, options: Options = Options()
  ) throws(PluginError) -> IsolatedConnection {
    try ChildThread.load(launch, options) { thread, process, description, awaited in
      awaited.resume(
        with: .success(
          IsolatedConnection(launch, description: description, options: options, thread: thread, process: process)))
    }
  }

  /// A connection that takes over a child whose plugin is loaded. *On the thread.*
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
