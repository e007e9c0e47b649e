import RunHistory

/// Operations that hold an exclusive name.
extension RunEngine {
  /// Executes an operation under an exclusive name, which it holds through all its attempts.
  ///
  /// No operation holds a name while it waits for a slot or resources before its first attempt: an operation that holds those may be waiting for the
  /// name in a nested run.
  func executeHolding(_ name: String, _ ordinal: Int) async throws {
    let hold = try await takeBoth(exclusiveKey(name), name, ordinal)
    do {
      try await executeAttempts(ordinal)
    } catch {
      AttemptTurn(run: run, ordinal: ordinal).giveUp()
      await run.services.shared.locks.giveBack(hold)
      throw error
    }
    AttemptTurn(run: run, ordinal: ordinal).giveUp()
    await run.services.shared.locks.giveBack(hold)
  }

  /// Takes the name together with what the first attempt needs.
  private func takeBoth(_ key: String, _ name: String, _ ordinal: Int) async throws -> ExclusiveLocks.Hold {
    let locks = run.services.shared.locks
    // What a former host began may be active, or waiting for a retry, which needs nothing.
    guard run.state.former[ordinal] == nil, run.jobs.former[ordinal] == nil else {
      return try await take(key, name, ordinal)
    }
    let turn = AttemptTurn(run: run, ordinal: ordinal)
    while true {
      let hold = try await take(key, name, ordinal)
      do {
        if try turn.takeAtOnce() { return hold }
      } catch {
        await locks.giveBack(hold)
        throw error
      }
      await locks.giveBack(hold)
      try await turn.take()
      run.state.instances[ordinal].turn.isTaking = true
      defer { run.state.instances[ordinal].turn.isTaking = false }
      do {
        if let hold = try await locks.takeAtOnce(key, holder: holder(ordinal), noticing: notice) { return hold }
      } catch {
        turn.giveUp()
        throw error
      }
      turn.giveUp()
    }
  }

  /// Waits for the name.
  private func take(_ key: String, _ name: String, _ ordinal: Int) async throws -> ExclusiveLocks.Hold {
    if run.services.shared.locks.isTaken(key) {
      run.recorder.enter(ordinal, .waiting(.exclusive(OperationReason.Exclusive(name: name))))
    }
    return try await run.services.shared.locks.take(
      key, holder: holder(ordinal), watch: run.services.observations.watch
    ) { other in
      run.recorder.enter(
        ordinal,
        .waiting(
          .exclusive(OperationReason.Exclusive(name: name, holder: other.description, process: Int64(other.process)))),
        recordNow: true)
    } noticing: {
      notice($0)
    }
  }

  private func holder(_ ordinal: Int) -> LeaseHolder {
    LeaseHolder(run: run.state.id, operation: run.state.instances[ordinal].name)
  }

  private func notice(_ notice: String) { run.observer.emit(.notice(run.state.id, notice)) }

  /// Returns the key of the lock for an exclusive name. Inside an operation that already holds the name, the key applies to that operation only;
  /// otherwise its nested runs would wait for the operation that waits for them.
  private func exclusiveKey(_ name: String) -> String {
    run.brief.heldNames[name].map { "exclusive:\(name) within \($0.text)" } ?? "exclusive:\(name)"
  }
}
