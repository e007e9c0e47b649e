import Dispatch
import Synchronization

extension OpenWorkspace {
  /// Ends the work with the workspace in the background.
  ///
  /// Changes that were begun before finish, their subscribers are told, and their completion handlers called; later ones fail with
  /// ``WorkspaceError/closed(path:)``, and later fetches find nothing. Fetches and snapshots that run finish. Then the subscriptions
  /// end, the write-ahead log is written back and its files are removed, if no other process uses them, so that `workspace.db` has
  /// everything; and `completion` is called, last of all. [a thread of the workspace]
  ///
  /// Shutting down twice calls `completion` when the first time is over.
  public func shutdown(completion: @escaping @Sendable () -> Void) {
    let completions = completions
    ending.whenFinished { completions.async(execute: completion) }
    guard let open = takeConnections() else { return }
    open.foreignChanges?.stop()
    let feed = feed
    let readers = readers
    let ending = ending
    // The queues may all be busy, and this may be called on any of them.
    DispatchQueue.global().async {
      open.writer?.drain()
      feed.end {
        readers.close {
          // A reader may have come back on its last user's thread, who need not wait for the rest.
          DispatchQueue.global().async {
            try? open.reader?.close()
            self.closeForGood(open.writer)
            ending.finish()
          }
        }
      }
    }
  }

  /// Ends the work with the workspace, and returns when that is done; see ``shutdown(completion:)``.
  public func shutdown() async {
    await withCheckedContinuation { continuation in
      shutdown { continuation.resume() }
    }
  }

  private func closeForGood(_ writer: WriterConnection?) {
    if isReadOnly { return }
    // Readers leave the log's files behind; only a connection that may write can remove them.
    let writer = writer ?? (try? WriterConnection(files: files))
    writer?.closeForGood()
  }
}

/// Whether a workspace has come to its end, and who waits for that.
final class WorkspaceEnding: Sendable {
  private struct State {
    var isFinished = false
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Mutex(State())

  func whenFinished(_ body: @escaping @Sendable () -> Void) {
    let isFinished = state.withLock { state in
      if !state.isFinished { state.waiting.append(body) }
      return state.isFinished
    }
    if isFinished { body() }
  }

  func finish() {
    let waiting = state.withLock { state in
      defer { state = State(isFinished: true) }
      return state.waiting
    }
    for body in waiting { body() }
  }
}
