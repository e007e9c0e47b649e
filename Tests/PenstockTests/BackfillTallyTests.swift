import RunHistory
import Testing

@testable import penstock

@Suite("What a backfill has come to")
struct BackfillTallyTests {
  private func run(_ state: RunState) -> RunRecord {
    RunRecord(
      id: .generate(), pipeline: "p", definitionHash: "", path: nil, host: "", user: "", version: "", state: state)
  }

  @Test("It succeeds when every instant has a run that did")
  func success() {
    var tally = BackfillTally(of: 3)
    tally.before = 1
    tally.add(run(.succeeded), isInterrupted: false, stopsOnFailure: true)
    #expect(tally.goesOn && tally.status == .failed)
    tally.add(run(.succeeded), isInterrupted: false, stopsOnFailure: true)
    #expect(tally.status == .succeeded)
    #expect(tally.text == "3 instants: 2 succeeded, 1 had succeeded before")
  }

  @Test("It goes on after a failure unless it is told to stop, and stops for a signal")
  func failures() {
    var tally = BackfillTally(of: 4)
    tally.add(run(.failed), isInterrupted: false, stopsOnFailure: false)
    #expect(tally.goesOn && tally.status == .failed)
    tally.elsewhere = 1
    tally.add(run(.failed), isInterrupted: false, stopsOnFailure: true)
    #expect(!tally.goesOn)
    #expect(
      tally.text
        == "4 instants: 0 succeeded, 2 did not succeed, 1 goes on elsewhere, 1 left; the same command runs what has not succeeded"
    )
    var cancelled = BackfillTally(of: 2)
    cancelled.add(run(.cancelled), isInterrupted: true, stopsOnFailure: false)
    #expect(!cancelled.goesOn && cancelled.status == .cancelled)
  }
}
