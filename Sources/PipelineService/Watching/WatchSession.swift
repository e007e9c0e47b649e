import PipelineEngine
import PipelineLanguage
import RunHistory

/// Runs a pipeline repeatedly: when one of its files changes, when its `rerun_on_change` becomes true, and when its controllers request it.
///
/// One definition is active at a time; errors in a file are reported, and the session waits for a correction.
package struct WatchSession: Sendable {
  let service: RunService
  let file: WatchedFile
  let observer: any WatchObserver
  /// Whether the first run begins immediately, regardless of the file.
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

  /// Runs until it is interrupted, then closes the service. The outcomes of runs, and the reasons why files could not be run, are reported to the observer.
  ///
  /// - Throws: The engine's error if it cannot continue.
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

  /// Waits until files that cannot be run change.
  ///
  /// - Returns: The file that has changed; nil if the watching is to end.
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
