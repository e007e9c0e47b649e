extension Run {
  /// Whether everything in the run waits for something other than active work: an answer, a time, a condition, an exclusive name, resources, or the
  /// pipeline's `overlap`.
  ///
  /// The holder of a name or resources may be a run that needs a run slot. Operations that wait for slots wait for active operations, and the run
  /// keeps its run slot.
  var isResting: Bool { isResting(leaving: false) }

  /// Whether everything in the run waits. With `leaving`, so that the next host may continue it: then an operation that waits for a descriptor, a thread
  /// or memory counts as waiting, and so does one that waits for the run slot. Without it, such a run keeps its run slot or its request for it: nothing
  /// would notify it when the resource is available again.
  func isResting(leaving: Bool) -> Bool {
    if waits.turn != nil || leaving && waits.isLookingForProcesses { return true }
    // What is ready waits for the run slot, too.
    let isWithoutSlot = leaving && limits.isWithoutPlace
    guard queue.isEmpty || isWithoutSlot else { return false }
    var isWaiting = false
    for ordinal in state.instances.indices {
      // It has its slot and is about to begin, although its recorded state is still waiting.
      let turn = state.instances[ordinal].turn
      if turn.isTaking || turn.hasSlot && demand(ordinal).slots > 0 { return false }
      switch state.instances[ordinal].status {
      case .waiting(.concurrency, _), .waiting(.place, _):
        guard isWithoutSlot else { return false }
        isWaiting = true
      case .waiting, .retrying: isWaiting = true
      case .pending where state.instances[ordinal].turn.hasBegun: return false
      case .running:
        if let child = children[ordinal] {
          guard child.isResting(leaving: leaving) else { return false }
          isWaiting = true
        } else if leaving, case .shortage? = state.instances[ordinal].reason {
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
