import CLinuxObservers
import Glibc
import Operations
import Synchronization

/// Memory pressure as the kernel measures it: the time that work stalls for lack of memory.
///
/// Triggers on `/proc/pressure/memory` wake the process when stalls within two seconds reach a threshold. Nothing is polled, and nothing exists
/// without subscribers. Two seconds is the shortest window that an unprivileged process may use.
///
/// | level | reported when |
/// |---|---|
/// | `warning` | some work stalled for 300 ms within 2 s; at most once in 2 s |
/// | `critical` | all work stalled for 200 ms within 2 s; at most once in 2 s |
/// | `normal` | neither was reported for 4 s |
///
/// A kernel without pressure stall information reports nothing: see ``isAvailable``. Handlers are called on the single thread that all observers
/// of the process share, and must return quickly.
public final class PressureStallSource: MemoryPressureSource {
  /// The shared source.
  public static let shared = PressureStallSource()

  /// The kernel triggers, with the level that each reports.
  private static let triggers: [(text: String, level: MemoryPressure)] = [
    ("some 300000 2000000", .warning), ("full 200000 2000000", .critical),
  ]
  /// Two windows, in seconds.
  private static let calm = 4

  /// Opens a descriptor that reports EPOLLPRI when a trigger fires.
  typealias OpenTrigger = @Sendable (_ trigger: String) throws(ObserverError) -> Descriptor

  private struct State {
    var subscriberCount = 0
    var watches: [OperationSubscription] = []
    var timer: Descriptor?
    var failure: ObserverError?
  }

  private let state = Mutex(State())
  private let handlers = HandlerList<MemoryPressure>()
  private let openTrigger: OpenTrigger
  private let calmTime: timespec

  /// Creates a source that does nothing until it is subscribed to or read.
  ///
  /// - Parameter path: The kernel's file; that of a control group, such as `/sys/fs/cgroup/x.slice/memory.pressure`, covers only that group.
  public convenience init(path: String = "/proc/pressure/memory") {
    self.init(calmTime: timespec(tv_sec: Self.calm, tv_nsec: 0)) { (trigger) throws(ObserverError) in
      try Self.openTrigger(trigger, at: path)
    }
  }

  init(calmTime: timespec, openTrigger: @escaping OpenTrigger) {
    self.calmTime = calmTime
    self.openTrigger = openTrigger
  }

  /// Whether the kernel supports the triggers. Each access tries to open them, which takes some microseconds.
  public var isAvailable: Bool { unavailability == nil }

  /// The reason that the kernel does not support the triggers; nil if it does.
  public var unavailability: ObserverError? {
    do throws(ObserverError) {
      for trigger in Self.triggers { _ = try openTrigger(trigger.text) }
      return nil
    } catch {
      return error
    }
  }

  /// The reason that the latest subscription receives nothing; nil if it works, or if there has been none.
  public var failure: ObserverError? { state.withLock { $0.failure } }

  /// Calls `handler` on the observers' thread when a level is reached, and when the pressure is over.
  ///
  /// If ``isAvailable`` is false, the handler is never called, and ``failure`` holds the reason.
  public func subscribe(with handler: @escaping @Sendable (MemoryPressure) -> Void) -> OperationSubscription {
    let subscription = handlers.subscribe(handler)
    begin()
    return OperationSubscription { [self] in
      subscription.cancel()
      end()
    }
  }

  private func begin() {
    let failed = state.withLock { state -> [OperationSubscription] in
      state.subscriberCount += 1
      guard state.watches.isEmpty else { return [] }
      var watches: [OperationSubscription] = []
      do throws(ObserverError) {
        let kind = Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK)
        let timer = try Descriptor(timerfd_create(CLOCK_MONOTONIC, kind), from: "timerfd_create")
        for (text, level) in Self.triggers {
          let descriptor = try openTrigger(text)
          watches.append(
            // Edge-triggered: polling for the event consumes it.
            try ObserverThread.shared.watch(descriptor, for: EPOLLPRI.rawValue | UInt32(EPOLLET.rawValue)) {
              [weak self] events in
              self?.reached(level, events: events, calmingBy: timer)
            })
        }
        watches.append(
          try ObserverThread.shared.watch(timer, for: EPOLLIN.rawValue) { [weak self] _ in self?.calmed(timer) })
        state.watches = watches
        state.failure = nil
        return []
      } catch {
        state.failure = error
        return watches
      }
    }
    for watch in failed { watch.cancel() }
  }

  private func end() {
    let watches = state.withLock { state -> [OperationSubscription] in
      state.subscriberCount -= 1
      guard state.subscriberCount == 0 else { return [] }
      defer { state.watches = [] }
      return state.watches
    }
    for watch in watches { watch.cancel() }
  }

  private func reached(_ level: MemoryPressure, events: UInt32, calmingBy timer: Descriptor) {
    guard events & EPOLLERR.rawValue == 0 else {
      // The control group of the file no longer exists.
      return state.withLock { $0.failure = .unavailable("the trigger for \(level) memory pressure") }
    }
    var time = itimerspec(it_interval: timespec(), it_value: calmTime)
    timerfd_settime(timer.number, 0, &time, nil)
    handlers.notify(level)
  }

  private func calmed(_ timer: Descriptor) {
    var count: UInt64 = 0
    guard read(timer.number, &count, MemoryLayout<UInt64>.size) > 0 else { return }
    handlers.notify(.normal)
  }

  private static func openTrigger(_ trigger: String, at path: String) throws(ObserverError) -> Descriptor {
    let number = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    if number < 0, errno == ENOENT || errno == EOPNOTSUPP {
      throw .unavailable("pressure stall information (\(path))")
    }
    let descriptor = try Descriptor(number, from: "open(\(path))")
    // The kernel expects the terminating zero as well.
    let count = trigger.utf8.count + 1
    guard trigger.withCString({ write(descriptor.number, $0, count) }) == count else {
      throw errno == EOPNOTSUPP
        ? .unavailable("pressure stall information (\(path))") : .systemCall("write(\(path))", errno)
    }
    return descriptor
  }
}
