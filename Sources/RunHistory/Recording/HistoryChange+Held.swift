import Workspace

extension HistoryChange {
  /// The run that it concerns.
  var run: RunID {
    switch self {
    case .runCreated(let record, _, _, _), .queuedRunBegan(let record, _): record.id
    case .runStarted(let run, _), .resourcesReleased(let run, _): run
    case .runEnded(let run, _, _, _, _, _): run
    case .runPrepares(let run, _): run
    case .operation(let record), .operationWithAttempt(let record, _): record.run
    case .attempt(let record): record.run
    case .approvalRequested(let approval): approval.run
    }
  }

  /// Its approximate size in memory, in bytes: its own, and that of its texts.
  var heldSize: Int {
    MemoryLayout<HistoryChange>.stride + texts
  }

  private var texts: Int {
    switch self {
    case .runCreated(let record, let definition, let nested, let operations):
      record.texts + definition.utf8.count + nested.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        + operations.reduce(0) { $0 + MemoryLayout<OperationRecord>.stride + $1.texts }
    case .queuedRunBegan(let record, let operations):
      record.texts + operations.reduce(0) { $0 + MemoryLayout<OperationRecord>.stride + $1.texts }
    case .runStarted, .resourcesReleased: 0
    case .runPrepares(_, let reason): reason.utf8.count
    case .runEnded(_, _, let reason, let canceller, _, _): reason.size + (canceller?.who).size
    case .operation(let record): record.texts
    case .attempt(let record): record.texts
    case .operationWithAttempt(let operation, let attempt): operation.texts + attempt.texts
    case .approvalRequested(let approval): approval.message.utf8.count
    }
  }
}

extension RunRecord {
  fileprivate var texts: Int {
    params.utf8.count + event.size + path.size + reason.size
      + labels.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }
}

extension OperationRecord {
  fileprivate var texts: Int {
    name.utf8.count + item.size + reason.size + detail.size + (error?.message).size + result.size
  }
}

extension AttemptRecord {
  fileprivate var texts: Int {
    (error?.message).size + result.size + standardOutput.size + standardError.size + wakeCause.size + handle.size
  }
}

extension RecordedResult {
  fileprivate var size: Int {
    switch self {
    case .none: 0
    case .inline(let text): text.utf8.count
    case .file(let path, _): path.utf8.count
    }
  }
}

extension String? {
  fileprivate var size: Int { self?.utf8.count ?? 0 }
}
