import Testing

@testable import PipelineEngine
@testable import RunHistory

@Suite("Nodes that failed")
struct FailedNodesTests {
  private let job = JobID(run: RunID(bits: 1), ordinal: 2, attempt: 1)

  @Test("the next attempts of the operation avoid the last eight")
  func avoided() {
    let nodes = FailedNodes()
    for number in [1, 2, 3, 1, 4, 5, 6, 7, 8, 9] { nodes.note("n\(number)", of: job) }
    let next = JobID(run: job.run, ordinal: 2, attempt: 2)
    #expect(nodes.avoided(by: next) == ["n3", "n1", "n4", "n5", "n6", "n7", "n8", "n9"])
    #expect(nodes.avoided(by: JobID(run: job.run, ordinal: 3, attempt: 2)).isEmpty)
    nodes.forget(job.run)
    #expect(nodes.avoided(by: next).isEmpty)
  }

  @Test("a list of nodes, or none, is not a node", arguments: ["", "n[1-2]", "n1,n2", "(null)"])
  func list(text: String) {
    let nodes = FailedNodes()
    nodes.note(text, of: job)
    #expect(nodes.avoided(by: job).isEmpty)
  }
}
