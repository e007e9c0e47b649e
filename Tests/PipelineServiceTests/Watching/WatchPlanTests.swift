import PipelineLanguage
import Testing

@testable import PipelineService

@Suite("When a watched pipeline first runs, and the notices that explain why") struct WatchPlanTests {
  private static let catalog = try? FakeCatalog([
    FakePlugin("tick", offers: [["kind": "controller", "id": "tick.tock"]])
  ])

  private func plan(
    controllers: Bool = false, automatic: Bool = false, rerun: Bool = false, isAsked: Bool = false
  ) throws -> WatchPlan {
    let catalog = try #require(Self.catalog)
    let keys = [
      controllers ? "controllers: [{ uses: tick.tock }]" : nil, automatic ? "automatic: file-exists(go)" : nil,
      rerun ? "rerun_on_change: file-exists(again)" : nil, "operations: [{ name: a, value: 1 }]",
    ]
    let text = keys.compactMap { $0 }.joined(separator: "\n")
    return WatchPlan(for: try catalog.pipeline(text), isAsked: isAsked)
  }

  /// Controllers, `automatic`, whether a run is requested; and the expected values: starts immediately, held back, waits for `automatic`.
  @Test(
    "It runs immediately if requested, or if nothing else decides when",
    arguments: [
      (false, false, false, true, false, false), (false, false, true, true, false, false),
      (false, true, false, false, false, true), (false, true, true, true, false, false),
      (true, false, false, false, true, false), (true, false, true, true, false, false),
      (true, true, false, false, true, false), (true, true, true, true, false, false),
    ])
  func first(
    controllers: Bool, automatic: Bool, isAsked: Bool, startsAtOnce: Bool, isHeldBack: Bool, waits: Bool
  ) throws {
    let plan = try plan(controllers: controllers, automatic: automatic, isAsked: isAsked)
    #expect(plan.startsAtOnce == startsAtOnce)
    #expect(plan.isHeldBack == isHeldBack)
    #expect(plan.waitsForAutomatic == waits)
  }

  @Test("The run that was requested, or that `automatic` began, needs no notice; later ones name their condition")
  func conditions() throws {
    let asked = try plan(rerun: true)
    #expect(asked.cause(ofRun: 0, controller: nil) == nil)
    #expect(asked.cause(ofRun: 1, controller: nil) == .conditionIsTrue("file-exists(again)"))
    #expect(try plan(automatic: true, rerun: true).cause(ofRun: 0, controller: nil) == nil)
    // With controllers, no first run is expected.
    #expect(
      try plan(controllers: true, rerun: true).cause(ofRun: 0, controller: nil)
        == .conditionIsTrue("file-exists(again)"))
    #expect(try plan().cause(ofRun: 1, controller: nil) == nil)
  }

  @Test("A run requested by a controller is announced, with the controller's reason")
  func controllers() throws {
    let plan = try plan(controllers: true, rerun: true)
    #expect(
      plan.cause(ofRun: 0, controller: ("tick.tock", ["reason": "it is time"]))
        == .asked(controller: "tick.tock", reason: "it is time"))
    #expect(plan.cause(ofRun: 3, controller: ("tick.tock", [:])) == .asked(controller: "tick.tock", reason: nil))
  }

  @Test("It waits for `automatic` before the first run, then for the condition and the controllers")
  func waiting() throws {
    let plan = try plan(automatic: true, rerun: true)
    #expect(
      plan.waiting(for: ["a.yaml"], controllers: [], hasBegun: false)
        == .waiting(files: ["a.yaml"], causes: ["file-exists(go)", "file-exists(again)"]))
    #expect(
      plan.waiting(for: ["a.yaml"], controllers: [], hasBegun: true)
        == .waiting(files: ["a.yaml"], causes: ["file-exists(again)"]))
    #expect(
      plan.waiting(for: ["a.yaml"], controllers: ["cron"], hasBegun: false)
        == .waiting(files: ["a.yaml"], causes: ["file-exists(again)", "cron"]))
  }
}
