import PluginHost
import Synchronization
import Testing
import Values

@testable import PipelineEngine

@Suite("Values that a controller stores before its runs have begun")
struct HeldPluginStorageTests {
  /// Stores values, and logs what was written in which order.
  private final class Storage: PluginStorage {
    private let state = Mutex<(values: [String: JSONValue], log: [String])>(([:], []))

    var log: [String] { state.withLock { $0.log } }

    func value(of key: String) async throws(PluginAccessError) -> JSONValue {
      guard let value = state.withLock({ $0.values[key] }) else { throw .unknown }
      return value
    }

    func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) {
      state.withLock { state in
        state.values[key] = value
        state.log.append("\(key)=\(value?.text ?? "-")")
      }
    }

    func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] {
      state.withLock { $0.values.keys.filter { $0.hasPrefix(prefix) }.sorted() }
    }
  }

  private let base = Storage()

  @Test("are durable immediately if no run was requested")
  func nothingAsked() async throws {
    let held = HeldPluginStorage(base) { _ in }
    try await held.set(1, for: "a")
    #expect(base.log == ["a=1"])
  }

  @Test("are distinct under keys that differ only in their bytes, held or not")
  func unicode() async throws {
    let held = HeldPluginStorage(base) { _ in }
    let (composed, decomposed) = ("\u{E9}", "e\u{301}")
    let question = try #require(held.ask())
    try await held.set(1, for: composed)
    try await held.set(2, for: decomposed)
    try await held.set(3, for: "f")
    #expect(try await held.value(of: composed) == 1)
    #expect(try await held.value(of: decomposed) == 2)
    let keys = try await held.keys(beginningWith: "").map { Array($0.utf8) }
    #expect(keys == [decomposed, "f", composed].map { Array($0.utf8) })
    await held.settle(question)
    #expect(base.log.map { Array($0.utf8) } == ["\(composed)=1", "\(decomposed)=2", "f=3"].map { Array($0.utf8) })
  }

  @Test("are durable when the runs requested before them have begun, and can always be read")
  func order() async throws {
    let held = HeldPluginStorage(base) { _ in }
    let first = try #require(held.ask())
    try await held.set(1, for: "last")
    let second = try #require(held.ask())
    try await held.set(2, for: "last")
    try await held.set(7, for: "other")
    #expect(base.log.isEmpty)
    #expect(try await held.value(of: "last") == 2)
    #expect(try await held.keys(beginningWith: "") == ["last", "other"])
    await held.settle(first)
    #expect(base.log == ["last=1"])
    #expect(try await held.value(of: "last") == 2)
    await held.settle(second)
    #expect(base.log == ["last=1", "last=2", "other=7"])
    try await held.set(nil, for: "other")
    #expect(base.log.last == "other=-")
  }

  @Test("a controller that waits for room never requests more runs than allowed")
  func room() async throws {
    let held = HeldPluginStorage(base) { _ in }
    let (asked, continuation) = AsyncStream<Int?>.makeStream()
    let asking = Task {
      for _ in 1...100 {
        await held.room(below: 2)
        continuation.yield(held.ask(atMost: 2))
      }
      continuation.finish()
    }
    var count = 0
    for await question in asked {
      await held.settle(try #require(question))
      count += 1
    }
    #expect(count == 100)
    await asking.value
    _ = held.ask()
    let waiting = Task { await held.room(below: 1) }
    waiting.cancel()
    await waiting.value
  }

  @Test("of several values for one key, only the last one is written")
  func coalesced() async throws {
    let held = HeldPluginStorage(base) { _ in }
    let question = try #require(held.ask())
    for number in 1...3 { try await held.set(.int(Int64(number)), for: "last") }
    await held.settle(question)
    #expect(base.log == ["last=3"])
  }

  @Test("a removed value is not found, although it still exists")
  func removed() async throws {
    let held = HeldPluginStorage(base) { _ in }
    try await held.set(1, for: "a")
    _ = held.ask()
    try await held.set(nil, for: "a")
    await #expect(throws: PluginAccessError.unknown) { try await held.value(of: "a") }
    #expect(try await held.keys(beginningWith: "a").isEmpty)
    #expect(base.log == ["a=1"])
  }

  @Test("do not wait for a run that will never begin")
  func forgotten() async throws {
    let held = HeldPluginStorage(base) { _ in }
    let question = try #require(held.ask())
    try await held.set(1, for: "a")
    held.forget(question)
    await held.write()
    #expect(base.log == ["a=1"])
  }

  @Test("are rejected without a storage")
  func nowhere() async {
    let held = HeldPluginStorage(nil) { _ in }
    await #expect(throws: PluginAccessError.unavailable) { try await held.set(1, for: "a") }
  }
}
