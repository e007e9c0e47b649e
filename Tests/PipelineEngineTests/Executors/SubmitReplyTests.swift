import Testing

@testable import PipelineEngine

@Suite("The answers of sbatch")
struct SubmitReplyTests {
  private func reply(_ code: Int32?, _ output: String, _ errors: String = "") -> SubmitReply {
    SubmitReply(SlurmClients.Reply(code: code, output: output, errors: errors))
  }

  @Test("a number is accepted, also one of a federation", arguments: ["4711\n", "4711;cluster\n"])
  func accepted(output: String) {
    #expect(reply(0, output) == .accepted(4711))
    #expect(reply(0, "") == .open("it printed no job id"))
  }

  @Test("a controller that did not answer may have accepted the job")
  func open() {
    let words = "Batch job submission failed: Socket timed out on send/recv operation"
    #expect(reply(1, "", "sbatch: error: \(words)\n") == .open(words))
    #expect(reply(nil, "") == .open("it printed no reason"))
  }

  @Test(
    "a full queue passes",
    arguments: [
      "Slurm temporarily unable to accept job, sleeping and retrying", "Slurm job queue full, sleeping and retrying",
    ])
  func full(words: String) {
    #expect(reply(nil, "", "sbatch: error: \(words)\n") == .full(words))
    let limit =
      "Batch job submission failed: Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)"
    #expect(reply(1, "", "sbatch: error: \(limit)\n") == .full(limit))
  }

  @Test("anything else is refused with Slurm's own line")
  func refused() {
    let words = "invalid partition specified: nowhere"
    #expect(reply(1, "", "sbatch: error: \(words)\n") == .refused(words))
  }
}
