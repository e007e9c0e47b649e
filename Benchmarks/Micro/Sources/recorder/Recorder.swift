// recorder WORKSPACE COUNT
//
// Creates a workspace and records a run in it, with COUNT operations and an attempt of each, and does nothing else. The driver
// times the process, beside a C program that inserts as many rows.

import RunHistory

@main
struct Recorder {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let count = Int(arguments[2]), count > 0 else {
      throw UsageError()
    }
    let history = try History.open(at: arguments[1], mode: .readWrite)
    let recorder = HistoryRecorder(workspace: history.workspace)
    let run = RunRecord(
      id: .generate(), pipeline: "recorder", definitionHash: "none", path: nil, host: "localhost", user: "bench",
      version: "0", counts: RunCounts(operations: count))
    recorder.record(.runCreated(run, definition: ""))
    recorder.record(.runStarted(run.id, at: .now))
    for ordinal in 0..<count {
      let start = RecordTime.now
      let end = start.advanced(by: 270)
      recorder.record(
        .attempt(
          AttemptRecord(
            run: run.id, ordinal: ordinal, number: 1, state: .succeeded, startedAt: start, endedAt: end, exitCode: 0,
            standardOutput: "logs/0123456789ab/\(ordinal).1.out", pid: 1000)))
      recorder.record(
        .operation(
          OperationRecord(
            run: run.id, ordinal: ordinal, name: "step-\(ordinal)", position: ordinal, state: .succeeded, attempts: 1,
            startedAt: start, endedAt: end, result: .inline("\"result of \(ordinal)\""))))
    }
    recorder.record(
      .runEnded(
        run.id, state: .succeeded, reason: nil, counts: RunCounts(operations: count, succeeded: count), at: .now))
    try await recorder.close()
    history.workspace.close()
  }
}

struct UsageError: Error, CustomStringConvertible {
  var description: String { "usage: recorder NEW-WORKSPACE COUNT" }
}
