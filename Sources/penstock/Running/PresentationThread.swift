import CProcess
import Glibc
import Pipelines

/// The thread that shows a run and answers the terminal: it waits for events, for signals and for the next redrawing.
///
/// A thread of its own, because writing to a terminal or a pipe may block for as long as somebody reads slowly.
final class PresentationThread: Sendable {
  /// Events are shown at most this often, so that a run of a thousand operations does not wake the thread a thousand times.
  private static let gatheringMilliseconds: Int64 = 25

  private let feed: RunFeed
  private let signals: SignalSource
  private let presentation: RunPresentation
  private let onSignal: @Sendable (_ times: Int) -> Void
  private let onJobControl: @Sendable (_ isStopping: Bool) -> Void
  private let onEnd: @Sendable () -> Void

  /// - Parameters:
  ///   - feed: Where events come from.
  ///   - presentation: What to show them with.
  ///   - onSignal: Called for each signal that asks the run to end, counted from 1.
  ///   - onJobControl: Called before the process is stopped (true), and when it goes on (false).
  ///   - onEnd: Called when all is shown, as the last thing.
  /// - Throws: ``EngineError/systemCall(_:_:)`` when the process is out of descriptors.
  init(
    feed: RunFeed, presentation: RunPresentation, onSignal: @escaping @Sendable (Int) -> Void,
    onJobControl: @escaping @Sendable (Bool) -> Void, onEnd: @escaping @Sendable () -> Void
  ) throws(EngineError) {
    signals = try SignalSource()
    self.feed = feed
    self.presentation = presentation
    self.onSignal = onSignal
    self.onJobControl = onJobControl
    self.onEnd = onEnd
  }

  func start() throws(EngineError) {
    let reference = Unmanaged.passRetained(self)
    var created = pthread_t()
    let error = pthread_create(
      &created, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<PresentationThread>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, reference.toOpaque())
    guard error == 0 else {
      reference.release()
      close(signals.descriptor)
      throw .systemCall("pthread_create", error)
    }
    pthread_detach(created)
  }

  private func run() {
    let presenter = presentation.makePresenter()
    defer {
      close(signals.descriptor)
      onEnd()
    }
    var requests = 0
    var lastShown = Int64.min / 2
    var lastTick = Self.now()
    while true {
      let now = Self.now()
      let pause = max(0, lastShown + Self.gatheringMilliseconds - now)
      // While events gather, only signals and the end are waited for.
      var waits = [
        pollfd(fd: signals.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: feed.ending, events: Int16(POLLIN), revents: 0),
        pollfd(fd: feed.arrivals, events: Int16(POLLIN), revents: 0),
      ]
      var timeout: Int64 = -1
      if let tick = presenter.tickMilliseconds { timeout = max(0, lastTick + Int64(tick) - now) }
      if pause > 0 { timeout = timeout < 0 ? pause : min(timeout, pause) }
      poll(&waits, pause > 0 ? 2 : 3, Int32(timeout))

      while let signal = signals.next() { answer(signal, presenter, &requests) }
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

  private func answer(_ signal: Int32, _ presenter: any RunPresenter, _ requests: inout Int) {
    switch signal {
    case SIGWINCH: presenter.redraw()
    case SIGCONT:
      onJobControl(false)
      presenter.redraw()
    case SIGTSTP:
      onJobControl(true)
      presenter.leave()
      // The default action, which a blocked signal does not have.
      raise(SIGSTOP)
      onJobControl(false)
      presenter.redraw()
    default:
      requests += 1
      presenter.cancelling(times: requests)
      onSignal(requests)
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
