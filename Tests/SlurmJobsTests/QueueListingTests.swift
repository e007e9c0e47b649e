import Testing

@testable import SlurmJobs

@Suite("Answers of squeue")
struct QueueListingTests {
  private static let header = "JOBID|NAME|STATE|REASON|START_TIME|SUBMIT_TIME|NODELIST|PARTITION\n"

  private func state(_ lines: String, index: Int, job: Int64? = 13) -> SlurmState? {
    QueueListing(text: Self.header + lines)?.entry(batch: "t", job: job, index: index)?.state
  }

  @Test("an element is found by the array, the token and its index")
  func element() {
    let lines =
      "13_0|t|RUNNING|None|1700000000|1700000000|n1|main\n13_1|t|COMPLETED|None|1700000000|1700000000|n1|main\n"
    #expect(state(lines, index: 0) == .running)
    #expect(state(lines, index: 1) == .ended(.completed))
    #expect(state(lines, index: 2) == nil)
    #expect(state(lines, index: 0, job: 14) == nil)
    #expect(state(lines, index: 0, job: nil) == .running)
  }

  @Test("the waiting elements of an array are one line")
  func waiting() {
    let lines =
      "13_[2-5,9%5]|t|PENDING|Resources|N/A|1700000000||main\n13_0|t|RUNNING|None|1700000000|1700000000|n1|main\n"
    #expect(state(lines, index: 3) == .waiting)
    #expect(state(lines, index: 9) == .waiting)
    #expect(state(lines, index: 6) == nil)
    #expect(state(lines, index: 0) == .running)
  }

  @Test("a line without an index stands for all that are not listed singly")
  func withoutIndex() {
    let lines = "13|t|CANCELLED|None|N/A|1700000000||main\n13_0|t|COMPLETED|None|1700000000|1700000000|n1|main\n"
    #expect(state(lines, index: 7) == .ended(.cancelled))
    #expect(state(lines, index: 0) == .ended(.completed))
  }

  @Test("a list that Slurm has cut stands for all that are not listed singly")
  func cut() {
    #expect(state("13_[0-3,7,...]|t|PENDING|None|N/A|1700000000||main\n", index: 500) == .waiting)
  }

  @Test(
    "a name with a bar is skipped",
    arguments: ["13_0|a|b|RUNNING|None|1|1|n1|main\n", "13_0|x|RUNNING|None|1|1|n|1|main\n"])
  func strangeName(line: String) {
    #expect(state(line + "13_1|t|RUNNING|None|1|1|n1|main\n", index: 1) == .running)
  }

  @Test(
    "a warning, a missing column or nothing is no answer",
    arguments: ["", "slurm_load_jobs: warning\n", header + "13_0|t|RUNNING\n", "JOBID|NAME|ST\n"])
  func noAnswer(text: String) {
    #expect(QueueListing(text: text) == nil)
  }

  @Test("an empty queue is an answer")
  func empty() throws {
    let listing = try #require(QueueListing(text: Self.header))
    #expect(listing.entry(batch: "t", job: nil, index: 0) == nil)
  }
}
