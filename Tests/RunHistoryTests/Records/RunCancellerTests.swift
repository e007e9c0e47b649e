import Testing

@testable import RunHistory

@Suite("The canceller of a run") struct RunCancellerTests {
  private static let run = RunID.generate()

  @Test(
    "is described in words",
    arguments: [
      (RunCanceller(who: "ada", means: .terminal), "cancelled by ada with Ctrl-C"),
      (RunCanceller(who: "ada", means: .command), "cancelled by ada with 'penstock cancel'"),
      (RunCanceller(who: "ada", means: .kill), "cancelled by ada with 'penstock cancel --kill'"),
      (RunCanceller(means: .terminal), "cancelled with Ctrl-C"),
      (RunCanceller(who: run.text, means: .overlap), "replaced by run \(run.short)"),
      (RunCanceller(means: .overlap), "replaced by another run"),
      (RunCanceller(who: run.text, means: .parent), "cancelled by its parent run \(run.short)"),
      (RunCanceller(means: .timeout), "cancelled by its timeout"),
      (RunCanceller(means: .condition), "cancelled because its 'rerun_on_change' turned false"),
      (RunCanceller(means: .signal("SIGTERM")), "cancelled by the signal SIGTERM"),
      (RunCanceller(who: "no id", means: .overlap), "replaced by run no id"),
    ])
  func words(_ canceller: RunCanceller, words: String) {
    #expect(canceller.words == words)
  }

  @Test("is unknown in records of older versions, and unknown means of a later version are kept as they are")
  func reading() {
    #expect(RunCanceller(who: nil, means: nil) == nil)
    #expect(RunCanceller(who: "ada", means: nil) == nil)
    #expect(RunCanceller(who: nil, means: "web")?.means.rawValue == "web")
  }
}
