extension Run {
  /// Whether everything in it waits for something else than work that goes on: an answer, a time, a condition, an exclusive name, resources, the run's turn.
  ///
  /// Who holds a name or resources may be a run that wants a place. What waits for slots waits for operations that are at work, and keeps its place.
  var isResting: Bool { isResting(countingShortages: false) }

  /// The same; with `countingShortages`, also what waits for a descriptor, a thread or memory is at rest. It keeps its place, as nothing tells when there is one again.
  func isResting(countingShortages: Bool) -> Bool {
    if waits.turn != nil || countingShortages && waits.isLookingForProcesses { return true }
    guard queue.isEmpty else { return false }
    var isWaiting = false
    for ordinal in state.instances.indices {
      // It has its slot, and is about to work, though it is still said to wait.
      let turn = state.instances[ordinal].turn
      if turn.isTaking || turn.hasSlot && demand(ordinal).slots > 0 { return false }
      switch state.instances[ordinal].status {
      case .waiting(.concurrency, _), .waiting(.place, _): return false
      case .waiting, .retrying: isWaiting = true
      case .pending where state.instances[ordinal].turn.hasBegun: return false
      case .running:
        if let child = children[ordinal] {
          guard child.isResting(countingShortages: countingShortages) else { return false }
          isWaiting = true
        } else if countingShortages, case .shortage? = state.instances[ordinal].reason {
          isWaiting = true
        } else if !state.instances[ordinal].isLoop {
          return false
        }
      case .pending, .succeeded, .reused, .failed, .cancelled, .skipped: break
      }
    }
    return isWaiting
  }
}

extension OperationInstance {
  /// Whether it is a loop, whose items do the work.
  fileprivate var isLoop: Bool { parent == nil && node.definition.loop != nil }
}
