import RunHistory

extension Run {
  /// Says that an operation waits because the process has no descriptor, thread or memory for it, also to whoever asks the history.
  func tell(of shortage: EngineError, _ ordinal: Int) {
    recorder.enter(ordinal, .running(.shortage(shortage.descriptionOfWait)))
    observer.emit(
      .notice(id, "'\(state.instances[ordinal].name)' waits until it can go on: \(shortage.descriptionOfWait)"))
    remind(of: shortage, ordinal)
  }

  /// An operation still waits: whoever looks after the host is told of that from time to time.
  func remind(of shortage: EngineError, _ ordinal: Int) {
    services.shortages.tell(
      of: ResourceShortage(
        run: id, pipeline: state.pipeline.name, operation: state.instances[ordinal].name, error: shortage))
  }

  /// The operation goes on.
  func endShortage(_ ordinal: Int) {
    guard case .shortage? = state.instances[ordinal].reason else { return }
    recorder.enter(ordinal, .running())
  }

  /// Does what an attempt that has begun needs for its end, and returns what comes of it. In a host that holds its records, which runs for months, it is tried
  /// each second while there is no descriptor, thread or memory, or no room in the workspace, for that. It is not in the line of those that have yet to begin: it
  /// needs little, and gives back more.
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

  /// Whether what kept an attempt from its files or its process is waited out: in a host that holds its records, what the computer or the workspace lacks is no
  /// fault of the pipeline.
  func isWaitedOut(_ error: EngineError) -> Bool {
    services.writing.isHolding
      && (error.isShortage || error.isOutOfSpace || error.concernsRuns(of: state.given.workspace))
  }

  /// Says that an operation waits until its files can be written, also to whoever asks the history: nothing new begins until they can.
  func tell(ofRoom error: EngineError, _ ordinal: Int) {
    services.writing.lackRoom(error)
    recorder.enter(ordinal, .running(.shortage(error.descriptionOfWait)))
    observer.emit(.notice(id, "'\(state.instances[ordinal].name)' waits for room: \(error.descriptionOfWait)"))
  }
}
