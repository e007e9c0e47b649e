import RunHistory

extension Run {
  /// Says that an operation waits because the process has no descriptor, thread or memory for it, also to whoever asks the history.
  func tell(of shortage: EngineError, _ ordinal: Int) {
    let name = state.instances[ordinal].name
    recorder.enter(ordinal, .running(.shortage("\(shortage)")))
    observer.emit(.notice(id, "'\(name)' waits until it can go on: \(shortage)"))
    services.configuration.onShortage(
      ResourceShortage(run: id, pipeline: state.pipeline.name, operation: name, error: shortage))
  }

  /// The operation goes on.
  func endShortage(_ ordinal: Int) {
    guard case .shortage? = state.instances[ordinal].reason else { return }
    recorder.enter(ordinal, .running())
  }

  /// Does what may need a descriptor, a thread or memory. In a host that holds its records, which runs for months, it is tried each second until there is one.
  nonisolated(nonsending) func waitingOutShortages<Value>(
    _ ordinal: Int, _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var isTold = false
    while true {
      do {
        let value = try await body()
        if isTold { endShortage(ordinal) }
        return value
      } catch let error as EngineError where error.isShortage && services.writing.isHolding {
        if !isTold { tell(of: error, ordinal) }
        isTold = true
        try await services.writing.pause()
      }
    }
  }
}
