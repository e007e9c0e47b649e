import Dispatch
import Synchronization

extension OpenWorkspace {
  /// Closes the workspace in the background.
  ///
  /// Changes begun before are completed, their subscribers notified and their completion handlers called; later changes fail with
  /// ``WorkspaceError/closed(path:)``, and later fetches find nothing. Running fetches and snapshots are completed. Then the subscriptions end, the
  /// write-ahead log is checkpointed and its files are deleted if no other process uses them, so that `workspace.db` contains everything. Finally
  /// `completion` is called. [a thread of the workspace]
  ///
  /// A second call calls `completion` once the first shutdown is complete.
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
          // The last reader may be returned on its user's thread, which need not wait for the rest.
          DispatchQueue.global().async {
            try? open.reader?.close()
            self.closeForGood(open.writer)
            ending.finish()
          }
        }
      }
    }
  }

  /// Closes the workspace, and returns once that is complete; see ``shutdown(completion:)``.
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

/// Tracks whether a workspace was shut down, and notifies those who wait for it.
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
