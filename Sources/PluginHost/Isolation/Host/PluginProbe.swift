/// Finds out what a plugin says about itself without letting it into this process.
package enum PluginProbe {
  /// Loads the plugin in a child that is thrown away.
  ///
  /// - Throws: Why it cannot be loaded, with `plugin-crashed` where it took the child with it.
  package static func describe(
    _ launch: ChildLaunch, options: IsolatedConnection.Options = .init()
  ) async throws(PluginError) -> PluginDescription {
    let connection = try await IsolatedConnection.open(launch, options: options)
    let description = connection.description
    await connection.close()
    return description
  }
}

extension IsolatedConnection {
  /// Starts a child of a plugin that nothing is known of, and waits until the plugin is loaded. The child is kept.
  ///
  /// - Throws: Why it cannot be loaded, with `plugin-crashed` where it took the child with it.
  package static func open(
    _ launch: ChildLaunch, options: Options = Options()
  ) async throws(PluginError) -> IsolatedConnection {
    let thread: ChildThread
    do throws(SystemError) {
      thread = try ChildThread()
    } catch {
      throw PluginError(.childHost, "no child host can be started for plugin '\(launch.name)': \(error)")
    }
    let log = options.log
    let outcome = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<IsolatedConnection, PluginError>, Never>) in
      thread.execute {
        _ = ChildStart.start(
          launch, on: thread, clock: options.clock, limits: options.limits, line: { log(.info, $0) },
          told: { outcome in
            continuation.resume(
              returning: outcome.map { process, description in
                IsolatedConnection(launch, description: description, options: options, thread: thread, process: process)
              })
          })
      }
    }
    if case .failure = outcome { thread.stop() }
    return try outcome.get()
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
