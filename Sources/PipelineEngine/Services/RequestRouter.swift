import RunHistory
import Workspace

/// Hands what people and other processes ask of the runs of this host to these: cancellations, kills, answers to questions.
///
/// One look at the database for all runs follows a notification of the workspace, and no look begins sooner than 10 ms after the one before: notifications
/// come by the thousand where runs end by the thousand. *On the loop.*
final class RequestRouter: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  /// What a run wants to be told.
  struct Listener {
    /// The fencing number with which the run is this host's.
    let fence: () -> Int64
    /// What is asked of the run.
    let onRequest: (PendingRequest) -> Void
    /// The ordinals of the operations that wait for a person.
    let questions: () -> Set<Int>
    /// Some of them have their answers.
    let onAnswers: ([Int]) -> Void
  }

  /// How much time is between two looks.
  private let pause: Duration
  private let time: HostClock

  private let loop: EventLoop
  private let history: History
  private let recorder: HistoryRecorder
  private let watch: WorkspaceWatch
  private var listeners: [RunID: Listener] = [:]
  private var observer: Int?
  private var timer: EventLoop.Token?
  /// When the latest look was, by a clock that never jumps.
  private var lookedAt: Duration?
  /// How many looks there were.
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

  /// How many runs are listened for.
  var listenerCount: Int { listeners.count }

  /// Listens for a run until ``remove(_:)``, and finds what was asked of it before.
  func add(_ run: RunID, _ listener: Listener) {
    listeners[run] = listener
    if observer == nil { observer = watch.add(.requests) { [weak self] in self?.noticed() } }
    noticed()
  }

  /// Ends listening for a run.
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
      // Beside the loop, as a run may have asked thousands of questions. What cannot be read now is found at the next look.
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

  /// Takes requests, and hands them on.
  private func take(_ requests: [PendingRequest]) {
    let fences = Dictionary(uniqueKeysWithValues: Set(requests.map(\.run)).map { ($0, listeners[$0]?.fence()) })
    Task(executorPreference: loop) { [self] in
      let taken = try? await recorder.take(requests, fences: fences.compactMapValues { $0 }, at: time.now())
      for request in taken ?? [] { listeners[request.run]?.onRequest(request) }
    }
  }
}
