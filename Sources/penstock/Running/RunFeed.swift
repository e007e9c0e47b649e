import OperatingSystem
import PipelineService
import RunHistory
import Synchronization

/// Passes events from the engine's thread to the presentation thread, without ever blocking the engine.
final class RunFeed: Sendable {
  private struct State {
    var events: [RunEvent] = []
    var end: End?
  }

  /// How the run ended, for the presenter.
  enum End: Sendable {
    case outcome(RunOutcome)
    /// The engine has thrown an error, which is reported elsewhere.
    case abandoned
  }

  private let state = Mutex(State())
  /// Readable if there are events.
  let arrivals: WakeDescriptor
  /// Readable if the run has ended.
  let ending: WakeDescriptor

  /// - Throws: ``FailureReport`` if the process is out of descriptors: without them, the end could not be signaled.
  init() throws(FailureReport) {
    do throws(SystemError) {
      (arrivals, ending) = (try WakeDescriptor(), try WakeDescriptor())
    } catch {
      throw .systemCall("\(error.call)", error.number)
    }
  }

  /// Adds an event. Any thread.
  func push(_ event: RunEvent) {
    let isFirst = state.withLock { state in
      state.events.append(event)
      return state.events.count == 1
    }
    if isFirst { arrivals.signal() }
  }

  func finish(_ end: End) {
    state.withLock { $0.end = end }
    ending.signal()
  }

  /// Returns all events since the last call, and how the run ended if it has.
  func take() -> (events: [RunEvent], end: End?) {
    arrivals.drain()
    return state.withLock { state in
      let taken = state.events
      state.events = []
      return (taken, state.end)
    }
  }
}
