import Dispatch
import PluginHost
import RunHistory
import Synchronization
import Testing
import Values

@testable import Server

@Suite("When pipelines are due next")
struct ForecastTests {
  /// A controller that is due every tenth of a second from when it was made on, for ever, and tells of that when it is asked to.
  private final class Tenths: Sendable {
    let start = RecordTime(microseconds: (RecordTime.now.microseconds / 1000 + 100) * 1000)
    private let instances = Mutex<[FakeInstance]>([])
    private let count = Mutex(0)

    /// How often it was asked for what comes.
    var questions: Int { count.withLock { $0 } }

    func plugin() throws -> FakePlugin {
      let plugin = try FakePlugin("tick", offers: [["id": "tick.tock", "kind": "controller", "settings": []]]) { told in
        self.instances.withLock { $0.append(told) }
      }
      plugin.forecast.withLock {
        $0 = { _, question in
          self.count.withLock { $0 += 1 }
          let first = max(0, (question.after / 1000 - self.start.microseconds) / 100_000 + 1)
          let instants = (first..<first + Int64(question.limit)).map {
            PlannedInstant(microseconds: self.start.microseconds + $0 * 100_000)
          }
          return PlannedInstants(instants: instants, hasMore: true)
        }
      }
      return plugin
    }

    /// It is due, once it is that late.
    func tell(_ instant: RecordTime) async throws {
      try await eventually { RecordTime.now >= instant }
      for instance in instances.withLock({ $0 }) {
        instance.events.yielded(.rerun(["reason": "time", "instant": .string(instant.text)]))
      }
    }
  }

  @Test("a controller that does not answer does not hold up those of other plugins")
  func hanging() async throws {
    let (answers, due) = (DispatchSemaphore(value: 0), RecordTime.now.advanced(by: 3_600_000_000))
    func plugin(_ id: String, hangs: Bool) throws -> FakePlugin {
      let plugin = try FakePlugin(id, offers: [["id": .string("\(id).tock"), "kind": "controller", "settings": []]]) {
        _ in
      }
      plugin.forecast.withLock {
        $0 = { _, _ in
          if hangs { _ = answers.wait(timeout: .now() + 30) }
          return PlannedInstants(instants: [PlannedInstant(microseconds: due.microseconds)])
        }
      }
      return plugin
    }
    let plugins = [try plugin("hang", hangs: true), try plugin("tick", hangs: false)]
    func text(_ id: String) -> String { "controllers: [{ uses: \(id).tock }]\noperations: [{ name: a, value: 1 }]" }
    let bench = try ServerBench(
      plugins: .catalog(FakeCatalog(plugins)), ["one": text("hang"), "two": text("tick")])
    try await bench.serve { _, history in
      func next() throws -> [RecordTime?] { try history.publishedPipelines().map(\.nextAt) }
      try await eventually { try next() == [nil, due] }
      answers.signal()
      try await eventually { try next() == [due, due] }
    }
  }

  @Test("controllers are asked for several instants at once, and again when an unannounced one comes")
  func several() async throws {
    let tenths = Tenths()
    let bench = try ServerBench(
      plugins: .catalog(FakeCatalog([try tenths.plugin()])),
      ["one": "controllers: [{ uses: tick.tock }]\noperations: [{ name: a, value: 1 }]"])
    try await bench.serve { _, history in
      func next() throws -> RecordTime? { try history.publishedPipelines().first?.nextAt }
      try await eventually { try next() != nil }
      let asked = tenths.questions
      var last = try #require(try next())
      for _ in 0..<3 {
        try await tenths.tell(last)
        try await eventually { try next() ?? last > last }
        last = try #require(try next())
      }
      // A tenth of 16 may be over on a slow machine.
      #expect(tenths.questions <= asked + 1)
      let before = tenths.questions
      try await tenths.tell(RecordTime(microseconds: last.microseconds + 1000))
      try await eventually { tenths.questions > before }
      try await eventually { try next() ?? last > last }
    }
  }
}
