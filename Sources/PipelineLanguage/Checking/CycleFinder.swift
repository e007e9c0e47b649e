/// Finds cycles in a graph, given for each position as the list of positions that it points to.
struct CycleFinder {
  private(set) var targets: [[Int]]

  /// Returns the strongly connected components, each after all components that it points to; for dependencies, this is a valid order of execution.
  ///
  /// Uses Tarjan's algorithm with an explicit stack, so that a long chain cannot overflow the thread's stack.
  func components() -> [[Int]] {
    let count = targets.count
    var number = [Int](repeating: -1, count: count)
    var low = [Int](repeating: 0, count: count)
    var isOpen = [Bool](repeating: false, count: count)
    var open: [Int] = []
    var visits: [(node: Int, edge: Int)] = []
    var next = 0
    var components: [[Int]] = []
    components.reserveCapacity(count)
    for start in 0..<count where number[start] < 0 {
      visits.append((start, 0))
      while let visit = visits.last {
        let node = visit.node
        if number[node] < 0 {
          number[node] = next
          low[node] = next
          next += 1
          open.append(node)
          isOpen[node] = true
        }
        if visit.edge < targets[node].count {
          visits[visits.count - 1].edge += 1
          let target = targets[node][visit.edge]
          if number[target] < 0 {
            visits.append((target, 0))
          } else if isOpen[target] {
            low[node] = min(low[node], number[target])
          }
          continue
        }
        visits.removeLast()
        if let parent = visits.last?.node { low[parent] = min(low[parent], low[node]) }
        if low[node] == number[node] {
          var component: [Int] = []
          while let member = open.popLast() {
            isOpen[member] = false
            component.append(member)
            if member == node { break }
          }
          components.append(component)
        }
      }
    }
    return components
  }

  /// Returns a shortest cycle through the smallest position of a component, as positions in order, starting with that one and without repeating it.
  func cycle(in component: [Int]) -> [Int] {
    guard let start = component.min() else { return [] }
    let members = Set(component)
    var previous: [Int: Int] = [:]
    var queue = [start]
    var head = 0
    while head < queue.count {
      let node = queue[head]
      head += 1
      for target in targets[node] where members.contains(target) {
        if target == start {
          var path = [node]
          while let last = path.last, last != start, let step = previous[last] { path.append(step) }
          return path.reversed()
        }
        if previous[target] == nil {
          previous[target] = node
          queue.append(target)
        }
      }
    }
    return component
  }

  /// Returns the cycles of a component, at most `limit`: one cycle, then one that remains after removing the edge that closes the first, and so on.
  /// `turned` rotates each cycle; its closing edge leads from its last position to its first.
  func cycles(in component: [Int], limit: Int = 10, turned: ([Int]) -> [Int] = { $0 }) -> [[Int]] {
    let members = component.sorted()
    let places = Dictionary(uniqueKeysWithValues: members.enumerated().map { ($0.element, $0.offset) })
    var rest = CycleFinder(targets: members.map { member in targets[member].compactMap { places[$0] } })
    var cycles: [[Int]] = []
    while cycles.count < limit {
      let parts = rest.components().filter(rest.isCycle)
      guard let part = parts.min(by: { $0.min() ?? 0 < $1.min() ?? 0 }) else { break }
      let cycle = turned(rest.cycle(in: part).map { members[$0] })
      guard let first = cycle.first.flatMap({ places[$0] }), let last = cycle.last.flatMap({ places[$0] }) else {
        break
      }
      rest.targets[last].removeAll { $0 == first }
      cycles.append(cycle)
    }
    return cycles
  }

  /// Returns whether a component is a cycle.
  func isCycle(_ component: [Int]) -> Bool {
    component.count > 1 || component.first.map { targets[$0].contains($0) } ?? false
  }
}

extension PipelineChecker {
  /// Reports enough cycles that removing the reported references would break all of them. Returns the positions of the operations, each after its
  /// dependencies where possible.
  func checkCycles() -> [Int] {
    let finder = CycleFinder(targets: draft.operations.map(\.definition.dependencies))
    let components = finder.components()
    for component in components where finder.isCycle(component) {
      finder.cycles(in: component, turned: startingBehindReference).forEach(report)
    }
    return components.flatMap { $0 }
  }

  private func report(_ cycle: [Int]) {
    guard let first = cycle.first, let last = cycle.last else { return }
    let names = shown((cycle + [first]).map { draft.operations[$0].definition.name })
    let place = references[last].first { $0.target == first && $0.place != nil }?.place
    let message =
      cycle.count == 1
      ? "'\(names.prefix { $0 != " " })' depends on itself: \(names)"
      : "these operations wait for each other: \(names)"
    reader.error(.cycle, message, at: place.map(range(of:)) ?? draft.operations[last].nameRange)
  }

  /// Joins the names with arrows; of a long list, only the ends are shown.
  private func shown(_ names: [String]) -> String {
    guard names.count > 12 else { return names.joined(separator: " → ") }
    let parts = names.prefix(5) + ["… (\(names.count - 9) more)"] + names.suffix(4)
    return parts.joined(separator: " → ")
  }

  /// Rotates the cycle so that the reference that closes it is written in the file, rather than implied by `order: chain`.
  private func startingBehindReference(_ cycle: [Int]) -> [Int] {
    for turn in cycle.indices {
      let turned = Array(cycle[turn...] + cycle[..<turn])
      guard let first = turned.first, let last = turned.last else { continue }
      if references[last].contains(where: { $0.target == first && $0.place != nil }) { return turned }
    }
    return cycle
  }
}
