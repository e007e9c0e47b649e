import CAllocations
import Operations

/// What a run through a store of a client costs, where the operation does nothing: all that is added to the bare call.
enum RunFigure {
  /// Blocks of runs and of bare calls take turns, so that a machine that changes its speed changes it for both. They take
  /// about a millisecond, so that most are over before the scheduler comes between; the median is told.
  private static let blocks = 400
  private static let runs = 500

  static func measure() async throws -> Figures {
    let operation = Empty()
    // With what a client adds by default.
    let client = OperationClient()
    let store = client.store(for: operation)
    let context = store.context
    for _ in 0..<runs {
      try await call(operation, in: context)
      try await store.run()
    }

    var floor: [Duration] = []
    var subject: [Duration] = []
    for block in 0..<blocks {
      for turn in 0..<2 {
        let start = ContinuousClock.now
        if (block + turn).isMultiple(of: 2) {
          for _ in 0..<runs { try await call(operation, in: context) }
          floor.append(.now - start)
        } else {
          for _ in 0..<runs { try await store.run() }
          subject.append(.now - start)
        }
      }
    }

    guard store.valueUpdateCount == (blocks + 1) * runs else {
      throw StoresError("the operation ran \(store.valueUpdateCount) times")
    }
    try checkCounting()
    allocations_begin()
    for _ in 0..<runs { try await call(operation, in: context) }
    let floorAllocations = allocations_end()
    allocations_begin()
    for _ in 0..<runs { try await store.run() }
    let subjectAllocations = allocations_end()

    return Figures(values: [
      "floorSeconds": seconds(floor),
      "seconds": seconds(subject),
      "floorAllocations": Double(floorAllocations) / Double(runs),
      "allocations": Double(subjectAllocations) / Double(runs),
    ])
  }

  /// What one of a block took, in the median of the blocks.
  private static func seconds(_ times: [Duration]) -> Double {
    times.sorted()[times.count / 2] / .seconds(1) / Double(runs)
  }

  /// The bare call: what no engine can do without.
  @inline(never)
  private static func call(_ operation: Empty, in context: OperationContext) async throws {
    _ = try await operation.fetch(isolation: nil, in: context, with: OperationContinuation())
  }

  /// Throws unless allocations are counted: the counter has to have been linked in the place of the C library's functions.
  private static func checkCounting() throws {
    var kept: [Box] = []
    kept.reserveCapacity(100)
    allocations_begin()
    for number in 0..<100 { kept.append(Box(number)) }
    let count = allocations_end()
    guard count == 100, kept.count == 100 else { throw StoresError("\(count) allocations were counted instead of 100") }
  }

  private final class Box {
    let number: Int

    init(_ number: Int) {
      self.number = number
    }
  }
}

/// An operation that does nothing.
struct Empty: QueryRequest, Hashable {
  var id = 0

  @inline(never)
  func fetch(
    isolation: isolated (any Actor)?, in context: OperationContext,
    with continuation: OperationContinuation<Int, any Error>
  ) async throws -> Int { id }
}
