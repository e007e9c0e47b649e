import Logging
import Operations
import Synchronization
import Testing

@Suite("Log duration")
struct LogDurationTests {
  private struct Handler: LogHandler {
    let log: Log<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      log.append("\(event.level) \(event.message) \(event.metadata?["duration"] ?? "")")
    }
  }

  @Test("The duration and the outcome of each run are logged, by the operation's clock")
  func durations() async throws {
    let log = Log<String>()
    let time = FakeTime()
    let logger = Logger(label: "test") { _ in Handler(log: log) }
    let fails = Block<Int> { context in
      try await context.operationDelayer.delay(for: .seconds(2))
      throw TestError()
    }
    _ = try? await OperationRunner(fails.logDuration(with: logger, at: .notice), context: .faking(time)).run()
    _ = try await OperationRunner(Block { _ in 1 }.logDuration(with: logger), context: .faking(time)).run()
    #expect(log.elements == ["notice operation failed 2.0 seconds", "info operation succeeded 0.0 seconds"])
  }
}
