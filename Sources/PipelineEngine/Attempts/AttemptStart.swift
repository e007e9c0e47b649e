import RunHistory

/// What holds up the start of an attempt's job or request: the line of those for which the process has no descriptor, thread or memory, or no room in the workspace.
/// An attempt that waits holds nothing, and is tried again from its beginning. *On the loop.*
final class AttemptStart {
  private let run: Run
  private let ordinal: Int
  private let place = ShortageLine.Place()
  private var lacksRoom = false
  private var shortages: ShortageLine { run.services.shortages }
  private var writing: HistoryWriting { run.services.writing }

  init(of run: Run, _ ordinal: Int) {
    self.run = run
    self.ordinal = ordinal
  }

  /// To be called before each try. `what` is what is about to be done, for a message: "starting 'make'".
  ///
  /// - Throws: ``EngineError`` where it has to stand in line before it is tried.
  func requireTurn(for what: @autoclosure () -> String) throws {
    if !place.isInLine, shortages.isForAll { throw shortages.error(what()) }
  }

  /// The attempt has what it needs: the next one in line is tried.
  func begun() {
    foundRoom()
    run.endShortage(ordinal)
    shortages.leave(place)
  }

  /// The attempt is over, or never began.
  func end() {
    foundRoom()
    shortages.leave(place)
  }

  /// Waits until it is time to try again what failed with an error that is waited out (``Run/isWaitedOut(_:)``), and says so to whoever looks.
  ///
  /// - Throws: `CancellationError`, or ``EngineError`` where the run must not go on.
  nonisolated(nonsending) func wait(for error: EngineError) async throws {
    if !error.isShortage {
      if !lacksRoom { run.tell(ofRoom: error, ordinal) }
      lacksRoom = true
      try await writing.pause()
    } else {
      if place.isInLine { run.remind(of: error, ordinal) } else { run.tell(of: error, ordinal) }
      try await shortages.wait(in: place, for: error)
    }
    guard run.mayGoOn(ordinal) else { throw CancellationError() }
    try run.requireOwnership()
  }

  private func foundRoom() {
    if lacksRoom { writing.foundRoom() }
    lacksRoom = false
  }
}
