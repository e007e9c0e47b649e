import Expressions
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

extension ApprovalAction: RunnableAction {
  nonisolated(nonsending) func end(of handle: Void, _ ordinal: Int, of run: Run) async throws -> OperationResult {
    try await ApprovalAttempt(run: run, ordinal: ordinal).perform(message)
  }

  func addInputs(
    _ ordinal: Int, of run: Run, _ contexts: RunContexts, to inputs: inout FingerprintValues
  ) {}

  // The approval is not requested again: an answer to the original request is awaited.
  var goesOnAcrossHosts: Bool { true }
}

/// One attempt of an approval: a request, and its answer.
private struct ApprovalAttempt {
  let run: Run
  let ordinal: Int

  nonisolated(nonsending) func perform(_ message: Template?) async throws -> OperationResult {
    // An answer given after the former host had ended counts.
    if run.state.hostAttempt > 1, let answer = try answer() { return try result(of: answer) }
    let text =
      try message?.evaluate(in: run.contexts(ordinal)).injectedText ?? "approve '\(run.state.instances[ordinal].title)'"
    run.dropReadings(ordinal)
    let asked = run.state.given.masker.mask(text)
    let approval = Approval(
      run: run.state.id, ordinal: ordinal, operation: run.state.instances[ordinal].name, message: asked,
      requestedAt: run.services.now())
    let question = OperationReason.Question(
      message: asked, command: "penstock approve \(run.state.id.text) \(ShellText.quoted(approval.operation))",
      clock: askedClock())
    run.recorder.enter(ordinal, .waiting(.approval(question)), recordNow: true)
    run.services.recorder.record(.approvalRequested(approval))
    run.observer.emit(.approval(approval))
    try await run.services.recorder.flushToDisk()
    run.listen()
    while true {
      // Register before reading, so that an answer between the two is not missed.
      let waiter = LoopWaiter(loop: run.services.loop)
      run.waits.approvals[ordinal] = waiter
      defer { run.waits.approvals[ordinal] = nil }
      if let answer = try answer() { return try result(of: answer) }
      guard await waiter.wait() else { throw CancellationError() }
    }
  }

  /// Returns when the wait for the answer began, for a later host, if there is a timeout.
  private func askedClock() -> OperationReason.Clock? {
    guard run.state.instances[ordinal].node.definition.timeout != nil else { return nil }
    let now = run.services.moment()
    let passed = run.state.former[ordinal]?.wait?.passedSinceBoot(at: now)
    return RecordedWait.clock(now, left: nil, passed: passed ?? .zero)
  }

  /// Returns a person's answer to the approval of an operation, or nil if there is none yet.
  private func answer() throws -> Approval.Answer? {
    try run.services.history.answer(toQuestionOf: ordinal, of: run.id)
  }

  private func result(of answer: Approval.Answer) throws(OperationFailure) -> OperationResult {
    var members: OrderedDictionary<String, JSONValue> = ["approved": .bool(answer.isApproved)]
    if let note = answer.note { members["note"] = .string(note) }
    members["by"] = .string(answer.who)
    guard answer.isApproved else {
      let note = answer.note.map { ": \($0)" } ?? ""
      throw OperationFailure(code: "rejected", message: "rejected by \(answer.who)\(note)")
    }
    return .value(.object(members))
  }
}
