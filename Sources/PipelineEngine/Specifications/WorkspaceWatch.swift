/// Tells when another process has left something in the workspace: a cancellation, an approval, a lease given back, the end of a run.
///
/// What it watches is the workspace's notification file; nothing polls.
final class WorkspaceWatch: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  private let paths: PathWatch
  private let path: String
  private var isWatching = false
  private var observers: [Int: () -> Void] = [:]
  private var nextObserver = 0

  init(paths: PathWatch, path: String) {
    self.paths = paths
    self.path = path
  }

  /// Calls `body` after every notification, until `remove`. *On the loop.*
  func add(_ body: @escaping () -> Void) -> Int {
    if !isWatching {
      isWatching = true
      _ = paths.add(path) { [weak self] in
        guard let self else { return }
        for observer in observers.values { observer() }
      }
    }
    nextObserver += 1
    observers[nextObserver] = body
    return nextObserver
  }

  /// Ends the calls to one observer. *On the loop.*
  func remove(_ observer: Int) {
    observers[observer] = nil
  }
}
