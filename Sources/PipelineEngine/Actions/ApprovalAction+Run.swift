import Expressions
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values

extension ApprovalAction: RunnableAction {
  func end(of handle: Void, _ ordinal: Int, in engine: isolated RunEngine) async throws -> OperationResult {
    try await engine.performApproval(ordinal, message)
  }

  func addInputs(
    _ ordinal: Int, in engine: isolated RunEngine, _ contexts: RunContexts, to inputs: inout FingerprintInputs
  ) {}

  // Nobody is asked again: what is waited for is the answer to the question that was put.
  var goesOnAcrossHosts: Bool { true }
}

extension RunEngine {
  fileprivate func performApproval(_ ordinal: Int, _ message: Template?) async throws -> OperationResult {
    // Nobody is asked again what was answered after the former host had ended.
    if state.hostAttempt > 1, let answer = try answer(of: ordinal) { return try result(of: answer) }
    let text =
      try message?.evaluate(in: contexts(ordinal)).injectedText ?? "approve '\(state.instances[ordinal].title)'"
    dropReadings(ordinal)
    let asked = state.given.masker.mask(text)
    let approval = Approval(
      run: state.id, ordinal: ordinal, operation: state.instances[ordinal].name, message: asked,
      requestedAt: services.now())
    let question = OperationReason.Question(
      message: asked, command: "penstock approve \(state.id.text) \(ShellText.quoted(approval.operation))",
      clock: askedClock(ordinal))
    recorder.enter(ordinal, .waiting, .approval(question), recordNow: true)
    services.recorder.record(.approvalRequested(approval))
    observer.emit(.approval(approval))
    try await services.recorder.flushToDisk()
    startWatching()
    while true {
      // Listening begins before asking, so that an answer between the two is not missed.
      let waiter = LoopWaiter(loop: services.loop)
      waits.approvals[ordinal] = waiter
      defer { waits.approvals[ordinal] = nil }
      if let answer = try answer(of: ordinal) { return try result(of: answer) }
      guard await waiter.wait() else { throw CancellationError() }
    }
  }

  /// Since when an answer is waited for, where there is a time for that, for a later host.
  private func askedClock(_ ordinal: Int) -> OperationReason.Clock? {
    guard state.instances[ordinal].node.definition.timeout != nil else { return nil }
    let now = services.moment()
    let passed = state.former[ordinal]?.wait?.passedSinceBoot(at: now)
    return RecordedWait.clock(now, left: nil, passed: passed ?? .zero)
  }

  /// What a person has answered to the question of an operation; nil as long as nobody has.
  private func answer(of ordinal: Int) throws -> Approval.Answer? {
    try services.history.approvals(of: state.id).first { $0.ordinal == ordinal }?.answer
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
