import RunHistory

extension Run {
  /// Records and reports that an operation waits because the process lacks a descriptor, a thread or memory for it.
  func tell(of shortage: EngineError, _ ordinal: Int) {
    recorder.enter(ordinal, .running(.shortage(shortage.descriptionOfWait)))
    observer.emit(
      .notice(id, "'\(state.instances[ordinal].name)' waits for system resources: \(shortage.descriptionOfWait)"))
    remind(of: shortage, ordinal)
  }

  /// Reminds the host's observer from time to time that an operation is still waiting.
  func remind(of shortage: EngineError, _ ordinal: Int) {
    services.shortages.tell(
      of: ResourceShortage(
        run: id, pipeline: state.pipeline.name, operation: state.instances[ordinal].name, error: shortage))
  }

  /// Notes that the operation continues.
  func endShortage(_ ordinal: Int) {
    guard case .shortage? = state.instances[ordinal].reason else { return }
    recorder.enter(ordinal, .running())
  }

  /// Performs `body`, which an attempt that has begun needs for its end, and returns its result. In a host that holds its records, which runs for
  /// months, it is retried each second while a descriptor, a thread, memory, or room in the workspace is lacking. The attempt does not join the queue
  /// of those that have yet to begin: it needs little, and releases more.
  nonisolated(nonsending) func waitingOut<Value>(
    _ ordinal: Int, _ body: nonisolated(nonsending) () async throws -> Value
  ) async throws -> Value {
    var (isTold, lacksRoom) = (false, false)
    defer { if lacksRoom { services.writing.foundRoom() } }
    while true {
      do {
        let value = try await body()
        endShortage(ordinal)
        return value
      } catch let error as EngineError where isWaitedOut(error) {
        if !error.isShortage {
          if !lacksRoom { tell(ofRoom: error, ordinal) }
          lacksRoom = true
        } else {
          if isTold { remind(of: error, ordinal) } else { tell(of: error, ordinal) }
          isTold = true
          services.shortages.giveBackSpares()
        }
        try await services.writing.pause()
      }
    }
  }

  /// Whether an error that prevents an attempt from getting its files or its process is waited out. In a host that holds its records it is, because a
  /// shortage on the computer or in the workspace is not the pipeline's fault.
  func isWaitedOut(_ error: EngineError) -> Bool {
    services.writing.isHolding
      && (error.isShortage || error.isOutOfSpace || error.concernsRuns(of: state.given.workspace))
  }

  /// Records and reports that an operation waits until its files can be written. Until then, nothing new begins.
  func tell(ofRoom error: EngineError, _ ordinal: Int) {
    services.writing.lackRoom(error)
    recorder.enter(ordinal, .running(.shortage(error.descriptionOfWait)))
    observer.emit(
      .notice(id, "'\(state.instances[ordinal].name)' waits until its files can be written: \(error.descriptionOfWait)")
    )
  }
}
