import Operations
import PipelineLanguage
import RunHistory

/// What an attempt of one operation takes before it begins: its slot and its resources, which it returns once.
struct AttemptTurn {
  let run: Run
  let ordinal: Int

  /// Releases what the attempt held, because its process has ended, although the attempt itself has yet to be ended.
  func processEnded() {
    run.jobs.running[ordinal] = nil
    // If this may be the failure that ends its loop, no further item may begin before that is known.
    guard !run.mayEndLoop(ordinal) else { return }
    run.state.instances[ordinal].turn.hasReleased = true
    run.services.loop.urgently { run.releaseAll(of: ordinal) }
  }

  /// Notes that the operation has its slot, or will never need it, so that another one may be prepared.
  func endEarly() {
    guard run.state.instances[ordinal].turn.isEarly else { return }
    run.state.instances[ordinal].turn.isEarly = false
    run.queue.endEarly()
    run.wake()
  }

  /// Acquires what the first of several attempts needs if they have a deadline, which does not include that wait. An attempt that a former host began
  /// may wait for its next attempt first.
  nonisolated(nonsending) func awaitFirst() async throws {
    guard run.state.instances[ordinal].node.definition.retry.deadline != nil,
      run.state.former[ordinal]?.retryState == nil
    else { return }
    try await take()
  }

  /// Acquires what the next attempt needs, unless the scheduler has already taken the slot of the first one.
  nonisolated(nonsending) func take() async throws {
    guard !run.state.instances[ordinal].turn.hasSlot else { return }
    let demand = run.demand(ordinal)
    let shares = try shares(of: demand)
    repeat { try await takeHere(demand) } while try await !take(shares, demand)
    run.state.instances[ordinal].turn.hasSlot = true
    endEarly()
  }

  /// Acquires what the next attempt needs without waiting. Also returns false if it needs resources that processes on the workspace share, which have
  /// to be requested.
  func takeAtOnce() throws -> Bool {
    guard !run.state.instances[ordinal].turn.hasSlot else { return true }
    let demand = run.demand(ordinal)
    guard try shares(of: demand).isEmpty else { return false }
    if demand.slots > 0 || !demand.resources.isEmpty {
      guard run.limits.take(demand) else { return false }
    }
    run.state.instances[ordinal].turn.hasSlot = true
    endEarly()
    return true
  }

  /// Returns the part of a demand that processes on the workspace share.
  private func shares(of demand: RunLimits.Demand) throws -> [ResourceHolds.Share] {
    try run.services.shared.resources.shared(
      among: demand.resources.map {
        ResourceHolds.Share(run.state.pipeline.resources[$0.resource].name, $0.amount)
      })
  }

  /// Acquires what the run and its host allocate.
  private nonisolated(nonsending) func takeHere(_ demand: RunLimits.Demand) async throws {
    if demand.slots > 0 || !demand.resources.isEmpty, !run.limits.take(demand) {
      let resources = run.state.instances[ordinal].node.definition.resources
      if let missing = run.limits.unsatisfiable(demand) {
        let name = run.state.pipeline.resources[missing.resource].name
        throw OperationFailure.capacityExceeded(missing.amount, of: name, host: "this host", has: missing.capacity)
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
  }

  /// Acquires what all processes on the workspace share. If others hold too much, releases everything and returns false once that may have changed.
  private nonisolated(nonsending) func take(
    _ shares: [ResourceHolds.Share], _ demand: RunLimits.Demand
  ) async throws -> Bool {
    guard !shares.isEmpty else { return true }
    run.state.instances[ordinal].turn.isTaking = true
    defer { run.state.instances[ordinal].turn.isTaking = false }
    var isHeld = true
    do {
      let instance = run.state.instances[ordinal]
      return try await run.services.shared.resources.take(
        shares, for: SharedResources.Taker(run: run.id, ordinal: ordinal, operation: instance.name)
      ) {
        // Releases what other operations of this host can use in the meantime.
        isHeld = false
        run.state.instances[ordinal].turn.isTaking = false
        run.release(demand)
        run.recorder.enter(ordinal, .waiting(.resources(shares.map(\.resource))))
      } noticing: {
        run.observer.emit(.notice(run.id, $0))
      }
    } catch {
      if isHeld { run.release(demand) }
      throw error
    }
  }

  /// Releases what was taken for an attempt that has not begun.
  func giveUp() {
    guard run.state.instances[ordinal].turn.hasSlot else { return }
    run.state.instances[ordinal].turn.hasSlot = false
    run.releaseAll(of: ordinal)
  }
}
