import PipelineEngine
import PipelineLanguage
import RunHistory

/// A pipeline that is run again and again: when one of its files changes, when its `rerun_on_change` says so, and when its controllers do.
///
/// One definition is at work at a time; a file with a mistake is told of, and its correction waited for.
package struct WatchSession: Sendable {
  let service: RunService
  let file: WatchedFile
  let observer: any WatchObserver
  /// Whether the first run is to begin at once, whatever the file says of when.
  let startsNow: Bool
  /// How long a file must be left alone before it is read: editors write in several steps.
  let settling: Duration
  private let interruption = Interruption()

  package init(
    service: RunService, file: WatchedFile, observer: any WatchObserver, startsNow: Bool,
    settling: Duration = .milliseconds(100)
  ) {
    self.service = service
    self.file = file
    self.observer = observer
    self.startsNow = startsNow
    self.settling = settling
  }

  /// Runs until it is interrupted, and closes the service. How runs ended, and why files could not be run, the observer is told.
  ///
  /// - Throws: What the engine throws when it cannot go on.
  package func run() async throws {
    var isAsked = startsNow
    while true {
      let loaded = file.load()
      let changed: String?
      switch loaded.content {
      case .success(let start):
        let watch = PipelineWatch(
          start: start, loaded: loaded, plan: WatchPlan(for: start.pipeline, isAsked: isAsked), service: service,
          observer: observer, interruption: interruption, settling: settling)
        changed = try await watch.run()
        isAsked = false
      case .failure(let error):
        observer.refused(error)
        changed = try await waitForCorrection(of: loaded)
      }
      guard let changed, !interruption.hasCome else { return try await service.close() }
      observer.tell(.changed(path: changed))
    }
  }

  /// Waits until the files change, of which nothing can be run.
  ///
  /// - Returns: The file that has changed; nil where the watching is to end.
  private func waitForCorrection(of loaded: WatchedFile.Loaded) async throws -> String? {
    let (changes, sink) = AsyncStream<String?>.makeStream()
    let gate = WatchGate(observer: observer) { [interruption] in
      interruption.come()
      sink.yield(nil)
    }
    let stream = service.host.changes(of: loaded.files, since: loaded.moment)
    let listening = Task { for await path in stream { sink.yield(path) } }
    defer { listening.cancel() }
    if try await gate.idle() { observer.tell(.waitingForCorrection(files: loaded.files)) }
    for await change in changes {
      guard await gate.close(), let path = change else { return nil }
      try? await Task.sleep(for: settling)
      return path
    }
    return nil
  }
}
