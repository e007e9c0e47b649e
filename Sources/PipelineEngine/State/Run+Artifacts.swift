import RunHistory

/// The artifacts of what is taken over, and of loops.
extension Run {
  /// The artifacts of a loop's items as those of the loop, by which a later run that takes over the loop as a whole finds them.
  func artifacts(of items: [Int], in loop: Int) -> [KeptArtifact] {
    guard !state.instances[loop].node.definition.artifacts.isEmpty else { return [] }
    return items.enumerated().flatMap { index, item in
      state.instances[item].artifacts.map { artifact in
        var artifact = artifact
        artifact.item = KeptArtifact.Item(index: index, count: items.count)
        return artifact
      }
    }
  }

  /// Whether what was kept of an operation that is to be taken over is still there.
  func hasArtifacts(of operation: OperationRecord) -> Bool {
    if operation.hasArtifacts(in: state.given.workspace) { return true }
    observer.emit(.notice(state.id, "'\(operation.name)' runs again: \(OperationRecord.artifactsGone)"))
    return false
  }
}

extension OperationRecord {
  /// Whether what was kept of it is still there.
  func hasArtifacts(in workspace: String) -> Bool { artifacts.allSatisfy { $0.isThere(in: workspace) } }

  /// Why a success without its artifacts is not taken over.
  static let artifactsGone = "some of its artifacts are gone"
}
