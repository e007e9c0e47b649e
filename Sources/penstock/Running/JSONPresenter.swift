import OrderedCollections
import Pipelines
import Values

/// Prints each event as a JSON object on a line, and the results last.
final class JSONPresenter: RunPresenter {
  private var board: RunBoard

  init(_ presentation: RunPresentation) {
    board = RunBoard(pipeline: presentation.pipeline)
  }

  func show(_ events: [RunEvent]) {
    var bytes: [UInt8] = []
    for event in events {
      board.apply(event)
      event.jsonValue { self.board.name(of: $1, in: $0) }.write(to: &bytes)
      bytes.append(0x0A)
    }
    TextOutput.standard.writeJSON(bytes)
    TextOutput.standard.flush()
  }

  func conclude(_ outcome: RunOutcome) {
    let run = outcome.run
    var results: OrderedDictionary<String, JSONValue> = [:]
    let names = board.rootEntry?.pipeline?.operations.map(\.name) ?? outcome.results.keys.sorted()
    for name in names { results[name] = outcome.results[name] }
    let line = JSONValue.object([
      "event": "result", "run": .string(run.id.text), "state": .string(run.state.rawValue),
      "time": JSONValue(run.endedAt),
      "reason": JSONValue(run.reason), "duration_ms": run.durationMilliseconds.map { .double($0) } ?? .null,
      "operations": JSONValue(run.counts.operations), "succeeded": JSONValue(run.counts.succeeded),
      "failed": JSONValue(run.counts.failed), "skipped": JSONValue(run.counts.skipped),
      "cancelled": JSONValue(run.counts.cancelled), "reused": JSONValue(run.counts.reused), "results": .object(results),
    ])
    TextOutput.standard.writeLine(line)
  }
}
