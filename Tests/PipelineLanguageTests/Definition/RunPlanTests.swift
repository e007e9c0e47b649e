import Testing

@testable import PipelineLanguage

@Suite("The plan of a run") struct RunPlanTests {
  private func plan(_ dependencies: [[Int]]) -> RunPlan {
    RunPlan(
      dependencies.enumerated().map { index, dependencies in
        var operation = OperationDefinition(
          name: "o\(index)", index: index, action: .run(script: ""), range: .beginning)
        operation.dependencies = dependencies
        return operation
      })
  }

  @Test("counts each operation's dependencies, and knows its dependents") func counts() {
    let plan = plan([[], [0], [0], [1, 2]])
    #expect(plan.incoming == [0, 1, 1, 2])
    #expect(Array(plan.dependents(of: 0)) == [1, 2])
    #expect(Array(plan.dependents(of: 1)) == [3])
    #expect(plan.dependents(of: 3).isEmpty)
  }

  @Test("finds everything downstream of an operation, including the operation") func downstream() {
    let plan = plan([[], [0], [], [1, 2], [3]])
    #expect(plan.downstream(of: 1) == [1, 3, 4])
    #expect(plan.downstream(of: 4) == [4])
  }

  @Test("visits each operation once, whatever the number of starting points", arguments: [false, true])
  func visits(reversed: Bool) {
    let plan = plan((0..<100).map { $0 == 0 ? [] : [$0 - 1] })
    var (visited, order): (Set<Int>, [Int]) = ([], [])
    for operation in reversed ? Array((0..<100).reversed()) : Array(0..<100) {
      plan.visit(downstreamOf: operation, notIn: &visited) { order.append($0) }
    }
    #expect(order == (reversed ? Array((0..<100).reversed()) : Array(0..<100)))
    #expect(visited == Set(0..<100))
  }
}
