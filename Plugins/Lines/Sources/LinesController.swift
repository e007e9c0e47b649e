import PluginKit

/// Yields the lines of a command or a FIFO.
///
/// While 1,000 lines wait for the pipeline, no more are read, so the command waits when its pipe is full: no line is lost.
struct LinesController: TaskController {
  let settings: LinesSettings

  func run(with controls: PluginControls<String>) async throws {
    if let path = settings.fifo {
      let pump = try LinePump(
        fifo: controls.context.pluginInput.path(path), longest: Int(settings.longest.bytes)
      ) { deliver($1, from: $0, to: controls) }
      try await run(pump)
    } else if let command = settings.command {
      try await run(command, with: controls)
    }
  }

  /// Runs the command, and restarts it as often as the settings require.
  private func run(_ command: [String], with controls: PluginControls<String>) async throws {
    let clock = controls.context.pluginClock
    let log = controls.context.pluginLog
    let input = controls.context.pluginInput
    let directory = settings.directory.map(input.path) ?? input.directory
    var pause = settings.pause
    while true {
      let start = clock.monotonic()
      let pump = try LinePump(
        command: command, directory: directory, grace: settings.grace, longest: Int(settings.longest.bytes)
      ) { deliver($1, from: $0, to: controls) }
      let ending = try await run(pump)
      let problem = ending.isSuccess ? nil : PluginProblem("command-failed", "'\(command[0])' \(ending)")
      switch (settings.restart, problem) {
      case (.never, nil), (.failure, nil): return log.info("'\(command[0])' has ended")
      case (.never, .some(let problem)): throw problem
      case (.failure, .some(let problem)), (.always, .some(let problem)): controls.yield(throwing: problem)
      case (.always, nil): log.info("'\(command[0])' has ended and restarts")
      }
      if clock.monotonic() - start >= Self.longestPause { pause = settings.pause }
      try await clock.delay(for: pause)
      pause = min(pause * 2, max(Self.longestPause, settings.pause))
    }
  }

  /// The limit of the pause. After a command that ran at least this long, the pause is reset.
  private static let longestPause = Duration.seconds(60)

  /// Reads until the end, or until the task is cancelled.
  @discardableResult private func run(_ pump: LinePump) async throws -> LinePump.Ending {
    let ending = await withTaskCancellationHandler {
      await pump.run()
    } onCancel: {
      pump.stop()
    }
    try Task.checkCancellation()
    return ending
  }

  /// Returns false if too many lines wait for the pipeline.
  private func deliver(
    _ line: LineSplitter.Line, from stream: LinePump.Stream, to controls: PluginControls<String>
  ) -> Bool {
    let log = controls.context.pluginLog
    switch stream {
    case .error: log.info(line.text)
    case .output where settings.skipEmpty && line.text.allSatisfy(\.isWhitespace): break
    case .output: guard controls.deliver(line.text) != .full else { return false }
    }
    if line.cut > 0 {
      log.warning(
        "truncated a line that is longer than \(settings.longest)", ["bytes": .int(Int64(line.cut))])
    }
    return true
  }
}
