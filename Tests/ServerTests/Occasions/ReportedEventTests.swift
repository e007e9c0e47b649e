import Foundation
import PipelineEngine
import PluginHost
import RunHistory
import Synchronization
import Testing
import Values

@testable import Server

@Suite("Events that a controller has reported")
struct ReportedEventTests {
  private static func text(_ value: Int) -> String {
    "controllers: [{ uses: tick.tock }]\noperations: [{ name: a, value: \(value) }]"
  }

  /// A plugin whose controller reports events when it starts, and others while it stops.
  private func bench(atStart: Int = 0, whileStopping: Int) throws -> ServerBench {
    @Sendable func report(_ count: Int, _ instance: FakeInstance) {
      for _ in 0..<count { instance.events.yielded(.rerun(["reason": "tick"])) }
    }
    let plugin = try FakePlugin(
      "tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]],
      stop: { instance in
        report(whileStopping, instance)
        instance.events.ended(.success(nil))
      }, start: { report(atStart, $0) })
    return try ServerBench(plugins: .catalog(FakeCatalog([plugin])), ["one": Self.text(1)]) { $0.limits.runs = 1 }
  }

  private func definitions(in history: History) throws -> [String] {
    try history.runs(RunFilter()).compactMap { try history.loadForExecution($0.id)?.definition }
  }

  @Test("start runs even if it reports them while the host drains")
  func drain() async throws {
    let bench = try bench(atStart: 200, whileStopping: 3)
    try await bench.serve { _, _ in }
    let history = try bench.history()
    defer { history.workspace.close() }
    let occasions = try history.occasions()
    #expect(occasions.count == 203)
    #expect(occasions.allSatisfy { $0.cause == .event && $0.run != nil })
  }

  @Test("start runs of the version that it belonged to, even if it reports them while its file is replaced")
  func edit() async throws {
    let bench = try bench(whileStopping: 3)
    try await bench.serve { _, history in
      try bench.write(Self.text(2), to: "one")
      try await eventually { try history.occasions().count == 3 }
      #expect(try definitions(in: history).allSatisfy { $0 == Self.text(1) })
    }
  }

  @Test("start runs even if it reports them while its file is removed")
  func removed() async throws {
    let bench = try bench(whileStopping: 3)
    try await bench.serve { _, history in
      try bench.remove("one")
      try await eventually { try history.runs(RunFilter(states: [.succeeded])).count == 3 }
    }
  }

  /// Starts controllers that report three events, and a recorder that records them with `record`.
  private func recorder(
    _ problems: Problems = Problems(), record: @escaping @Sendable (ControllerEvent) async throws -> Void,
    _ body: (EventRecorder) async throws -> Void
  ) async throws {
    let plugin = try FakePlugin("tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]]) {
      instance in
      for number in 1...3 { instance.events.yielded(.rerun(["number": JSONValue(number)])) }
    }
    let catalog = FakeCatalog([plugin])
    let bench = try ServerBench(plugins: .catalog(catalog))
    let host = try bench.server().service.host
    let recorder = try EventRecorder(
      delay: { try await host.delay(for: min($0, .milliseconds(1))) }, record: record, onProblem: problems.add
    ) { onEvent in
      try host.controllers(of: catalog.pipeline(Self.text(1)), parameters: [:], leftOut: true, onEvent: onEvent)
    }
    try await body(recorder)
    try await host.close()
  }

  private final class Problems: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    @Sendable func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  @Test("are recorded in order after their controller has been stopped, however often that fails")
  func order() async throws {
    let (numbers, attempts, problems) = (Numbers(), Numbers(), Problems())
    try await recorder(problems) { event in
      attempts.add(1)
      if attempts.all.count < 3 { throw CocoaError(.fileWriteOutOfSpace) }
      numbers.add(Int(event.value["number"]?.intValue ?? 0))
    } _: { recorder in
      recorder.stop()
      await recorder.catchUp()
      try await eventually { recorder.isOver }
      await recorder.finish { false }
      #expect(await recorder.giveUp() == 0)
    }
    #expect(numbers.all == [1, 2, 3])
    #expect(problems.all.count == 2)
  }

  @Test("are counted if they cannot be recorded before the host ends")
  func lost() async throws {
    let problems = Problems()
    try await recorder(problems) { _ in
      throw CocoaError(.fileWriteOutOfSpace)
    } _: { recorder in
      await recorder.catchUp()
      #expect(!recorder.isOver)
      recorder.stop()
      await recorder.finish { false }
      #expect(await recorder.giveUp() == 3)
      #expect(recorder.isOver)
    }
    #expect(problems.all.first?.hasPrefix("cannot record what tick.tock tells: ") == true)
  }

  @Test("are given up while they cannot be written, if the host ends")
  func held() async throws {
    let written = AsyncStream<Void>.makeStream()
    try await recorder { _ in
      for await _ in written.stream {}
    } _: { recorder in
      await recorder.catchUp()
      recorder.stop()
      await recorder.finish { true }
      #expect(!recorder.isOver)
      // What waits for the disk is told that nothing can be written.
      written.continuation.finish()
      #expect(await recorder.giveUp() <= 3)
      #expect(recorder.isOver)
    }
  }

  private final class Numbers: Sendable {
    private let numbers = Mutex<[Int]>([])
    var all: [Int] { numbers.withLock { $0 } }
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
  }
}
