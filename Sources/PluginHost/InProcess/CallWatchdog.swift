import CPluginGuard
import Glibc
import OperatingSystem
import Synchronization

/// A plugin's function that the host calls.
enum PluginFunction: String, Sendable, Hashable {
  /// The initialisers that run when the shared object is loaded, before any function of the contract is called.
  case initializer
  case describe, capability
  case open, close, create, between, start, stop, destroy
  case timer = "timer callback"
  case answer = "answer callback"

  /// The name for crash reports, which must not allocate a string.
  var staticName: StaticString {
    switch self {
    case .initializer: "initializer"
    case .describe: "describe"
    case .capability: "capability"
    case .open: "open"
    case .close: "close"
    case .create: "create"
    case .between: "between"
    case .start: "start"
    case .stop: "stop"
    case .destroy: "destroy"
    case .timer: "timer callback"
    case .answer: "answer callback"
    }
  }

  /// Whether the contract allows it a second.
  var mayTakeLong: Bool { isOfLoading || [.close, .destroy, .between].contains(self) }

  /// Whether it is called before the plugin is in use.
  var isOfLoading: Bool { [.initializer, .describe, .capability, .open].contains(self) }
}

/// Reports calls of plugins' functions that take long, including those that still hang.
///
/// Each thread that calls plugins has a slot with its current call. While calls are in progress, one thread scans the slots four times a second;
/// when it finds none, it sleeps until the next call wakes it.
final class CallWatchdog: Sendable {
  /// The time limits of calls, in nanoseconds.
  struct Limits: Sendable {
    /// A call that took longer is reported when it returns.
    var slow: Int64 = 50_000_000
    /// The same for `open`, `close`, `destroy` and `between`, and for the functions called before `open`.
    var slowWhereLong: Int64 = 1_000_000_000
    /// A call that has not returned after this time is reported.
    var hanging: Int64 = 1_000_000_000
  }

  /// A call in progress.
  struct Call: Sendable {
    // Unretained: the caller holds both until it has taken the call out of the slot, and reference counting would cost more than the rest of a watch.
    let reports: Unmanaged<PluginReports>
    let offer: Unmanaged<LoadedOffer>?
    let function: PluginFunction
    var start: Int64
    var isReported = false
    /// How many scans have found the call. It does not grow while the process is stopped or the computer sleeps, unlike the call's age.
    var looks = 0
  }

  /// A call that takes, or took, long.
  struct SlowCall: Sendable {
    let reports: PluginReports
    let offer: LoadedOffer?
    let function: PluginFunction
    let nanoseconds: Int64

    /// Creates a report of a call that cannot end meanwhile: it is over, or its slot is locked.
    init(_ call: Call, nanoseconds: Int64) {
      reports = call.reports.takeUnretainedValue()
      offer = call.offer?.takeUnretainedValue()
      function = call.function
      self.nanoseconds = nanoseconds
    }

    func report(isOver: Bool) { reports.reportSlow(self, isOver: isOver) }

    /// `'create' of operation 'echo' of plugin 'sample'`
    var text: String { "'\(function.rawValue)' of \(reports.name(of: offer))" }
  }

  /// Identifies a call in progress: a thread cannot begin two calls at the same moment.
  struct CallKey: Hashable, Sendable {
    var slot: ObjectIdentifier
    var start: Int64
    var function: PluginFunction
  }

  /// A thread's current call.
  final class Slot: Sendable {
    let call = Mutex<Call?>(nil)
  }

  /// The calling thread's slot, which lives as long as the thread; unretained, like its content.
  private struct OwnSlot {
    let slot: Unmanaged<Slot>

    /// Puts a call, or none, into the slot and returns the previous one.
    func put(_ call: Call?) -> Call? {
      slot._withUnsafeGuaranteedRef {
        $0.call.withLock { current in
          let former = current
          current = call
          return former
        }
      }
    }
  }

  static let shared = CallWatchdog()

  /// The interval between scans, in milliseconds.
  private static let interval: Int32 = 250

  /// The number of scans after which a call counts as one that never returns.
  private static let overdue = Int(ProcessGuard.patience.nanoseconds / 1_000_000) / Int(interval)

  private struct State {
    var slots: [ObjectIdentifier: Slot] = [:]
    var wake: WakeDescriptor?
  }

  /// A struct because a bare closure is wrapped in another one each time it is read from a `Mutex`.
  private struct Targets {
    var onHang: (@Sendable (SlowCall) -> Void)?
    var onOverdue: (@Sendable (SlowCall) -> Void)?
  }

  private let state = Mutex(State())
  private let isParked = Atomic<Bool>(true)
  private let targets = Mutex(Targets())
  private let key: pthread_key_t?

  private init() {
    var key = pthread_key_t()
    let error = pthread_key_create(&key) { pointer in
      guard let pointer else { return }
      penstock_guard_leave_thread()
      CallWatchdog.shared.forget(Unmanaged<Slot>.fromOpaque(pointer).takeRetainedValue())
    }
    self.key = error == 0 ? key : nil
  }

  /// Calls `body`, which calls `function` of the plugin, and reports it if it takes long.
  func watch<Answer>(
    _ function: PluginFunction, of offer: LoadedOffer?, _ reports: PluginReports, _ body: () -> Answer
  ) -> Answer {
    guard let slot = slot() else { return body() }
    let call = Call(
      reports: .passUnretained(reports), offer: offer.map { .passUnretained($0) }, function: function,
      start: Self.now())
    defer { withExtendedLifetime((reports, offer)) {} }
    let former = slot.put(call)
    let formerNote = penstock_guard_note(
      UnsafeRawPointer(function.staticName.utf8Start).assumingMemoryBound(to: CChar.self),
      offer?.subject ?? reports.subject)
    defer { penstock_guard_put(formerNote) }
    // The watchdog scans all slots once more after setting `isParked`: either it sees the call, or this thread sees the flag.
    if isParked.load(ordering: .sequentiallyConsistent) { wake() }
    let answer = body()
    if let ended = slot.put(former) { report(ended) }
    return answer
  }

  /// Calls `body` without charging its time to the plugin: it is the host's own work, triggered by a call from the plugin.
  func pause(_ body: () -> Void) {
    guard let slot = slot(), var call = slot.put(nil) else { return body() }
    let start = Self.now()
    let note = penstock_guard_note(nil, nil)
    body()
    penstock_guard_put(note)
    call.start += Self.now() - start
    call.looks = 0
    _ = slot.put(call)
  }

  /// Sets the handler of calls that are reported because they have not returned. It runs on the watchdog's thread.
  func whenHanging(_ body: @escaping @Sendable (SlowCall) -> Void) { targets.withLock { $0.onHang = body } }

  /// Sets the handler of calls that have not returned for ``ProcessGuard/patience``. It runs on the watchdog's thread.
  func whenOverdue(_ body: @escaping @Sendable (SlowCall) -> Void) { targets.withLock { $0.onOverdue = body } }

  /// Returns the calls in progress on all threads with their descriptions: `'start' of operation 'echo'`, or `'describe'` for a call that belongs
  /// to no offer, with its plugin if `namesPlugin` is set.
  func callsUnderWay(namesPlugin: Bool = false) -> [CallKey: String] {
    var calls: [CallKey: String] = [:]
    for (key, slot) in state.withLock({ $0.slots }) {
      // The objects of a call are certain to exist only while the call cannot be taken out of the slot.
      slot.call.withLock { call in
        guard let call else { return }
        let offer = call.offer?.takeUnretainedValue().offer
        let plugin = namesPlugin ? " of \(call.reports.takeUnretainedValue().name(of: nil))" : ""
        let whose = offer.map { " of \($0.kind.rawValue) '\($0.id)'" } ?? plugin
        calls[CallKey(slot: key, start: call.start, function: call.function)] = "'\(call.function.rawValue)'\(whose)"
      }
    }
    return calls
  }

  /// Returns the calls in progress with the names of their plugins, the longest first: `'describe' of plugin 'sample'`.
  func textsUnderWay() -> [String] {
    let calls = state.withLock { Array($0.slots.values) }.compactMap { slot in
      slot.call.withLock { $0.map { ($0.start, SlowCall($0, nanoseconds: 0)) } }
    }
    return calls.sorted { $0.0 < $1.0 }.map(\.1.text)
  }

  private func report(_ call: Call) {
    let time = Self.now() - call.start
    // By this clock, nearly every call takes no time.
    guard time > 0 else { return }
    let slow = SlowCall(call, nanoseconds: time)
    let limits = slow.reports.limits
    guard time > (call.function.mayTakeLong ? limits.slowWhereLong : limits.slow) else { return }
    slow.report(isOver: true)
  }

  // MARK: Slots

  /// Returns the calling thread's slot; nil if the process has no room for one, in which case nothing is watched.
  private func slot() -> OwnSlot? {
    guard let key else { return nil }
    if let pointer = pthread_getspecific(key) { return OwnSlot(slot: .fromOpaque(pointer)) }
    let slot = Slot()
    let reference = Unmanaged.passRetained(slot)
    guard pthread_setspecific(key, reference.toOpaque()) == 0 else {
      reference.release()
      return nil
    }
    state.withLock { $0.slots[ObjectIdentifier(slot)] = slot }
    penstock_guard_prepare_thread()
    return OwnSlot(slot: reference)
  }

  private func forget(_ slot: Slot) {
    // If the plugin ended the thread within its call, the call never returns: keep the slot, so that it is reported like one that hangs.
    guard slot.call.withLock({ $0 == nil }) else { return }
    state.withLock { _ = $0.slots.removeValue(forKey: ObjectIdentifier(slot)) }
  }

  // MARK: The watchdog's thread

  private func wake() {
    guard isParked.compareExchange(expected: true, desired: false, ordering: .sequentiallyConsistent).exchanged else {
      return
    }
    let wake = state.withLock { state in
      if state.wake == nil { start(&state) }
      return state.wake
    }
    guard let wake else {
      // No descriptor or thread is available: the next call retries.
      isParked.store(true, ordering: .sequentiallyConsistent)
      return
    }
    wake.signal()
  }

  private func start(_ state: inout State) {
    guard let wake = try? WakeDescriptor(),
      (try? SystemThread.detach("penstock-watch", blocking: .allButFaults, { CallWatchdog.shared.run(wake) })) != nil
    else { return }
    state.wake = wake
  }

  private func run(_ wake: WakeDescriptor) {
    while true {
      rest(wake, Self.interval)
      guard !look() else { continue }
      isParked.store(true, ordering: .sequentiallyConsistent)
      if look() {
        isParked.store(false, ordering: .sequentiallyConsistent)
      } else {
        rest(wake, -1)
      }
    }
  }

  private func rest(_ wake: WakeDescriptor, _ milliseconds: Int32) {
    var waiting = pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0)
    if poll(&waiting, 1, milliseconds) > 0 { wake.drain() }
  }

  /// Reports hanging calls. Returns whether any call is in progress.
  private func look() -> Bool {
    let slots = state.withLock { Array($0.slots.values) }
    let now = Self.now()
    var isAny = false
    for slot in slots {
      let (hanging, overdue): (SlowCall?, SlowCall?) = slot.call.withLock { call in
        guard let current = call else { return (nil, nil) }
        isAny = true
        call?.looks += 1
        let slow = SlowCall(current, nanoseconds: now - current.start)
        let overdue = current.looks + 1 == Self.overdue ? slow : nil
        guard !current.isReported, slow.nanoseconds > slow.reports.limits.hanging else {
          return (nil, overdue)
        }
        call?.isReported = true
        return (slow, overdue)
      }
      if let overdue { targets.withLock { $0.onOverdue }?(overdue) }
      guard let hanging else { continue }
      hanging.report(isOver: false)
      targets.withLock { $0.onHang }?(hanging)
    }
    return isAny
  }

  /// The monotonic time in nanoseconds, accurate to the kernel's tick (at most 4 ms), which suffices here and takes a quarter of the time of a
  /// precise reading.
  private static func now() -> Int64 { SystemClock.nanoseconds(of: CLOCK_MONOTONIC_COARSE) }
}
