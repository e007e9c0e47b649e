import Glibc
import RunHistory
import RunReports
import Synchronization
import Workspace

/// Shows a run of another process until it ends. Signals stop the display, not the run.
struct AttachSession {
  let history: History
  let run: RunID
  let presentation: RunPresentation

  /// The maximum wait in milliseconds before checking again: a host that dies sends no notification.
  private static let longestWait: Int32 = 1000

  /// A request to stop the display.
  private final class Detachment: Sendable {
    private let state = Mutex(false)
    var isAsked: Bool { state.withLock { $0 } }
    func ask() { state.withLock { $0 = true } }
  }

  /// Returns the outcome of the run; nil if a signal arrived first, or the output lost its reader.
  ///
  /// - Throws: ``CommandFailure`` if the run has been deleted, `WorkspaceError`, or ``FailureReport``.
  func present() async throws -> RunOutcome? {
    let feed = try RunFeed()
    let changes = ChangeWait()
    let detachment = Detachment()
    // Subscribed before the first read, so that no change in between is missed.
    let subscriptions = try history.followActivity { changes.end() }
    defer { subscriptions.forEach { $0.cancel() } }
    let (ended, ending) = AsyncStream<Void>.makeStream()
    let thread = try PresentationThread(feed: feed, presentation: presentation)
    try thread.start(
      .init(cancelsRun: false) { _, _ in
        detachment.ask()
        changes.end()
      } onEnd: {
        ending.finish()
      })
    let result = Result(catching: { try follow(feed, changes, detachment) })
    if case .success(let outcome?) = result { feed.finish(.outcome(outcome)) } else { feed.finish(.abandoned) }
    for await _ in ended {}
    return try result.get()
  }

  private func follow(_ feed: RunFeed, _ changes: ChangeWait, _ detachment: Detachment) throws -> RunOutcome? {
    var follower = RunFollower(of: run)
    var isQueued = false
    var owner: ProcessIdentity?
    var told: String?
    while !detachment.isAsked, !TextOutput.standard.isGone {
      let start = ContinuousClock.now
      guard let (events, outcome) = try follower.changes(in: history) else {
        throw CommandFailure("run \(run.short) has been deleted by another command")
      }
      for event in events where presentation.wants(event) { feed.push(event) }
      if let outcome { return outcome }
      for case .run(let record) in events where record.id == run {
        isQueued = record.state == .queued
        owner = record.state == .running ? record.owner : nil
      }
      if let reason = isQueued ? try wait() : owner.flatMap(Self.standstill), reason != told {
        told = reason
        let notice = RunEvent.notice(run, reason)
        if presentation.wants(notice) { feed.push(notice) }
      }
      // Reading a run with many operations takes at most a fifth of the time.
      let rest = min(.seconds(1), start.duration(to: .now) * 4)
      usleep(UInt32(rest / .microseconds(1)))
      changes.wait(milliseconds: Self.longestWait)
    }
    return nil
  }

  /// Returns a notice that the process executing the run is stopped; nil if it is not.
  private static func standstill(of owner: ProcessIdentity) -> String? {
    owner.isStopped ? HostStandstill.stopped(pid: owner.pid).words : nil
  }

  /// Returns what a queued run waits for; nil if it is about to begin.
  private func wait() throws -> String? {
    guard let record = try history.run(run), record.state == .queued,
      let place = try QueueReport(run: run, in: history).places.first,
      !place.isAboutToBegin
    else { return nil }
    return
      "run \(try history.shortForm(of: run)) of \(record.pipeline) is queued, with \(place.before) before it; it waits for \(place.reason)"
  }
}
