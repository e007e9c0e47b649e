extension PipelineChecker {
  /// Determines what each operation takes of the pipeline's resources, and what all of them require of a host.
  func resolveResources() {
    var places: [String: Int] = [:]
    for (place, resource) in draft.definition.resources.enumerated() { places[resource.name] = place }
    let declared = places
    forEachDraft { operation in
      let inner = operation.nestedCall.flatMap { self.nested[$0.path] ?? nil }?.hostUse
      var demands: [HostUse.Demand] = []
      for resource in operation.resources {
        if declared[resource.name] == nil, !session.host.mayDeclare {
          reader.error(
            .unknownResource, "the pipeline declares no resource '\(resource.name)'", at: resource.range,
            fix: reader.suggestion(for: resource.name, among: declared.keys.sorted())
              ?? "declare it at the top: 'resources: {\(resource.name): \(resource.amount)}'; if a host declares it, name that with --config"
          )
          continue
        }
        // A resource that only a host declares imposes no limit within a single run.
        let place = places[resource.name] ?? draft.definition.resources.count
        if place == draft.definition.resources.count {
          draft.definition.resources.append((resource.name, .max))
          places[resource.name] = place
        }
        let capacity = draft.definition.resources[place].capacity
        if resource.amount > capacity {
          reader.error(
            .outOfRange,
            "\(operation.title) needs \(resource.amount) of '\(resource.name)', but there is only \(capacity)",
            at: resource.amountRange, fix: "lower it, or raise '\(resource.name)' at the top of the pipeline")
        }
        operation.definition.resources.append((place, resource.amount))
        if let name = reader.hostPlace(of: resource.range), let number = reader.hostPlace(of: resource.amountRange) {
          demands.append(
            HostUse.Demand(
              resource: resource.name, amount: resource.amount, inner: inner?.most[resource.name] ?? 0,
              isDeclared: declared[resource.name] != nil, taker: operation.title, name: name, number: number))
        }
      }
      if !demands.isEmpty || inner != nil { draft.definition.hostUse.add(demands, running: inner) }
    }
  }
}
