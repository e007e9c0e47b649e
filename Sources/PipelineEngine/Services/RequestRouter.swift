import RunHistory
import Workspace

/// Delivers requests of people and other processes to the runs of this host: cancellations, kills, answers to approvals.
///
/// Each notification of the workspace leads to one query for all runs, at most every 10 ms, because notifications arrive by the thousand when runs
/// end by the thousand. *On the event loop.*
final class RequestRouter: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// The callbacks of a run.
  struct Listener {
    /// Returns the fencing token with which this host owns the run.
    let fence: () -> Int64
    /// Called with a request to the run.
    let onRequest: (PendingRequest) -> Void
    /// Returns the ordinals of the operations that wait for a person.
    let questions: () -> Set<Int>
    /// Called with those that have been answered.
    let onAnswers: ([Int]) -> Void
  }

  /// The minimum time between two queries.
  private let pause: Duration
  private let time: HostClock

  private let loop: EventLoop
  private let history: History
  private let recorder: HistoryRecorder
  private let watch: WorkspaceWatch
  private var listeners: [RunID: Listener] = [:]
  private var observer: Int?
  private var timer: EventLoop.Token?
  /// When the latest query was made, by the monotonic clock.
  private var lookedAt: Duration?
  /// The number of queries made.
  private(set) var looks = 0

  init(
    loop: EventLoop, history: History, recorder: HistoryRecorder, watch: WorkspaceWatch, time: HostClock,
    pause: Duration
  ) {
    self.time = time
    self.pause = pause
    self.loop = loop
    self.history = history
    self.recorder = recorder
    self.watch = watch
  }

  /// The number of runs listened for.
  var listenerCount: Int { listeners.count }

  /// Listens for a run until ``remove(_:)``, and delivers earlier requests to it.
  func add(_ run: RunID, _ listener: Listener) {
    listeners[run] = listener
    if observer == nil { observer = watch.add(.requests) { [weak self] in self?.noticed() } }
    noticed()
  }

  /// Stops listening for a run.
  func remove(_ run: RunID) {
    listeners[run] = nil
    guard listeners.isEmpty else { return }
    if let observer { watch.remove(observer) }
    observer = nil
    if let timer { loop.cancelTimer(timer) }
    timer = nil
  }

  private func noticed() {
    guard timer == nil else { return }
    let left = lookedAt.map { pause - (time.monotonic() - $0) } ?? .zero
    guard left > .zero else { return look() }
    timer = loop.schedule(after: left) { [weak self] in
      guard let self else { return }
      timer = nil
      if !listeners.isEmpty { look() }
    }
  }

  private func look() {
    lookedAt = time.monotonic()
    looks += 1
    let (history, withAnswers) = (history, isAnyoneWaiting)
    Task(executorPreference: loop) { [self] in
      // Off the event loop, because a run may have thousands of pending approvals. What cannot be read now is found by the next query.
      guard let found = try? await BlockingWork.run({ try history.pendingForHosts(withAnswers: withAnswers) }) else {
        return
      }
      take(answers: found.answers)
      let requests = found.requests.filter { listeners[$0.run] != nil }
      if !requests.isEmpty { take(requests) }
    }
  }

  private func take(answers: [RunID: Set<Int>]) {
    for (run, ordinals) in answers {
      guard let listener = listeners[run] else { continue }
      let waiting = listener.questions().intersection(ordinals)
      if !waiting.isEmpty { listener.onAnswers(waiting.sorted()) }
    }
  }

  private var isAnyoneWaiting: Bool { listeners.values.contains { !$0.questions().isEmpty } }

  /// Claims requests and delivers them.
  private func take(_ requests: [PendingRequest]) {
    let fences = Dictionary(uniqueKeysWithValues: Set(requests.map(\.run)).map { ($0, listeners[$0]?.fence()) })
    Task(executorPreference: loop) { [self] in
      let taken = try? await recorder.take(requests, fences: fences.compactMapValues { $0 }, at: time.now())
      for request in taken ?? [] { listeners[request.run]?.onRequest(request) }
    }
  }
}
