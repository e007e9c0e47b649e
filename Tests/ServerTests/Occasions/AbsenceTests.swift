import Foundation
import PluginHost
import RunHistory
import RunReports
import Synchronization
import Testing
import Values

@Suite("Instants at which a pipeline was not served")
struct AbsenceTests {
  private static let good = "controllers: [{ uses: tick.tock }]\noperations: [{ name: a, value: 1 }]"
  private static let broken = "operations: ["

  /// A controller that says of some instants, when it begins, that it missed them.
  private final class Missed: Sendable {
    let instants = Mutex<[RecordTime]>([])
    let reason: String

    init(_ reason: String = "host-down") { self.reason = reason }

    func plugin() throws -> FakePlugin {
      try FakePlugin("tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]]) { [self] instance in
        let texts = instants.withLock { $0 }.map { JSONValue.string($0.text) }
        guard !texts.isEmpty else { return }
        instance.events.yielded(.leftOut(["reason": .string(reason), "instants": .array(texts)]))
      }
    }

    func bench(_ text: String) throws -> ServerBench {
      try ServerBench(plugins: .catalog(FakeCatalog([try plugin()])), ["one": text])
    }
  }

  private let missed = Missed()

  /// The next whole millisecond, which texts have.
  private var now: RecordTime { RecordTime(microseconds: (RecordTime.now.microseconds / 1000 + 1) * 1000) }

  private func reasons(in history: History) async throws -> [Occasion.Reason?] {
    let count = missed.instants.withLock(\.count)
    try await eventually { try history.occasions().count == count }
    return try history.occasions().sorted { $0.instant ?? $0.askedAt < $1.instant ?? $1.askedAt }.map(\.reason)
  }

  @Test("because its file was invalid have that reason, and earlier ones that there was no host")
  func invalid() async throws {
    let bench = try missed.bench(Self.broken)
    try await bench.serve { _, history in
      #expect(try history.publishedPipelines().map(\.isLoaded) == [false])
      let now = now
      missed.instants.withLock { $0 = [now.advanced(by: -86_400_000_000), now] }
      try bench.write(Self.good, to: "one")
      #expect(try await reasons(in: history) == [.hostDown, .invalidDefinition])
    }
  }

  @Test("because the file was invalid across a restart are distinguished from those without a host")
  func restart() async throws {
    let bench = try missed.bench(Self.good)
    try await bench.serve { _, history in
      try bench.write(Self.broken, to: "one")
      try await eventually { try history.publishedPipelines().map { $0.problem != nil && $0.isLoaded } == [true] }
    }
    let between = now
    try await bench.serve { _, history in
      #expect(try history.publishedPipelines().map(\.isLoaded) == [false])
      let now = now
      missed.instants.withLock { $0 = [between.advanced(by: -1000), now] }
      try bench.write(Self.good, to: "one")
      #expect(try await reasons(in: history) == [.hostDown, .invalidDefinition])
    }
  }

  @Test("because its folder was missing have that reason")
  func folderAway() async throws {
    let bench = try missed.bench(Self.good)
    try await bench.serve { _, history in
      try FileManager.default.moveItem(atPath: bench.folder, toPath: bench.folder + ".away")
      try await eventually { try history.publishedPipelines().isEmpty }
      let now = now
      missed.instants.withLock { $0 = [now] }
      try FileManager.default.moveItem(atPath: bench.folder + ".away", toPath: bench.folder)
      #expect(try await reasons(in: history) == [.notServed])
    }
  }

  @Test("because a param had no default have that reason")
  func obstacle() async throws {
    let bench = try missed.bench("params: { day: string }\n" + Self.good)
    try await bench.serve { _, history in
      #expect(try history.publishedPipelines().map { $0.problem != nil } == [true])
      let now = now
      missed.instants.withLock { $0 = [now] }
      try bench.write(Self.good, to: "one")
      #expect(try await reasons(in: history) == [.invalidParams])
    }
  }

  @Test("while a host was draining are distinguished from those without a host")
  func draining() async throws {
    let bench = try missed.bench(Self.good)
    try bench.write("operations: [{ name: a, run: sleep 600 }]", to: "working")
    var instant = now
    try await bench.serve { _, history in
      let run = try bench.start("working", in: history)
      try await eventually { try history.operations(of: run).first?.state == .running }
      try history.ask(.drain, for: Requester("ada"), at: .now)
      try await eventually { try history.currentHost()?.state == .draining }
      instant = now
      try await eventually { RecordTime.now >= instant }
    }
    try await eventually { RecordTime.now > instant.advanced(by: 2000) }
    missed.instants.withLock { $0 = [instant.advanced(by: -86_400_000_000), instant] }
    try await bench.serve { _, history in
      try await eventually { try history.occasions().count { $0.cause == .instant } == 2 }
      let occasions = try history.occasions().filter { $0.cause == .instant }.sorted { $0.time < $1.time }
      #expect(occasions.map(\.reason) == [.hostDown, .hostDown])
      #expect(occasions.map { $0.because { $0.text } } == ["no host was running", "the host was draining"])
    }
  }

  @Test("between two versions of its file are not those without a host")
  func edited() async throws {
    let bench = try missed.bench(Self.good)
    try await bench.serve { _, history in
      missed.instants.withLock { $0 = [now] }
      try bench.write(Self.good + "\nlabels: { a: b }", to: "one")
      try await eventually { try history.occasions().count == 1 }
      let occasion = try #require(try history.occasions().first)
      #expect(occasion.reason == .notServed)
      #expect(occasion.because { $0.text } == "its trigger was being restarted, because its file had changed")
    }
  }

  @Test("although the host was running are distinguished from those without a host")
  func clockJump() async throws {
    let now = now
    missed.instants.withLock { $0 = [now.advanced(by: -86_400_000_000), now.advanced(by: 3_600_000_000)] }
    let bench = try missed.bench(Self.good)
    try await bench.serve { _, history in
      #expect(try await reasons(in: history) == [.hostDown, .hostDown])
      let clauses = try history.occasions().sorted { $0.time < $1.time }.map { $0.because { $0.text } }
      #expect(
        clauses == [
          "no host was running", "the clock jumped over it, the computer was asleep, or the host was stopped",
        ])
    }
  }

  @Test("for a reason of the plugin keep that reason")
  func ownReason() async throws {
    let missed = Missed("maintenance-window")
    let now = now
    missed.instants.withLock { $0 = [now] }
    let bench = try missed.bench(Self.good)
    try await bench.serve { _, history in
      try await eventually { try history.occasions().count == 1 }
      let occasion = try #require(try history.occasions().first)
      #expect(occasion.reason == .leftOut)
      #expect(occasion.because { $0.text } == "its trigger left it out: maintenance-window")
    }
  }
}
