import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("The configuration of a host") struct HostConfigurationTests {
  @Test("is this process on this computer by default") func defaults() {
    let configuration = HostConfiguration()
    #expect(configuration.environment["PATH"] == ProcessEnvironment.inherited()["PATH"])
    #expect(configuration.directory.hasPrefix("/"))
    #expect(!configuration.user.isEmpty && !configuration.hostName.isEmpty)
    #expect(configuration.processors >= 1)
    #expect(configuration.capacity == HostCapacity())
  }

  @Test("is used in its records, and for its processes and secrets") func used() async throws {
    var configuration = HostConfiguration()
    configuration.environment = ["PATH": "/usr/bin:/bin", "GIVEN": "a = b", "TOKEN": "hush-hush"]
    configuration.hostName = "lock"
    configuration.user = "keeper"
    let host = try EngineTestHost(configuration: configuration)
    let run = try await host.run(
      """
      secrets: { token: { env: TOKEN } }
      operations:
        - { name: given, run: 'printf "%s %s" "$GIVEN" "${HOME-none}"' }
        - { name: hidden, run: 'printf %s "${TOKEN-none}"' }
        - { name: secret, env: { T: "${{ secrets.token }}" }, run: 'printf %s ${#T}', result: int }
      """)
    #expect(run.outcome.results == ["given": "a = b none", "hidden": "none", "secret": 9])
    #expect(run.outcome.run.host == "lock" && run.outcome.run.user == "keeper")
    await host.close()
  }

  @Test("a run whose beginning fails does not stay queued") func beginning() async throws {
    let host = try EngineTestHost(executor: ScriptedExecutor())
    let engine = try host.engine("operations: [{ name: a, for_each: { in: [1] }, run: 'true' }]")
    // The source is a run whose own source is no longer in the workspace.
    let former = try await host.run("operations: [{ name: a, for_each: { in: [1] }, run: 'true' }]")
    var source = try #require(try host.services.history.loadForExecution(former.outcome.run.id))
    source.run.origin.source = .generate()
    source.run.origin.partial = ["a"]
    source.operations = []
    await #expect(throws: SourceMissing.self) {
      try await Task(executorPreference: host.loop) { [source] in
        try await engine.run(after: FormerRuns(source: source))
      }.value
    }
    let record = try #require(try host.services.history.run(engine.id))
    #expect(record.state == .failed && record.reason == "engine-failed" && record.endedAt != nil)
    await host.close()
  }
}
