import RunHistory
import Synchronization

/// Reports once that a run begins, before anything is reported about its end.
final class RunBeginning: Sendable {
  private let run: RunRecord
  private let onBegin: @Sendable (RunRecord) -> Void
  private let isTold = Mutex(false)

  init(of run: RunRecord, _ onBegin: @escaping @Sendable (RunRecord) -> Void) {
    self.run = run
    self.onBegin = onBegin
  }

  /// Reports it unless that has been done. Any thread; concurrent callers wait until it is done.
  func tell() {
    isTold.withLock { isTold in
      guard !isTold else { return }
      isTold = true
      onBegin(run)
    }
  }
}
