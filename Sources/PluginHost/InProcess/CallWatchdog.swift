import CPluginGuard
import Glibc
import OperatingSystem
import Synchronization

/// A function of a plugin's that the host calls.
enum PluginFunction: String, Sendable, Hashable {
  /// What the shared object does when it is loaded, before any function of the contract is called.
  case initializer
  case describe, capability
  case open, close, create, between, start, stop, destroy
  case timer = "timer callback"
  case answer = "answer callback"

  /// The name for reports of a crash, which need it without a string's being made.
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

  /// Whether the contract gives it a second.
  var mayTakeLong: Bool { isOfLoading || [.close, .destroy, .between].contains(self) }

  /// Whether it is called before the plugin is used.
  var isOfLoading: Bool { [.initializer, .describe, .capability, .open].contains(self) }
}

/// Reports calls of plugins' functions that take long, also while they still hang.
///
/// Each thread that calls plugins has a slot with the call that it is making. One thread looks at the slots while calls are under
/// way, four times a second, and sleeps for good when it finds none; the next call wakes it.
final class CallWatchdog: Sendable {
  /// How long calls may take, in nanoseconds.
  struct Limits: Sendable {
    /// A call that took longer is reported.
    var slow: Int64 = 50_000_000
    /// The same for `open`, `close`, `destroy` and `between`, and for what is called before `open`.
    var slowWhereLong: Int64 = 1_000_000_000
    /// A call that has not returned is reported.
    var hanging: Int64 = 1_000_000_000
  }

  /// A call that is being made.
  struct Call: Sendable {
    // Not counted: whoever makes the call holds both until it has taken the call out of the slot, and counting costs more than all the
    // rest of a watch.
    let reports: Unmanaged<PluginReports>
    let offer: Unmanaged<LoadedOffer>?
    let function: PluginFunction
    var start: Int64
    var isReported = false
    /// How often the watchdog has found it. A process that was stopped, or a computer that slept, makes a call older but not this greater.
    var looks = 0
  }

  /// A call that takes long.
  struct SlowCall: Sendable {
    let reports: PluginReports
    let offer: LoadedOffer?
    let function: PluginFunction
    let nanoseconds: Int64

    /// Of a call that nobody can end meanwhile: one that is over, or is in a slot that is locked.
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

  /// Names a call that is under way: a thread begins no two at the same moment.
  struct CallKey: Hashable, Sendable {
    var slot: ObjectIdentifier
    var start: Int64
    var function: PluginFunction
  }

  /// The call that a thread is making.
  final class Slot: Sendable {
    let call = Mutex<Call?>(nil)
  }

  /// The calling thread's slot, which lives as long as the thread: not counted, like what is in it.
  private struct OwnSlot {
    let slot: Unmanaged<Slot>

    /// Puts a call into the slot, or none, and gives the one that was there.
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

  /// How often the thread looks, in milliseconds.
  private static let interval: Int32 = 250

  /// The looks at which a call counts as one that never returns.
  private static let overdue = Int(ProcessGuard.patience.nanoseconds / 1_000_000) / Int(interval)

  private struct State {
    var slots: [ObjectIdentifier: Slot] = [:]
    var wake: WakeDescriptor?
  }

  /// A struct, since a bare closure is wrapped in another one each time that it is read out of a `Mutex`.
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

  /// Calls `body`, which calls `function` of the plugin, and reports where that takes long.
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
    // The watchdog looks at all slots once more after it has said that it sleeps: either it sees the call, or this sees that.
    if isParked.load(ordering: .sequentiallyConsistent) { wake() }
    let answer = body()
    if let ended = slot.put(former) { report(ended) }
    return answer
  }

  /// Calls `body`, the time of which does not count as the plugin's: the host's own doing that a plugin's call set off.
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

  /// Calls `body` with each call that is reported because it has not returned. On the watchdog's thread.
  func whenHanging(_ body: @escaping @Sendable (SlowCall) -> Void) { targets.withLock { $0.onHang = body } }

  /// Calls `body` with each call that has not returned for ``ProcessGuard/patience``. On the watchdog's thread.
  func whenOverdue(_ body: @escaping @Sendable (SlowCall) -> Void) { targets.withLock { $0.onOverdue = body } }

  /// The calls that are being made at the moment, on all threads, with what to say of them: `'start' of operation 'echo'`, and of a call that is of
  /// no offer `'describe'`, with its plugin where `namesPlugin`.
  func callsUnderWay(namesPlugin: Bool = false) -> [CallKey: String] {
    var calls: [CallKey: String] = [:]
    for (key, slot) in state.withLock({ $0.slots }) {
      // What a call holds is sure to be there only while it cannot be taken out of the slot.
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

  /// The same with the name of the plugin, the longest first: `'describe' of plugin 'sample'`.
  func textsUnderWay() -> [String] {
    let calls = state.withLock { Array($0.slots.values) }.compactMap { slot in
      slot.call.withLock { $0.map { ($0.start, SlowCall($0, nanoseconds: 0)) } }
    }
    return calls.sorted { $0.0 < $1.0 }.map(\.1.text)
  }

  private func report(_ call: Call) {
    let time = Self.now() - call.start
    // No time at all is what nearly every call takes, by this clock.
    guard time > 0 else { return }
    let slow = SlowCall(call, nanoseconds: time)
    let limits = slow.reports.limits
    guard time > (call.function.mayTakeLong ? limits.slowWhereLong : limits.slow) else { return }
    slow.report(isOver: true)
  }

  // MARK: Slots

  /// The calling thread's slot; nil where the process has no room for one, when nothing is watched.
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
    // The plugin has ended the thread within its call, which so never returns: it is looked at, and reported, like one that hangs.
    guard slot.call.withLock({ $0 == nil }) else { return }
    state.withLock { _ = $0.slots.removeValue(forKey: ObjectIdentifier(slot)) }
  }

  // MARK: The thread

  private func wake() {
    guard isParked.compareExchange(expected: true, desired: false, ordering: .sequentiallyConsistent).exchanged else {
      return
    }
    let wake = state.withLock { state in
      if state.wake == nil { start(&state) }
      return state.wake
    }
    guard let wake else {
      // No descriptor or thread to be had: the next call tries again.
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

  /// Reports the calls that hang. Whether any call is under way.
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

  /// Precise to the kernel's tick (4 ms at most), which is enough here and costs a quarter of the precise reading.
  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
