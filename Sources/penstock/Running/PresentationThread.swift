import Glibc
import OperatingSystem
import PipelineService
import RunHistory

/// The thread that shows a run and handles the terminal: it waits for events, signals and the next redraw.
///
/// It is a separate thread because writing to a terminal or a pipe blocks while its reader is slow.
final class PresentationThread: Sendable {
  /// The minimum interval between updates: a run of a thousand operations must not wake the thread a thousand times.
  private static let gatheringMilliseconds: Int64 = 25

  private let feed: RunFeed
  private let signals: SignalSource
  private let presentation: RunPresentation

  /// The callbacks of the thread.
  struct Handlers: Sendable {
    /// Whether a terminating signal cancels the run; if so, this is shown.
    var cancelsRun = true
    /// Called for each terminating signal, with its number from 1 and the canceller that it stands for.
    var onSignal: @Sendable (_ times: Int, _ canceller: RunCanceller) -> Void
    /// Called before the process is stopped (true), and when it continues (false).
    var onJobControl: @Sendable (_ isStopping: Bool) -> Void = { _ in }
    /// Called last, once everything has been shown.
    var onEnd: @Sendable () -> Void
  }

  /// Reserves signals for the thread, which must then be started with ``start(_:)``: a run may begin before that, and a signal must not kill it.
  ///
  /// - Parameters:
  ///   - feed: The source of events.
  ///   - presentation: How to show them.
  /// - Throws: ``FailureReport`` if the process is out of descriptors.
  init(feed: RunFeed, presentation: RunPresentation) throws(FailureReport) {
    signals = try SignalSource()
    self.feed = feed
    self.presentation = presentation
    UnansweredSignals.beginPresentation()
  }

  /// Starts the thread. Signals that arrived earlier are handled as well.
  func start(_ handlers: Handlers) throws(FailureReport) {
    do throws(SystemError) {
      try SystemThread.detach("penstock-show") { self.run(handlers) }
    } catch {
      UnansweredSignals.endPresentation()
      close(signals.descriptor)
      throw .systemCall("\(error.call)", error.number)
    }
  }

  private func run(_ handlers: Handlers) {
    let presenter = presentation.makePresenter()
    defer {
      close(signals.descriptor)
      UnansweredSignals.endPresentation()
      handlers.onEnd()
    }
    var requests = 0
    var lastShown = Int64.min / 2
    var lastTick = Self.now()
    while true {
      let now = Self.now()
      let pause = max(0, lastShown + Self.gatheringMilliseconds - now)
      // While events are being collected, wait only for signals, the end and keys.
      var waits = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: feed.ending.number, events: Int16(POLLIN), revents: 0),
        // A negative descriptor is ignored.
        pollfd(fd: presenter.keyDescriptor ?? -1, events: Int16(POLLIN), revents: 0),
        pollfd(fd: feed.arrivals.number, events: Int16(POLLIN), revents: 0),
      ]
      var timeout: Int64 = -1
      if let tick = presenter.tickMilliseconds { timeout = max(0, lastTick + Int64(tick) - now) }
      if pause > 0 { timeout = timeout < 0 ? pause : min(timeout, pause) }
      poll(&waits, pause > 0 ? 3 : 4, Int32(timeout))

      while let signal = signals.next() { answer(signal, presenter, handlers, &requests) }
      if waits[2].revents != 0 { presenter.readKeys() }
      let (events, end) = feed.take()
      if !events.isEmpty {
        presenter.show(events)
        lastShown = Self.now()
        lastTick = lastShown
      }
      if let end {
        presenter.leave()
        if case .outcome(let outcome) = end { presenter.conclude(outcome) }
        return
      }
      if let tick = presenter.tickMilliseconds, Self.now() - lastTick >= Int64(tick) {
        presenter.tick()
        lastTick = Self.now()
      }
    }
  }

  private func answer(
    _ signal: SignalSource.Arrival, _ presenter: any RunPresenter, _ handlers: Handlers, _ requests: inout Int
  ) {
    switch signal.number {
    case SIGWINCH: presenter.redraw()
    case SIGCONT:
      handlers.onJobControl(false)
      presenter.redraw()
    case SIGTSTP:
      handlers.onJobControl(true)
      presenter.leave()
      // The default action, which a blocked signal does not perform.
      raise(SIGSTOP)
      handlers.onJobControl(false)
      presenter.redraw()
    default:
      requests += 1
      if handlers.cancelsRun { presenter.cancelling(times: requests) }
      handlers.onSignal(requests, RunCanceller(signal))
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
