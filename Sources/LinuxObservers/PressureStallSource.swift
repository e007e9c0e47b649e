import CLinuxObservers
import Glibc
import Operations
import Synchronization

/// Memory pressure as the kernel measures it: the time that work stands still for want of memory.
///
/// Triggers on `/proc/pressure/memory` wake the process when the stalls within two seconds reach a threshold; nothing is
/// polled, and nothing exists while nobody subscribes. Two seconds are the shortest window that a process without
/// privileges may ask for.
///
/// | level | told when, within 2 s |
/// |---|---|
/// | `warning` | some work stood still for 300 ms, at most once in 2 s |
/// | `critical` | all work stood still for 200 ms, at most once in 2 s |
/// | `normal` | nothing of that for 4 s after it was last told |
///
/// A kernel without pressure stall information tells nothing: see ``isAvailable``. Handlers are called on the one thread
/// that all observers of the process share, and must not keep it long.
public final class PressureStallSource: MemoryPressureSource {
  /// The source that everybody can share.
  public static let shared = PressureStallSource()

  /// What the kernel is to tell of.
  private static let triggers: [(text: String, level: MemoryPressure)] = [
    ("some 300000 2000000", .warning), ("full 200000 2000000", .critical),
  ]
  /// Two windows, in seconds.
  private static let calm = 4

  /// Makes a descriptor that has EPOLLPRI when a trigger fires.
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

  /// A source that does nothing until somebody subscribes or asks.
  ///
  /// - Parameter path: The kernel's file; that of a control group, such as `/sys/fs/cgroup/x.slice/memory.pressure`, tells
  ///   of that group alone.
  public convenience init(path: String = "/proc/pressure/memory") {
    self.init(calmTime: timespec(tv_sec: Self.calm, tv_nsec: 0)) { (trigger) throws(ObserverError) in
      try Self.openTrigger(trigger, at: path)
    }
  }

  init(calmTime: timespec, openTrigger: @escaping OpenTrigger) {
    self.calmTime = calmTime
    self.openTrigger = openTrigger
  }

  /// Whether the kernel can tell. Asking tries it out, which takes some microseconds.
  public var isAvailable: Bool { unavailability == nil }

  /// Why the kernel cannot tell; nil where it can.
  public var unavailability: ObserverError? {
    do throws(ObserverError) {
      for trigger in Self.triggers { _ = try openTrigger(trigger.text) }
      return nil
    } catch {
      return error
    }
  }

  /// Why the last subscription is told nothing; nil where it is told, or where there has been none.
  public var failure: ObserverError? { state.withLock { $0.failure } }

  /// Calls `handler` on the thread of the observers when a level is reached, and when it is over.
  ///
  /// Where ``isAvailable`` is false it is never called, and ``failure`` says why.
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
            // Edge-triggered: asking for the event is what takes it.
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
      // The control group whose file it was has gone.
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
    // The kernel wants the zero at the end too.
    let count = trigger.utf8.count + 1
    guard trigger.withCString({ write(descriptor.number, $0, count) }) == count else {
      throw errno == EOPNOTSUPP
        ? .unavailable("pressure stall information (\(path))") : .systemCall("write(\(path))", errno)
    }
    return descriptor
  }
}
