/// The dependencies of a pipeline's operations as arrays of indices, so that scheduling is counting.
package struct RunPlan: Sendable {
  /// How many dependencies each operation has.
  package let incoming: [Int32]
  /// The dependents of operation `i` are `dependents[offsets[i] ..< offsets[i + 1]]`.
  private let offsets: [Int32]
  private let dependents: [Int32]

  package init(_ operations: [OperationDefinition]) {
    var incoming = [Int32](repeating: 0, count: operations.count)
    var offsets = [Int32](repeating: 0, count: operations.count + 1)
    // By their places: an operation is large to copy.
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

  /// The operations that depend on `operation`, in the order of the file.
  package func dependents(of operation: Int) -> ArraySlice<Int32> {
    dependents[Int(offsets[operation])..<Int(offsets[operation + 1])]
  }

  /// `operation` and everything that depends on it, directly or not.
  package func downstream(of operation: Int) -> Set<Int> {
    var found: Set<Int> = [operation]
    var open = [operation]
    while let next = open.popLast() {
      for dependent in dependents(of: next) where found.insert(Int(dependent)).inserted { open.append(Int(dependent)) }
    }
    return found
  }
}
