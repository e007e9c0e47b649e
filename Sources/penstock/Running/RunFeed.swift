import CProcess
import Glibc
import PipelineService
import RunHistory
import Synchronization

/// Hands events from the engine's thread to the presentation thread, without ever making the engine wait.
final class RunFeed: Sendable {
  private struct State {
    var events: [RunEvent] = []
    var end: End?
  }

  /// How the run ended, for the presenter.
  enum End: Sendable {
    case outcome(RunOutcome)
    /// The engine has thrown; somebody else tells about it.
    case abandoned
  }

  private let state = Mutex(State())
  /// Readable when there are events.
  let arrivals: Int32
  /// Readable when the run has ended.
  let ending: Int32

  /// - Throws: ``FailureReport`` when the process is out of descriptors: without these nobody would learn of the end.
  init() throws(FailureReport) {
    arrivals = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard arrivals >= 0 else { throw .systemCall("eventfd", errno) }
    ending = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard ending >= 0 else {
      let error = errno
      close(arrivals)
      throw .systemCall("eventfd", error)
    }
  }

  deinit {
    close(arrivals)
    close(ending)
  }

  /// Takes an event. Any thread.
  func push(_ event: RunEvent) {
    let isFirst = state.withLock { state in
      state.events.append(event)
      return state.events.count == 1
    }
    if isFirst { Self.signal(arrivals) }
  }

  func finish(_ end: End) {
    state.withLock { $0.end = end }
    Self.signal(ending)
  }

  /// All events that have come since the last call, and how the run ended if it has.
  func take() -> (events: [RunEvent], end: End?) {
    var count: UInt64 = 0
    read(arrivals, &count, 8)
    return state.withLock { state in
      let taken = state.events
      state.events = []
      return (taken, state.end)
    }
  }

  private static func signal(_ descriptor: Int32) {
    var one: UInt64 = 1
    write(descriptor, &one, 8)
  }
}
