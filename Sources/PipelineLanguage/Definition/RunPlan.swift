/// The dependencies of a pipeline's operations as arrays of indices, so that scheduling only needs counting.
package struct RunPlan: Sendable {
  /// The number of dependencies of each operation.
  package let incoming: [Int32]
  /// The dependents of operation `i` are `dependents[offsets[i] ..< offsets[i + 1]]`.
  private let offsets: [Int32]
  private let dependents: [Int32]

  package init(_ operations: [OperationDefinition]) {
    var incoming = [Int32](repeating: 0, count: operations.count)
    var offsets = [Int32](repeating: 0, count: operations.count + 1)
    // Iterates over indices, because an operation is expensive to copy.
    for place in operations.indices {
      incoming[operations[place].index] = Int32(operations[place].dependencies.count)
      for dependency in operations[place].dependencies { offsets[dependency + 1] += 1 }
    }
    for index in 0..<operations.count { offsets[index + 1] += offsets[index] }
    var next = offsets
    var dependents = [Int32](repeating: 0, count: Int(offsets[operations.count]))
    for place in operations.indices {
      for dependency in operations[place].dependencies {
        dependents[Int(next[dependency])] = Int32(operations[place].index)
        next[dependency] += 1
      }
    }
    self.incoming = incoming
    self.offsets = offsets
    self.dependents = dependents
  }

  /// Returns the operations that depend on `operation`, in file order.
  package func dependents(of operation: Int) -> ArraySlice<Int32> {
    dependents[Int(offsets[operation])..<Int(offsets[operation + 1])]
  }

  /// Returns `operation` and everything that depends on it, directly or indirectly.
  package func downstream(of operation: Int) -> Set<Int> {
    var found: Set<Int> = []
    visit(downstreamOf: operation, notIn: &found) { _ in }
    return found
  }

  /// Calls `body` for an operation and everything that depends on it, directly or indirectly, except for those in `visited`, to which it adds them. Repeated
  /// calls with the same set follow each dependency only once.
  package func visit(downstreamOf operation: Int, notIn visited: inout Set<Int>, _ body: (Int) -> Void) {
    guard visited.insert(operation).inserted else { return }
    var open = [operation]
    while let next = open.popLast() {
      body(next)
      for dependent in dependents(of: next) where visited.insert(Int(dependent)).inserted {
        open.append(Int(dependent))
      }
    }
  }
}
