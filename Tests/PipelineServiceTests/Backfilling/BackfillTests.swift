import Foundation
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization
import Testing
import Workspace

@testable import PipelineService

@Suite("Running a pipeline for many instants") struct BackfillTests {
  private let directory = NSTemporaryDirectory() + "penstock-backfill-\(UUID().uuidString)"
  private let service: RunService
  private let start: RunStart
  private let instant = RecordTime(microseconds: 1_790_000_000_000_000)

  init() throws {
    service = try RunService(
      creatingAt: WorkspaceLocation(path: directory, origin: .option),
      RunService.Configuration(plugins: .none, durability: .process, testing: TestingConditions()))
    start = try RunStart(
      of: pipeline("name: digest\noperations: [{ name: at, value: \"${{ run.at }}\" }]"), given: [], version: "1")
  }

  private func close() async throws {
    try await service.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test(
    "The step depends on the latest run",
    arguments: [
      (nil, .run), (.failed, .runAgain), (.cancelled, .runAgain), (.interrupted, .resume), (.succeeded, .nothing),
      (.queued, .leave), (.running, .leave),
    ] as [(RunState?, BackfillStep)])
  func steps(state: RunState?, step: BackfillStep) throws {
    let former = try state.map { try HistoryFixture().record(state: $0) }
    #expect(BackfillStep(after: former) == step)
  }

  @Test("A run stands for its instant, for which controllers request no other run")
  func run() async throws {
    let backfill = try await Backfill(start, in: service)
    #expect(try backfill.latest(for: instant) == nil)
    let outcome = try await backfill.run(for: instant, after: nil)
    #expect(outcome.results["at"] == .string(instant.text))
    #expect(try backfill.latest(for: instant)?.id == outcome.run.id)
    #expect(try backfill.latest(for: instant.advanced(by: 1)) == nil)
    #expect(try await !service.host.noteRun(for: instant, of: "digest"))
    try await backfill.end()
    try await close()
  }

  @Test("No other process backfills the pipeline at the same time")
  func alone() async throws {
    let backfill = try await Backfill(start, in: service)
    let error = await #expect(throws: RunStartError.self) { try await Backfill(start, in: service) }
    #expect(error?.code == "backfill-under-way")
    #expect(error?.description.hasPrefix("process \(getpid()) is already backfilling 'digest'") == true)
    try await backfill.end()
    try await Backfill(start, in: service).end()
    try await close()
  }
}
