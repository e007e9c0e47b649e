import RunHistory

extension Run {
  /// Says that an operation waits because the process has no descriptor, thread or memory for it.
  func tell(of shortage: EngineError, _ ordinal: Int) {
    let name = state.instances[ordinal].name
    observer.emit(.notice(id, "'\(name)' waits until it can go on: \(shortage)"))
    services.configuration.onShortage(
      ResourceShortage(run: id, pipeline: state.pipeline.name, operation: name, error: shortage))
  }

  /// Does what may need a descriptor, a thread or memory. In a host that holds its records, which runs for months, it is tried each second until there is one.
  nonisolated(nonsending) func waitingOutShortages<Value>(
    _ ordinal: Int, _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var isTold = false
    while true {
      do {
        return try await body()
      } catch let error as EngineError where error.isShortage && services.writing.isHolding {
        if !isTold { tell(of: error, ordinal) }
        isTold = true
        try await services.writing.pause()
      }
    }
  }
}
