import Testing

extension Tool {
  /// Runs a pipeline that is given as text.
  func run(pipeline text: String, _ arguments: String...) async throws -> Ending {
    let file = try scratch.write(text, to: "pipeline.yaml")
    return try await run(["run", file] + arguments)
  }

  /// Returns the outcomes of the only run's operations by name, as `state error-code result`.
  func outcomes() throws -> [String: String] {
    let rows = try HistoryProbe(workspacePath).rows(
      """
      SELECT operation, state, coalesce(error_code, '-'),
        coalesce(result, CASE WHEN result_file IS NULL THEN '-' ELSE 'file' END) FROM operations
      """)
    return Dictionary(rows.map { ($0[0], "\($0[1]) \($0[2]) \($0[3])") }) { $1 }
  }

  /// Expects that the history is intact, that everything in it has ended, and that no process of any run is alive.
  func expectRest(_ comment: Comment? = nil, at location: SourceLocation = #_sourceLocation) throws {
    let probe = try HistoryProbe(workspacePath)
    #expect(try probe.breachesAtRest() == [], comment, sourceLocation: location)
    for run in try probe.rows("SELECT id FROM runs") {
      #expect(RunningProcesses.carrying("PENSTOCK_RUN_ID=\(run[0])") == [:], comment, sourceLocation: location)
    }
  }
}
