import RunHistory
import Testing

@testable import penstock

@Suite("The tally of a backfill")
struct BackfillTallyTests {
  private let instant = RecordTime(microseconds: 1_790_000_000_000_000)

  private func run(_ state: RunState) -> RunRecord {
    RunRecord(
      id: .generate(), pipeline: "p $x", definitionHash: "", path: nil, host: "", user: "", version: "", state: state)
  }

  @Test("It succeeds if every instant has a successful run")
  func success() {
    var tally = BackfillTally(of: 3)
    tally.before = 1
    tally.add(run(.succeeded), for: instant, isInterrupted: false, stopsOnFailure: true)
    #expect(tally.goesOn && tally.status == .failed)
    tally.add(run(.succeeded), for: instant, isInterrupted: false, stopsOnFailure: true)
    #expect(tally.status == .succeeded)
    #expect(tally.text == "3 instants: 2 succeeded, 1 had succeeded before")
  }

  @Test("It continues after a failure unless told to stop, and stops on a signal")
  func failures() {
    var tally = BackfillTally(of: 4)
    tally.add(run(.failed), for: instant, isInterrupted: false, stopsOnFailure: false)
    #expect(tally.goesOn && tally.status == .failed)
    tally.elsewhere = 1
    tally.add(run(.failed), for: instant, isInterrupted: false, stopsOnFailure: true)
    #expect(!tally.goesOn)
    #expect(
      tally.text
        == "4 instants: 0 succeeded, 2 did not succeed, 1 goes on elsewhere, 1 left; the same command runs what has not succeeded"
    )
    var cancelled = BackfillTally(of: 2)
    cancelled.add(run(.cancelled), for: instant, isInterrupted: true, stopsOnFailure: false)
    #expect(!cancelled.goesOn && cancelled.status == .cancelled)
  }

  @Test("It names the first ten failed instants with the command that explains each, and the number of others")
  func failureLines() {
    var tally = BackfillTally(of: 13)
    #expect(tally.failureLines { $0.text } == [])
    for index in 0..<12 {
      tally.add(
        run(index == 3 ? .cancelled : .failed), for: instant.advanced(by: Int64(index) * 1_000_000),
        isInterrupted: false, stopsOnFailure: false)
    }
    let lines = tally.failureLines { $0.text }
    #expect(lines.count == 11)
    #expect(lines[0] == "  \(instant.text) failed: penstock explain \(tally.failures[0].run.id.short)")
    #expect(lines[3].contains(" cancelled: penstock explain "))
    #expect(lines[10] == "  … 2 more: penstock history list --pipeline 'p $x' --state cancelled,failed")
    #expect(tally.jsonValue["failures"]?.arrayValue?.count == 12)
    #expect(tally.jsonValue["failures"]?.arrayValue?[3]["state"] == "cancelled")
  }
}
