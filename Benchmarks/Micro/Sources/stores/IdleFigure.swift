import Glibc
import LinuxObservers
import Operations
import OperationsTesting

/// How often the process is woken up while nothing happens, although there is much that it would hear of.
enum IdleFigure {
  private static let stores = 1_000
  /// The runtime's own threads wait for more work for some seconds before they end, which is not what is measured.
  private static let settlingSeconds: UInt32 = 7

  /// The floor is the process before it has any store: once a task has run, the runtime looks after its pool of threads
  /// once a second for as long as the process lives.
  static func measure(seconds: Int) async throws -> Figures {
    let floor = try await wakeUpsWhenSettled(within: UInt32(seconds))
    let switched = TestRunSpecification()
    let network = AnyOperationRunSpecification(ConnectedRunSpecification(to: NetlinkObserver.shared))
    let client = OperationClient(
      configuration: OperationClientConfiguration().observing(
        network: NetlinkObserver.shared, activity: TerminalActivityObserver.shared),
      memoryPressureSource: PressureStallSource.shared)
    var subscriptions: [OperationSubscription] = []
    for id in 0..<stores {
      let store = client.store(for: Empty(id: id))
      subscriptions.append(store.subscribe(with: OperationEventHandler()))
      try await store.run()
    }
    let context = client.defaultContext
    subscriptions += [
      network.subscribe(in: context) {},
      // One that is held already, and one that waits for a change.
      network.hold(for: .milliseconds(1)).subscribe(in: context) {},
      switched.hold(for: .seconds(1)).subscribe(in: context) {},
      (switched && network || !switched.hold(for: .milliseconds(1))).subscribe(in: context) {},
    ]
    let wakeUps = try await wakeUpsWhenSettled(within: UInt32(seconds))
    guard subscriptions.count == stores + 4, client.stores(matching: OperationPath()).count == stores else {
      throw StoresError("not all stores were there until the end")
    }
    for subscription in subscriptions { subscription.cancel() }
    return Figures(values: ["floorWakeUps": Double(floor), "wakeUps": Double(wakeUps)])
  }

  /// On a thread of its own: a thread of the runtime's pool that sleeps is not idle.
  private static func wakeUpsWhenSettled(within seconds: UInt32) async throws -> Int {
    try await PlainThread.run {
      try checkCounting()
      sleep(settlingSeconds)
      return try wakeUps(within: seconds)
    }
  }

  /// How often threads but this one, which only sleeps, woke up. One that begins or ends was awake too.
  private static func wakeUps(within seconds: UInt32) throws -> Int {
    let before = try sleeps()
    sleep(seconds)
    let after = try sleeps()
    let ended = before.keys.count { after[$0] == nil }
    return after.reduce(ended) { sum, thread in sum + thread.value - (before[thread.key] ?? -1) }
  }

  /// How often each thread gave its processor up: it sleeps again each time it was woken up. How often it was taken from
  /// a thread says more of the other processes.
  private static func sleeps() throws -> [Int32: Int] {
    let own = try ProcessFile.text("/proc/thread-self/stat").split(separator: " ").first.flatMap { Int32($0) }
    var sleeps: [Int32: Int] = [:]
    for thread in try ProcessFile.threads() where thread != own {
      // One that has ended meanwhile has no file any more.
      guard let status = try? ProcessFile.text("/proc/self/task/\(thread)/status") else { continue }
      sleeps[thread] = ProcessFile.number("voluntary_ctxt_switches:", in: status)
    }
    return sleeps
  }

  /// Throws unless a thread that wakes up is noticed.
  private static func checkCounting() throws {
    Task { try await Task.sleep(for: .milliseconds(500)) }
    guard try wakeUps(within: 1) > 0 else { throw StoresError("a thread that woke up was not noticed") }
  }
}
