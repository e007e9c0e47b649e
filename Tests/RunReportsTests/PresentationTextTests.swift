import Testing

@testable import PipelineLanguage
@testable import RunHistory
@testable import RunReports

@Suite("Texts for display")
struct PresentationTextTests {
  @Test(
    "durations have only significant digits",
    arguments: [
      (0, "0ms"), (400, "0ms"), (27_600, "28ms"), (99_499, "99ms"), (99_500, "0.1s"), (1_249_000, "1.2s"),
      (9_949_999, "9.9s"), (9_950_000, "10s"), (59_600_000, "1m00s"), (192_000_000, "3m12s"), (7_500_000_000, "2h05m"),
      (273_600_000_000, "3d4h"), (-5, "0ms"),
    ])
  func durations(microseconds: Int64, text: String) {
    #expect(DurationText.format(microseconds: microseconds) == text)
  }

  @Test(
    "text is truncated by columns, not by characters",
    arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("日本語", 4, "日…"), ("日本", 4, "日本"), ("ab", 0, "")])
  func fitted(text: String, width: Int, shown: String) {
    #expect(TerminalText.fitted(text, width: width) == shown)
  }

  @Test("one-line text has no line breaks or control characters")
  func oneLine() {
    #expect(TerminalText.oneLine("  a\n\tb\u{1B}[2J  c ") == "a b\\x1b[2J c")
  }

  private let run = RunID("03kx9fab0001") ?? .generate()

  @Test(
    "an item ended by others was cancelled, or not run if it had not begun",
    arguments: [
      (0, 3, "not run", "3 items of 'convert' failed"), (0, 1, "not run", "1 item of 'convert' failed"),
      (2, 3, "cancelled", "3 items of 'convert' failed"),
    ])
  func endedItems(attempts: Int, failures: Int64, word: String, text: String) {
    let reason = OperationReason.itemsFailed(failures, of: "convert")
    let record = OperationRecord(
      run: run, ordinal: 1, name: "convert[1]", position: 0, parent: 0, state: .cancelled, reason: reason.code,
      detail: OperationReason.detail(reason)?.text, attempts: attempts)
    #expect(StateReason.word(of: record) == word)
    #expect(StateReason.text(of: record, now: nil) == text)
  }

  @Test("reasons are described in words")
  func reasons() {
    func text(_ state: OperationState, _ reason: String?, _ detail: String? = nil, error: String? = nil) -> String {
      let record = OperationRecord(
        run: run, ordinal: 0, name: "a", position: 0, state: state, reason: reason, detail: detail,
        error: error.map { RecordedError(code: "exit", message: $0) }, attempts: 1)
      return StateReason.text(of: record, now: nil)
    }
    #expect(text(.skipped, "condition", "{\"when\":\"params.x\"}") == "params.x is false")
    #expect(text(.skipped, "dependency-skipped", "{\"dependencies\":[\"b\"]}") == "'b' was skipped")
    #expect(
      text(.waiting, "exclusive", "{\"exclusive\":\"disk\",\"holder\":\"run x\",\"process\":7}")
        == "for 'disk', held by run x (process 7)")
    #expect(text(.waiting, "concurrency") == "for a free slot")
    #expect(
      text(.retrying, "retry", "{\"attempt\":1,\"of\":4,\"delay_ms\":400}", error: "exited with code 7")
        == "retry in 0.4s (attempt 2 of 4): exited with code 7")
    #expect(text(.cancelled, "run-cancelled", error: "the run was cancelled") == "with the run")
    #expect(text(.cancelled, "dependency-failed", error: "'b' failed: no") == "'b' failed: no")
    #expect(text(.succeeded, nil) == "")
  }

  @Test("a time that is awaited has a date if it is a day away or more")
  func moments() {
    let began = RecordTime(microseconds: 1_800_000_000_000_000)
    func text(_ reason: String, after seconds: Int64, now: RecordTime?) -> String {
      let due = began.advanced(by: seconds * 1_000_000)
      var record = OperationRecord(
        run: run, ordinal: 0, name: "a", position: 0, state: .waiting, reason: reason,
        detail: "{\"due\":\"\(due.text)\",\"why\":\"b\"\(reason == "wait" ? "" : ",\"formula\":\"b\"")}", attempts: 1)
      record.waitingSince = began
      let text = StateReason.text(of: record, now: now)
      return text.replacing(ClockText.dateAndTime(due), with: "DATE")
        .replacing(ClockText.time(due), with: "TIME")
    }
    let day: Int64 = 86_400
    #expect(text("wait", after: day - 1, now: nil) == "until TIME")
    #expect(text("wait", after: day, now: nil) == "until DATE")
    #expect(text("wait", after: 30 * day, now: began) == "until DATE (in 30d0h)")
    #expect(text("wait", after: 30 * day, now: began.advanced(by: 29 * day * 1_000_000 + 1)) == "until TIME (in 1d0h)")
    #expect(text("run_when", after: 2 * day, now: nil) == "for b: b, until DATE at most")
    #expect(text("run_when", after: 60, now: nil) == "for b: b, until TIME at most")
  }

  @Test(
    "an age is relative to the present, and a time in the future is reported as such",
    arguments: [(-5, "5.0s ago"), (0, "0ms ago"), (2, "in the future"), (86_400, "in the future")])
  func ages(seconds: Int64, text: String) {
    let now = RecordTime(microseconds: 1_800_000_000_000_000)
    #expect(ClockText.ago(now.advanced(by: seconds * 1_000_000), now: now) == text)
    let length = ClockText.length(since: now.advanced(by: seconds * 1_000_000), now: now)
    let unknown = "an unknown time, because the clock was set back"
    #expect(length == (seconds > 0 ? unknown : text.replacing(" ago", with: "")))
    // The clock may have been read before the time that it is compared with.
    #expect(ClockText.ago(now.advanced(by: 1000), now: now) == "0ms ago")
  }
}
