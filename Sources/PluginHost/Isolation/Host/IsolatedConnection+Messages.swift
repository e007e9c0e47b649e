import Values

// The handling of messages from children, on the connection's thread.
extension IsolatedConnection {
  func received(_ message: ChildMessage, from number: Int, _ process: ChildProcess) {
    switch message {
    case .completed(let id, let value):
      guard let instance = take(id, number, hasCompleted: true) else { break }
      instance.finish(instance.checked(value))
    case .failed(let id, let failure): take(id, number)?.finish(.failure(failure))
    case .progressed(let id, let progress): find(id, number)?.tell { $0.progressed(progress) }
    case .yielded(let id, let signal):
      guard let instance = find(id, number), instance.offer.kind == .controller else { break }
      instance.tell { $0.yielded(signal) }
    case .changed(let id, let isSatisfied, let reason):
      guard let instance = find(id, number), instance.offer.kind == .specification else { break }
      instance.tell { $0.changed(isSatisfied, reason: reason) }
    case .logged(let id, let level, let text, let fields):
      if let instance = find(id, number) {
        instance.tell { $0.logged(level, text, fields) }
      } else if id == 0 {
        let lines = state.withLock { state in
          state.sessions[number]?.lines.take(text, now: options.clock.monotonic()) ?? []
        }
        for line in lines { options.log(level, line) }
      }
    // A request of an instance that was released is not reported: its plugin may have sent a million before it could stop.
    case .request(let question, let request): answer(question, request, from: number, process)
    case .pong(let pong):
      state.withLock { state in
        guard let session = state.sessions[number] else { return }
        state.sessions[number]?.pongs = max(session.pongs, min(pong, session.pings))
      }
    // It was sent while the plugin was being loaded, and no longer applies.
    case .hanging(0, _): break
    case .hanging(_, let call): process.kill(.hanging(String(call.prefix(200)), options.limits.ping * 2))
    case .stuck(let begun): leave(number, begun: Set(begun))
    case .ready, .refused: process.kill(.garbage("that it was ready a second time"))
    case .wake, .cancelWake: process.kill(.garbage("a request to a clock that it does not have"))
    }
  }

  /// Removes and returns the instance, which has ended; nil if it was released meanwhile, or never existed.
  private func take(_ id: UInt64, _ number: Int, hasCompleted: Bool = false) -> IsolatedInstance? {
    let (instance, drained) = state.withLock { state in
      if hasCompleted { state.sessions[number]?.hasServed = true }
      return (state.sessions[number]?.instances.removeValue(forKey: id), state.drained(number))
    }
    drained?.close(options.limits)
    return instance
  }

  private func find(_ id: UInt64, _ number: Int) -> IsolatedInstance? {
    state.withLock { $0.sessions[number]?.instances[id] }
  }

  // MARK: Services

  private func answer(_ question: UInt64, _ request: ServiceRequest, from number: Int, _ process: ChildProcess) {
    let isTaken = state.withLock { state in
      guard let access = state.sessions[number]?.instances[request.instance]?.access else { return false }
      let question = OpenQuestions.Question(number: question, question: request.question, access: access)
      return state.sessions[number]?.questions.add(question) ?? false
    }
    guard isTaken else { return process.send(.answer(request: question, ServiceAnswer(.unavailable))) }
    answerMore(number, process)
  }

  /// Answers the questions that are next, unless the child must read first.
  func answerMore(_ number: Int, _ process: ChildProcess) {
    while process.hasRoom, let question = state.withLock({ $0.sessions[number]?.questions.next() }) {
      Task { [weak self] in
        let answer = await question.question.answer(by: question.access)
        process.send(.answer(request: question.number, answer))
        guard let self else { return }
        state.withLock { $0.sessions[number]?.questions.answered() }
        answerMore(number, process)
      }
    }
  }
}

extension ServiceRequest.Question {
  fileprivate func answer(by access: PluginAccess) async -> ServiceAnswer {
    do throws(PluginAccessError) {
      switch self {
      case .secret(let name):
        guard let secrets = access.secrets else { throw .unavailable }
        return ServiceAnswer(.ok, try await secrets(name))
      case .value(let key):
        return ServiceAnswer(.ok, try await access.storage.orUnavailable().value(of: key))
      case .set(let key, let value):
        try await access.storage.orUnavailable().set(value, for: key)
        return ServiceAnswer(.ok)
      case .keys(let prefix):
        let keys = try await access.storage.orUnavailable().keys(beginningWith: prefix)
        return ServiceAnswer(.ok, .array(keys.map { .string($0) }))
      }
    } catch {
      return ServiceAnswer(refusal: error)
    }
  }
}

extension (any PluginStorage)? {
  fileprivate func orUnavailable() throws(PluginAccessError) -> any PluginStorage {
    guard let self else { throw .unavailable }
    return self
  }
}
