// Results, records and files: where the engine works by itself.

import WorkloadFiles

extension Catalogue {
  func jsonChain() throws -> Workload {
    let count = 100
    let file = try shared("json-chain", "pipeline.yaml", PipelineFiles.jsonChain(count: count))
    let first = try shared("json-chain", "first.json", PipelineFiles.object)
    let program = floor
    return Workload(
      name: "json-chain", title: "100 × /bin/cat, each reads the JSON result before it", goal: .ratio(atMost: 1.5),
      subject: penstock(running: file, operations: count, attempts: count),
      floor: Contender(name: "floor") { Command(program, ["cats", "\(count)", first, $0], in: $0) }, roundFactor: 2)
  }

  func values() throws -> Workload {
    let count = 10_000
    let file = try shared("values", "pipeline.yaml", PipelineFiles.values(count: count))
    let tool = tool
    return Workload(
      name: "values", title: "10,000 × value, recorded: the whole process",
      goal: .throughput(operations: count, atLeast: 40_000),
      // Whether an operation without a process has attempts is not what is measured.
      subject: penstock(running: file, operations: count, attempts: 0),
      innerTime: (
        "from the run's start to its end",
        { directory in
          try await tool.number("SELECT duration_ms FROM runs", workspace: directory + "/workspace") / 1000
        }
      ))
  }

  func pluginOperations() throws -> Workload {
    let count = 10_000
    let file = try shared("plugin-operations", "pipeline.yaml", PipelineFiles.plugins(count: count, plugin: echo))
    let tool = tool
    return Workload(
      name: "plugin-operations", title: "10,000 operations of a plugin in the process, recorded: the whole process",
      goal: .throughput(operations: count, atLeast: 100_000),
      subject: penstock(running: file, operations: count, attempts: count),
      innerTime: (
        "from the run's start to its end",
        { directory in
          try await tool.number("SELECT duration_ms FROM runs", workspace: directory + "/workspace") / 1000
        }
      ))
  }

  func check() throws -> Workload {
    let file = try shared("check", "pipeline.yaml", PipelineFiles.mixture(count: 10_000))
    let program = tool.program
    return Workload(
      name: "check", title: "check of 10,000 operations", goal: .time(atMostMilliseconds: 200),
      subject: Contender(name: "penstock") { Command(program, ["check", file, "--quiet"], in: $0) },
      memoryLimit: 150_000_000, roundFactor: 2)
  }

  /// One question to a long history. `arguments` follow `history`.
  func history(
    _ name: String, _ arguments: [String], of shape: HistoryFixture.Shape, _ title: String, within milliseconds: Double,
    _ report: (String) -> Void
  ) async throws -> Workload {
    let fixture = HistoryFixture(shape: shape, tool: tool, scratch: scratch, cache: cache)
    let workspace = try await fixture.workspace(report: report)
    var command = ["history"] + arguments + ["--quiet", "--workspace", workspace]
    // Thirty days before the latest run, whenever the history was made.
    if let place = command.firstIndex(of: "30-days-before") { command[place] = try fixture.start(in: workspace) }
    let (program, words) = (tool.program, command)
    return Workload(
      name: name, title: title, goal: .time(atMostMilliseconds: milliseconds),
      subject: Contender(name: "penstock") { Command(program, words, in: $0) }, roundFactor: 4)
  }

  func recording(_ report: (String) -> Void) -> Workload? {
    guard let recorder else {
      report("recorder: left out, because the recorder program has not been built")
      return nil
    }
    let count = 10_000
    let program = floor
    return Workload(
      name: "recorder", title: "10,000 operations and attempts recorded, 20,000 rows inserted", goal: .informativeRatio,
      subject: Contender(name: "recorder") { Command(recorder, [$0 + "/workspace", "\(count)"], in: $0) },
      floor: Contender(name: "floor") { Command(program, ["inserts", "\(2 * count)", $0 + "/rows.db"], in: $0) })
  }
}
