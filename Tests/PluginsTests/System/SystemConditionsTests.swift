import Foundation
import PluginKit
import PluginKitTesting
import Synchronization
import Testing

@testable import SystemPlugin

/// The specifications in a host, based on the test's own files.
private enum ConditionsOnFiles: Plugin {
  static let id = SystemConditions.id
  static let version = "1.0.0"
  static let summary = "For tests"
  // The only directory of this suite, whose tests run one at a time.
  static let folder = try? SystemFolder()
  static let pressure = PressureByHand()
  static let offers: [Offer] = {
    var files = folder?.files ?? SystemFiles()
    files.memoryPressure = pressure
    return SystemConditions.offers(of: files)
  }()
}

/// Memory pressure that a test reports.
private final class PressureByHand: MemoryPressureSource {
  private let handlers = Mutex<[Int: @Sendable (MemoryPressure) -> Void]>([:])

  var count: Int { handlers.withLock { $0.count } }

  func tell(_ level: MemoryPressure) {
    for (_, handler) in handlers.withLock({ $0 }) { handler(level) }
  }

  func subscribe(with handler: @escaping @Sendable (MemoryPressure) -> Void) -> OperationSubscription {
    let id = handlers.withLock { handlers in
      handlers[handlers.count] = handler
      return handlers.count - 1
    }
    return OperationSubscription { [self] in handlers.withLock { _ = $0.removeValue(forKey: id) } }
  }
}

@Suite("System specifications", .serialized, .timeLimit(.minutes(5)))
struct SystemConditionsTests {
  private let folder: SystemFolder
  private let host: TestPluginHost

  init() throws {
    folder = try #require(ConditionsOnFiles.folder)
    host = try TestPluginHost(ConditionsOnFiles.self)
  }

  @Test("A value is reported at the start, and again when it has changed at the next measurement")
  func load() async throws {
    try folder.write("1.00 1.00 1.00 1/1 1\n", to: "loadavg")
    let instance = try host.specification("system.load-below", with: ["below": 0.5, "interval": "20s"])
    instance.start()
    #expect(instance.events == [.changed(true, reason: "the load of each processor over 1m is 0.25, below 0.5")])
    await host.clock.hasTimers()
    try folder.write("1.20 1.00 1.00 1/1 1\n", to: "loadavg")
    host.clock.advance(by: .seconds(20))
    await host.clock.hasTimers()
    // Still below: small changes are not reported.
    #expect(instance.events.count == 1)
    try folder.write("4.00 1.00 1.00 1/1 1\n", to: "loadavg")
    host.clock.advance(by: .seconds(20))
    #expect(
      await instance.events(2).last
        == .changed(false, reason: "the load of each processor over 1m is 1.0, not below 0.5"))
    await host.clock.hasTimers()
    try folder.write("", to: "loadavg")
    host.clock.advance(by: .seconds(20))
    #expect(
      await instance.events(3).last == .changed(nil, reason: "the load cannot be read from \(folder.path)/loadavg"))
    instance.stop()
    #expect(try await instance.end() == nil)
    #expect(host.faults.isEmpty)
  }

  @Test("A shortage of memory is noticed when the kernel reports it, before the next measurement")
  func memory() async throws {
    try folder.write("MemAvailable: 4194304 kB\n", to: "meminfo")
    let instance = try host.specification("system.memory-available", with: ["at_least": "1GiB", "interval": "1h"])
    instance.start()
    #expect(instance.events == [.changed(true, reason: "4GiB of memory are available, at least 1GiB")])
    try folder.write("MemAvailable: 1024 kB\n", to: "meminfo")
    ConditionsOnFiles.pressure.tell(.warning)
    #expect(instance.events.last == .changed(false, reason: "1MiB of memory are available, less than 1GiB"))
    instance.stop()
    _ = try await instance.end()
    // The cancelled task ends the subscription.
    while ConditionsOnFiles.pressure.count > 0 { await Task.yield() }
  }

  @Test("Without subscribers, there are no measurements and no timers")
  func end() async throws {
    try folder.write("1.00 1.00 1.00 1/1 1\n", to: "loadavg")
    let instance = try host.specification("system.load-below", with: ["below": 1])
    instance.start()
    await host.clock.hasTimers()
    instance.destroy()
    #expect(host.clock.timers.isEmpty)
    #expect(host.faults.isEmpty)
  }
}
