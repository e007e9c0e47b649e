/// Finds out what a plugin says about itself without letting it into this process.
package enum PluginProbe {
  /// Loads the plugin in a child that is thrown away. The calling thread waits for it.
  ///
  /// - Throws: Why it cannot be loaded, with `plugin-crashed` where it took the child with it.
  package static func describe(
    _ launch: ChildLaunch, options: IsolatedConnection.Options = .init()
  ) throws(PluginError) -> PluginDescription {
    let connection = try IsolatedConnection.open(launch, options: options)
    let description = connection.description
    connection.retire()
    return description
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
    let thread: ChildThread
    do throws(SystemError) {
      thread = try ChildThread()
    } catch {
      throw PluginError(.childHost, "no child host can be started for plugin '\(launch.name)': \(error)")
    }
    let awaited = AwaitedOutcome<IsolatedConnection, PluginError>()
    let log = options.log
    thread.execute {
      _ = ChildStart.start(
        launch, on: thread, options: options, line: { log(.info, $0) },
        told: { outcome in
          if case .failure = outcome { thread.stop() }
          awaited.resume(
            with: outcome.map { process, description in
              IsolatedConnection(launch, description: description, options: options, thread: thread, process: process)
            })
        })
    }
    return try awaited.get()
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
