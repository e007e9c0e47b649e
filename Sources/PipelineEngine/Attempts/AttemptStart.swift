import RunHistory

/// Handles delays in starting an attempt's job or request: the queue for those for which the process lacks a descriptor, a thread or memory, and the
/// wait for room in the workspace. A waiting attempt holds nothing, and is started again from the beginning. *On the event loop.*
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

  /// Must be called before each try. `what` names what is about to be done, for a message: "starting 'make'".
  ///
  /// - Throws: ``EngineError`` if it has to wait in the queue first.
  func requireTurn(for what: @autoclosure () -> String) throws {
    if !place.isInLine, shortages.isForAll { throw shortages.error(what()) }
  }

  /// Notes that the attempt has what it needs, and lets the next one in the queue try.
  func begun() {
    foundRoom()
    run.endShortage(ordinal)
    shortages.leave(place)
  }

  /// Notes that the attempt is over, or never began.
  func end() {
    foundRoom()
    shortages.leave(place)
  }

  /// Waits until it is time to retry after an error that is waited out (``Run/isWaitedOut(_:)``), and reports the wait.
  ///
  /// - Throws: `CancellationError`, or ``EngineError`` if the run must not continue.
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
