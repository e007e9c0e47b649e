extension Run {
  /// Whether everything in it waits for something that its host does not share out: an answer, a time, a condition, an exclusive name, the run's turn.
  ///
  /// What waits for slots or resources waits for runs that are at work, and keeps its place.
  var isResting: Bool { isResting(countingShortages: false) }

  /// The same; with `countingShortages`, also what waits for a descriptor, a thread or memory is at rest. It keeps its place, as nothing tells when there is one again.
  func isResting(countingShortages: Bool) -> Bool {
    if waits.turn != nil || countingShortages && waits.isLookingForProcesses { return true }
    guard queue.isEmpty else { return false }
    var isWaiting = false
    for ordinal in state.instances.indices {
      switch state.instances[ordinal].status {
      case .waiting(.concurrency, _), .waiting(.resources, _), .waiting(.place, _): return false
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
