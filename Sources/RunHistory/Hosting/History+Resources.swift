import Workspace

/// The resources that all processes on a workspace share.
extension History {
  /// Returns the amount of each resource, by its lower-case name, as declared by the host that serves the workspace, or by the last one that did.
  package func resources() throws(WorkspaceError) -> [String: Int] {
    try read { db in
      let all = try db.fetch(for: StoredResource.self).where(StoredResource.amount >= 0)
      return Dictionary(all.map { ($0.key, Int($0.amount)) }) { first, _ in first }
    }
  }

  /// Declares the amount of each resource, replacing earlier declarations.
  package func declare(resources: [String: Int]) throws(WorkspaceError) {
    let declared = Dictionary(resources.map { ($0.key.lowercased(), (name: $0.key, amount: $0.value)) }) { first, _ in
      first
    }
    guard try self.resources() != declared.mapValues(\.amount) else { return }
    try write { db in
      try db.changing([StoredResource.self]) { context in
        try context.delete(StoredResource.self, where: StoredResource.amount >= Int64.min)
        for (key, resource) in declared {
          try context.submit(
            StoredResource.creationRequest(
              StoredResource(key: key, name: resource.name, amount: Int64(max(0, resource.amount)))))
        }
      }
    }
    workspace.announce()
  }

  /// Returns the holders of these resources, given by names in any letter case, without those of dead processes.
  package func holders(ofResources names: [String]) throws(WorkspaceError) -> [ResourceHolds.Holder] {
    let keys = Set(names.map { $0.lowercased() })
    return try read { db in
      try db.fetch(for: StoredResourceHold.self).where(
        StoredResourceHold.number >= 0, orderBy: [StoredResourceHold.number.ascending]
      )
      .filter { keys.contains($0.resource) }.compactMap(\.holder).filter { $0.owner.isAlive(in: db) }
    }
  }

  /// Follows the declared amounts of resources.
  package func followDeclaredResources(_ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    try workspace.subscribe(changesOf: StoredResource.self, changeHandler: handler)
  }

  /// Follows the held amounts of resources.
  ///
  /// The handler is called only for actual changes: an unsuccessful request has changed nothing, and must not make others request again.
  package func followResourceHolds(_ handler: @escaping @Sendable () -> Void) throws -> Subscription {
    let holds = try workspace.fetch(for: StoredResourceHold.self).where(StoredResourceHold.number >= 0)
    return try workspace.subscribe(fetchedResult: holds) { _ in handler() }
  }
}
