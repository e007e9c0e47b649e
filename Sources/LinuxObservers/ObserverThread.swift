import CLinuxObservers
import Glibc
import OperatingSystem
import Operations
import Synchronization

/// The single thread of a process on which its observers wait for the kernel.
///
/// It starts with the first watched descriptor and ends with the last, so a process that observes nothing does not have this thread. It sleeps
/// in `epoll` without a timeout, and wakes only for watched events.
///
/// Observers' handlers are called on it: a slow handler delays all observers.
package final class ObserverThread: Sendable {
  /// The shared thread.
  package static let shared = ObserverThread()

  /// A handler that receives the events of its descriptor.
  package typealias Handler = @Sendable (_ events: UInt32) -> Void

  /// The descriptors with which one instance of the thread waits.
  private final class Loop: Sendable {
    let epoll: Descriptor
    let wake: WakeDescriptor

    init() throws(ObserverError) {
      epoll = try Descriptor(epoll_create1(Int32(EPOLL_CLOEXEC)), from: "epoll_create1")
      do throws(SystemError) { wake = try WakeDescriptor() } catch {
        throw .systemCall("\(error.call)", error.number)
      }
      try add(wake.number, id: 0, events: EPOLLIN.rawValue)
    }

    func add(_ descriptor: Int32, id: UInt64, events: UInt32) throws(ObserverError) {
      var event = epoll_event(events: events, data: epoll_data_t(u64: id))
      guard epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) == 0 else {
        throw .systemCall("epoll_ctl", errno)
      }
    }
  }

  private struct Watched {
    let descriptor: Descriptor
    let handler: Handler
  }

  /// Invariant: there is a loop, whose thread runs, exactly while something is watched.
  private struct State {
    var loop: Loop?
    var watched: [UInt64: Watched] = [:]
    var lastID: UInt64 = 0
  }

  private let state = Mutex(State())

  /// Calls `handler` on the thread whenever `descriptor` has one of `events`, an error or a hang-up, until the subscription ends.
  ///
  /// Events are reported repeatedly until the handler consumes them, for example by reading. Ending the subscription on another thread does not
  /// wait for a handler that is being called.
  package func watch(
    _ descriptor: Descriptor, for events: UInt32, handler: @escaping Handler
  ) throws(ObserverError) -> OperationSubscription {
    let result = state.withLock { state -> Result<UInt64, ObserverError> in
      do throws(ObserverError) {
        state.lastID += 1
        let id = state.lastID
        let loop: Loop
        if let running = state.loop { loop = running } else { loop = try Loop() }
        try loop.add(descriptor.number, id: id, events: events)
        if state.loop == nil { try start(loop) }
        state.loop = loop
        state.watched[id] = Watched(descriptor: descriptor, handler: handler)
        return .success(id)
      } catch {
        return .failure(error)
      }
    }
    let id = try result.get()
    return OperationSubscription { [self] in unwatch(id) }
  }

  /// Whether the thread is running or about to run.
  var isRunning: Bool { state.withLock { $0.loop != nil } }

  private func unwatch(_ id: UInt64) {
    let removed: Watched? = state.withLock { state in
      guard let watched = state.watched.removeValue(forKey: id), let loop = state.loop else { return nil }
      epoll_ctl(loop.epoll.number, EPOLL_CTL_DEL, watched.descriptor.number, nil)
      if state.watched.isEmpty {
        state.loop = nil
        loop.wake.signal()
      }
      return watched
    }
    // Releases the handler, and everything it holds, outside the lock.
    withExtendedLifetime(removed) {}
  }

  private func start(_ loop: Loop) throws(ObserverError) {
    do throws(SystemError) {
      try SystemThread.detach("penstock-observ", blocking: .all) { self.run(loop) }
    } catch {
      throw .systemCall("\(error.call)", error.number)
    }
  }

  private func run(_ loop: Loop) {
    var events = [epoll_event](repeating: epoll_event(), count: 16)
    while state.withLock({ $0.loop === loop }) {
      let count = epoll_wait(loop.epoll.number, &events, Int32(events.count), -1)
      for event in events.prefix(Int(max(count, 0))) where event.data.u64 != 0 {
        let handler = state.withLock { state in
          state.loop === loop ? state.watched[event.data.u64]?.handler : nil
        }
        handler?(event.events)
      }
    }
  }
}
