import RunHistory

/// The artifacts of reused operations and of loops.
extension Run {
  /// Returns the artifacts of a loop's items as artifacts of the loop, where a later run that reuses the loop as a whole finds them.
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

  /// Whether the artifacts of an operation that is to be reused still exist.
  func hasArtifacts(of operation: OperationRecord) -> Bool {
    if operation.hasArtifacts(in: state.given.workspace) { return true }
    observer.emit(.notice(state.id, "'\(operation.name)' runs again: \(OperationRecord.artifactsGone)"))
    return false
  }
}

extension OperationRecord {
  /// Whether all of its artifacts still exist.
  func hasArtifacts(in workspace: String) -> Bool { artifacts.allSatisfy { $0.isThere(in: workspace) } }

  /// Why a success whose artifacts no longer exist is not reused.
  static let artifactsGone = "some of its artifacts are missing"
}
