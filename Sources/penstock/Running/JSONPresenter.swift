import PipelineLanguage
import RunHistory
import RunReports
import Values

/// Prints each event as a JSON object on one line, and the results last.
final class JSONPresenter: RunPresenter {
  private var board: RunBoard
  /// Operations with another attempt. The time comes from the attempt's event, which follows immediately: the operation's record only has the time at which
  /// its first attempt began.
  private var begun: [OperationRecord] = []
  /// The path of the workspace, until an event of the run has reported it.
  private var workspace: String?

  init(_ presentation: RunPresentation) {
    board = RunBoard(pipeline: presentation.pipeline)
    workspace = presentation.workspace
  }

  func show(_ events: [RunEvent]) {
    var bytes: [UInt8] = []
    for event in events {
      board.apply(event)
      switch event {
      case .operation(let record) where record.state == .running && record.attempts > 1:
        begun.append(record)
        continue
      case .attempt(let attempt):
        if let index = begun.firstIndex(where: { $0.run == attempt.run && $0.ordinal == attempt.ordinal }) {
          write(.operation(begun.remove(at: index)), at: attempt.startedAt, to: &bytes)
        }
      default: break
      }
      if event.isTold { write(event, to: &bytes) }
    }
    TextOutput.standard.writeJSON(bytes)
    TextOutput.standard.flush()
  }

  private func write(_ event: RunEvent, at time: RecordTime? = nil, to bytes: inout [UInt8]) {
    var value = event.jsonValue(at: time) { self.board.name(of: $1, in: $0) }
    if case .run = event, let path = workspace, case .object(var members) = value {
      members["workspace"] = .string(path)
      value = .object(members)
      workspace = nil
    }
    value.write(to: &bytes)
    bytes.append(0x0A)
  }

  func conclude(_ outcome: RunOutcome) {
    var bytes: [UInt8] = []
    for record in begun { write(.operation(record), to: &bytes) }
    TextOutput.standard.writeJSON(bytes)
    let names = board.rootEntry?.pipeline?.operations.map(\.name)
    TextOutput.standard.writeLine(outcome.jsonValue(operations: names))
    // With `--watch`, the next event may be far in the future.
    TextOutput.standard.flush()
  }
}
