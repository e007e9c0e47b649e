import Foundation
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("Cancelling the task that runs a pipeline", .timeLimit(.minutes(10))) struct RunHostCancellationTests {
  private let directory = NSTemporaryDirectory() + "penstock-cancel-\(UUID().uuidString)"

  private func withHost(_ body: (RunHost, PipelineDefinition) async throws -> Void) async throws {
    let text = """
      operations:
        - { name: sleeping, command: [sleep, "600"] }
      """
    let loaded = PipelineLoader.load(text: text, path: directory + "/test.yaml")
    let pipeline = try #require(loaded.pipeline)
    let host = try RunHost.open(workspace: directory + "/workspace")
    try await body(host, pipeline)
    try await host.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  @Test("cancels a running run") func during() async throws {
    try await withHost { host, pipeline in
      let (begun, beginning) = AsyncStream<Void>.makeStream()
      let task = Task {
        try await host.run(pipeline, options: RunOptions()) { event in
          if case .attempt = event { beginning.finish() }
        }
      }
      for await _ in begun {}
      task.cancel()
      let outcome = try await task.value
      #expect(outcome.run.state == .cancelled)
    }
  }

  @Test("cancels the run before it has begun") func before() async throws {
    try await withHost { host, pipeline in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await host.run(pipeline, options: RunOptions())
      }
      let outcome = try await task.value
      #expect(outcome.run.state == .cancelled)
    }
  }
}
