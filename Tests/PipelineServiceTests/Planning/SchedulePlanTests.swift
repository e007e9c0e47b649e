import PipelineLanguage
import PluginHost
import RunHistory
import Testing
import Values

@testable import PipelineService

@Suite("A schedule plan") struct SchedulePlanTests {
  /// Returns a plugin whose controller is due at a fixed interval in seconds, starting in 1970.
  private static func ticks() throws -> FakePlugin {
    let settings: JSONValue = [["name": "every", "type": "int", "summary": "Seconds"]]
    let plugin = try FakePlugin("ticks", offers: [["kind": "controller", "id": "ticks", "settings": settings]])
    plugin.forecast.withLock {
      $0 = { settings, question throws(PluginFailure) in
        guard let every = settings["every"]?.intValue, every != 0 else { return nil }
        guard every > 0 else { throw PluginFailure(code: "broken", message: "it is broken") }
        let step = every * 1_000_000_000
        let first = question.after / step + 1
        let last = question.until / step
        guard first <= last else { return PlannedInstants() }
        let shown = first...min(last, first + Int64(question.limit) - 1)
        return PlannedInstants(
          zone: "Moon",
          instants: shown.map { number in
            PlannedInstant(
              microseconds: number * every * 1_000_000, isSkipped: number == 3, note: number == 3 ? "skipped" : nil)
          }, hasMore: shown.upperBound < last)
      }
    }
    return plugin
  }

  private func plan(
    _ pipelines: [(name: String, every: String)], until: Int64, most: Int = 1000, rows: Int = 1000
  ) throws -> SchedulePlan {
    let catalog = FakeCatalog([try Self.ticks()])
    var plan = SchedulePlan(
      after: RecordTime(microseconds: 0), until: RecordTime(microseconds: until * 1_000_000), mostOfController: most,
      mostRows: rows)
    for (name, every) in pipelines {
      let text = """
        name: \(name)
        params: { pace: { default: 4 } }
        controllers: [{ uses: ticks, with: { every: \(every) } }]
        operations: [{ name: a, value: 1 }]
        """
      plan.add(try catalog.pipeline(text), file: "\(name).yaml", plugins: .catalog(catalog))
    }
    plan.finish()
    return plan
  }

  private func shown(_ plan: SchedulePlan) -> [String] {
    plan.rows.map { row in
      "\(row.at.microseconds / 1_000_000) \(row.pipeline)" + (row.together > 1 ? " of \(row.together)" : "")
        + (row.note.map { " (\($0))" } ?? "")
    }
  }

  @Test("has all instants in chronological order, and marks simultaneous ones")
  func order() throws {
    let plan = try plan([("b", "2"), ("a", "\"${{ params.pace }}\"")], until: 9)
    #expect(shown(plan) == ["2 b", "4 a of 2", "4 b of 2", "6 b (skipped)", "8 a of 2", "8 b of 2"])
    #expect(plan.rows.first?.zone == "Moon" && plan.rows.first?.file == "b.yaml")
    #expect(plan.unknown.isEmpty && plan.cut.isEmpty && plan.horizon == nil)
  }

  @Test("reports controllers with unknown instants, and why")
  func unknown() throws {
    let plan = try plan([("a", "0"), ("b", "-1"), ("c", "5")], until: 9)
    #expect(shown(plan) == ["5 c"])
    #expect(plan.unknown.map(\.controller.pipeline) == ["a", "b"])
    #expect(plan.unknown.map(\.reason) == ["'ticks' does not know its instants in advance", "it is broken"])
  }

  @Test("keeps the earliest instants of a controller that has too many, and reports it")
  func cut() throws {
    let plan = try plan([("a", "1"), ("b", "5")], until: 20, most: 4)
    #expect(shown(plan) == ["1 a", "2 a", "3 a (skipped)", "4 a", "5 b", "10 b", "15 b (skipped)", "20 b"])
    #expect(plan.cut.map(\.controller.pipeline) == ["a"])
    #expect(plan.cut.map(\.after) == [RecordTime(microseconds: 4_000_000)])
  }

  @Test("keeps only the earliest instants of all controllers, and all or none of the same moment")
  func horizon() throws {
    let plan = try plan([("a", "1"), ("b", "1"), ("c", "1"), ("d", "2")], until: 100, most: 50, rows: 8)
    #expect(shown(plan) == ["1 a of 3", "1 b of 3", "1 c of 3", "2 a of 4", "2 b of 4", "2 c of 4", "2 d of 4"])
    #expect(plan.horizon == RecordTime(microseconds: 2_000_000))
    #expect(plan.cut.isEmpty)
    let crowd = try self.plan((1...9).map { ("p\($0)", "10") }, until: 30, rows: 4)
    #expect(crowd.rows.count == 9 && crowd.horizon == RecordTime(microseconds: 10_000_000))
  }

  @Test("reads a controller with more instants than one response contains page by page")
  func pages() throws {
    let plan = try plan([("a", "1")], until: 25_000, most: 22_000, rows: 100_000)
    #expect(plan.rows.count == 22_000 && plan.rows.last?.at == RecordTime(microseconds: 22_000_000_000))
    #expect(plan.cut.count == 1)
  }
}
