import Testing

@testable import SlurmJobs

@Suite("What becomes of an attempt")
struct SlurmVerdictTests {
  private func verdict(_ end: SlurmEnd, log: String = "", reason: String = "None") -> SlurmVerdict {
    let entry = QueueEntry(
      job: 13, indices: nil, name: "t", state: .ended(end), stateName: end.rawValue, reason: reason, start: nil,
      submitted: nil, nodes: "n1",
      partition: "main")
    return SlurmVerdict(withoutRecord: end, entry, log: log)
  }

  @Test("without an end record, Slurm's state decides")
  func withoutRecord() {
    #expect(verdict(.completed) == .lost("Slurm job 13 ended as COMPLETED, without an end record"))
    #expect(verdict(.failed, log: "no such file\n") == .lost("Slurm job 13 ended as FAILED: no such file"))
    #expect(
      verdict(.failed, log: "Exceeded job memory limit")
        == .lost("Slurm job 13 ended as FAILED: Exceeded job memory limit"))
    #expect(
      verdict(.failed, log: "Job 13 exceeded memory limit (9 > 4)")
        == .outOfMemory("Slurm job 13 ended as FAILED: Job 13 exceeded memory limit (9 > 4)"))
    #expect(verdict(.failed, reason: "RaisedSignal:9(Killed)") == .signal(9))
    #expect(verdict(.failed, log: "exceeded memory limit", reason: "RaisedSignal:9(Killed)") != .signal(9))
    #expect(verdict(.failed, reason: "JobLaunchFailure") == .signal(9))
    #expect(verdict(.failed, reason: "NonZeroExitCode") == .lost("Slurm job 13 ended as FAILED"))
    #expect(verdict(.outOfMemory) == .outOfMemory("Slurm job 13 ended as OUT_OF_MEMORY"))
    #expect(verdict(.timeLimit) == .timeLimit("Slurm job 13 ended as TIMEOUT"))
    #expect(verdict(.deadline) == .deadline("Slurm job 13 ended as DEADLINE"))
    #expect(verdict(.cancelled) == .cancelledOutside("Slurm job 13 ended as CANCELLED"))
    #expect(verdict(.preempted) == .preempted("Slurm job 13 ended as PREEMPTED"))
    #expect(verdict(.nodeFailed) == .nodeFailed("node n1: Slurm job 13 ended as NODE_FAIL"))
    for end in [SlurmEnd.bootFailed, .launchFailed, .reconfigurationFailed] {
      #expect(verdict(end) == .notBegun("Slurm job 13 ended as \(end.rawValue)"))
    }
  }

  @Test("with an end record, a success stays one whatever Slurm says", arguments: SlurmEnd.allCases)
  func success(end: SlurmEnd) {
    #expect(SlurmVerdict(withRecord: end, job: 13, succeeded: true) == .recorded)
  }

  @Test("with an end record, Slurm explains a failure")
  func failure() {
    #expect(
      SlurmVerdict(withRecord: .timeLimit, job: 13, succeeded: false) == .timeLimit("Slurm job 13 ended as TIMEOUT"))
    #expect(
      SlurmVerdict(withRecord: .cancelled, job: 13, succeeded: false)
        == .cancelledOutside("Slurm job 13 ended as CANCELLED"))
    #expect(SlurmVerdict(withRecord: .failed, job: 13, succeeded: false) == .recorded)
    #expect(SlurmVerdict(withRecord: nil, job: 13, succeeded: false) == .recorded)
  }

  @Test(
    "each name of Slurm has its meaning",
    arguments: [
      ("PENDING", SlurmState.waiting), ("REQUEUED", .waiting), ("REQUEUE_FED", .waiting), ("POWER_UP_NODE", .waiting),
      ("EXPEDITING", .waiting), ("CONFIGURING", .configuring), ("RUNNING", .running), ("COMPLETING", .running),
      ("SIGNALING", .running), ("STAGE_OUT", .running), ("RESIZING", .running), ("UPDATE_DB", .running),
      ("SUSPENDED", .suspended), ("STOPPED", .suspended), ("REQUEUE_HOLD", .held), ("SPECIAL_EXIT", .held),
      ("RESV_DEL_HOLD", .held), ("REVOKED", .revoked), ("NODE_FAIL", .ended(.nodeFailed)), ("NEWER", .unknown("NEWER")),
    ])
  func state(name: String, state: SlurmState) {
    #expect(SlurmState(name: name) == state)
  }
}
