import Operations
import PipelineLanguage
import RunHistory

/// What an attempt of one operation takes before it begins: its slot and its resources, which it gives back once.
struct AttemptTurn {
  let run: Run
  let ordinal: Int

  /// The process of an attempt has ended: what it held is free, though the attempt itself has yet to be ended.
  func processEnded() {
    run.jobs.running[ordinal] = nil
    // Where this may be the failure that ends its loop, no further item begins before that is known.
    guard !run.mayEndLoop(ordinal) else { return }
    run.state.instances[ordinal].turn.hasReleased = true
    run.services.loop.urgently { run.release(run.demand(ordinal)) }
  }

  /// The operation has its slot, or will never need it: another one may be made ready.
  func endEarly() {
    guard run.state.instances[ordinal].turn.isEarly else { return }
    run.state.instances[ordinal].turn.isEarly = false
    run.queue.endEarly()
    run.wake()
  }

  /// Waits for what the first of several attempts needs where they have a deadline, of which that wait is no part. One that a former host has begun
  /// may wait for its next attempt first.
  nonisolated(nonsending) func awaitFirst() async throws {
    guard run.state.instances[ordinal].node.definition.retry.deadline != nil,
      run.state.former[ordinal]?.retryState == nil
    else { return }
    try await take()
  }

  /// Waits for what the next attempt needs, unless it has it: the scheduler may have taken the slot of the first one.
  nonisolated(nonsending) func take() async throws {
    guard !run.state.instances[ordinal].turn.hasSlot else { return }
    let demand = run.demand(ordinal)
    if demand.slots > 0 || !demand.resources.isEmpty, !run.limits.take(demand) {
      let resources = run.state.instances[ordinal].node.definition.resources
      if let missing = run.limits.unsatisfiable(demand) {
        let name = run.state.pipeline.resources[missing].name
        throw OperationFailure(
          code: "capacity-exceeded", message: "needs more of the resource '\(name)' than this host has")
      }
      if run.limits.isWithoutPlace {
        run.recorder.enter(ordinal, .waiting(.place))
      } else if !resources.isEmpty {
        run.recorder.enter(
          ordinal, .waiting(.resources(resources.map { run.state.pipeline.resources[$0.resource].name })))
      } else if run.state.instances[ordinal].state != .pending {
        run.recorder.enter(ordinal, .waiting(.concurrency))
      }
      guard await run.limits.wait(for: demand, on: run.services.loop) else { throw CancellationError() }
    }
    run.state.instances[ordinal].turn.hasSlot = true
    endEarly()
  }

  /// Gives back what was taken for an attempt that has not begun.
  func giveUp() {
    guard run.state.instances[ordinal].turn.hasSlot else { return }
    run.state.instances[ordinal].turn.hasSlot = false
    run.release(run.demand(ordinal))
  }
}
