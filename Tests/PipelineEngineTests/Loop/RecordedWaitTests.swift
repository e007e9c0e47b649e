import Operations
import Testing
import Values

@testable import PipelineEngine
@testable import RunHistory

@Suite("The remaining time of a recorded wait")
struct RecordedWaitTests {
  private static let began = RecordedWait.Moment(
    time: RecordTime(microseconds: 1_800_000_000_000_000), boot: "one", sinceBoot: 50_000_000)

  private static func later(_ wall: Int64, _ sinceBoot: Int64, boot: String = "one") -> RecordedWait.Moment {
    RecordedWait.Moment(
      time: began.time.advanced(by: wall * 1_000_000), boot: boot, sinceBoot: began.sinceBoot + sinceBoot * 1_000_000)
  }

  private static func wait() throws -> RecordedWait {
    let clock = try #require(RecordedWait.clock(began, left: .seconds(10), passed: .seconds(5)))
    let reason = OperationReason.time(OperationReason.Time(due: began.time.advanced(by: 10_000_000), clock: clock))
    return try #require(recorded(OperationReason.detail(reason)?.text ?? ""))
  }

  /// The wait of an operation whose host has ended, of which only the details are kept.
  private static func recorded(_ detail: String) -> RecordedWait? {
    RecordedWait(
      OperationRecord(run: .generate(), ordinal: 0, name: "a", position: 0, state: .pending, detail: detail)
        .operationReason)
  }

  @Test(
    "is the smaller of both clocks' values",
    arguments: [
      (later(4, 4), 6), (later(-3600, 4), 6), (later(3600, 4), 0), (later(20, 20), 0),
      // After another boot, or an error of both clocks, it is never more than the whole.
      (later(4, -40, boot: "two"), 6), (later(-3600, -40, boot: "two"), 10), (later(-3600, -40), 10),
      (later(4, 20, boot: ""), 6),
    ])
  func left(_ now: RecordedWait.Moment, _ seconds: Int) throws {
    #expect(try Self.wait().left(of: .seconds(10), at: now) == .seconds(seconds))
  }

  @Test(
    "counts the larger of both clocks' elapsed times",
    arguments: [
      (later(4, 4), 4, 9), (later(-3600, 4), -3600, 9), (later(3600, 4), 3600, 3600),
      (later(-9, 0, boot: "two"), -9, 0),
    ])
  func passed(_ now: RecordedWait.Moment, _ wall: Int, _ seconds: Int) throws {
    #expect(RecordedWait.passed(try Self.wait(), wall: .seconds(wall), at: now) == .seconds(seconds))
  }

  @Test("is read from records of earlier versions, and limited", arguments: [(-3600, 10), (4, 6)])
  func earlier(_ wall: Int, _ seconds: Int) throws {
    let due = Self.began.time.advanced(by: 10_000_000).text
    let wait = try #require(Self.recorded(#"{"due":"\#(due)"}"#))
    #expect(wait.left(of: .seconds(10), at: Self.later(Int64(wall), 0)) == .seconds(seconds))
  }

  @Test(
    "is of the kind that its details indicate",
    arguments: [
      (#"{"due":"2027-01-15T08:00:00Z"}"#, RecordedWait.Kind.time),
      (#"{"due":"2027-01-15T08:00:00Z","formula":"connected"}"#, .specification),
      (#"{"due":"2027-01-15T08:00:00Z","delay_ms":10,"attempt":1}"#, .retry),
      (#"{"message":"now?","clock":{"boot":"one","began_us":1}}"#, .approval),
    ])
  func kinds(_ detail: String, _ kind: RecordedWait.Kind) {
    #expect(Self.recorded(detail)?.kind == kind)
  }

  @Test(
    "survives forged details",
    arguments: [
      #"{"clock":7}"#, #"{"due":"soon"}"#, "7", "",
      #"{"clock":{"boot":"one","due_us":-9223372036854775808,"began_us":-9223372036854775808}}"#,
      #"{"clock":{"boot":"one","due_us":9223372036854775807,"began_us":9223372036854775807}}"#,
    ])
  func hostile(_ detail: String) {
    let wait = Self.recorded(detail)
    let left = wait?.left(of: .seconds(10), at: Self.began) ?? .zero
    #expect(left >= .zero && left <= .seconds(10))
    #expect(RecordedWait.passed(wait, wall: .zero, at: Self.began) >= .zero)
  }

  @Test("limits the delay before a retry to what was chosen", arguments: [(-3600, 0, 2), (1, 1, 1), (-3600, 1, 1)])
  func retry(_ wall: Int, _ sinceBoot: Int, _ seconds: Int) throws {
    let due = Self.began.time.advanced(by: 2_000_000)
    let clock = try #require(RecordedWait.clock(Self.began, left: .seconds(2)))
    let wait = RecordedWait(.retry(OperationReason.Retry(attempt: 1, due: due, delay: 2000, clock: clock)))
    var former = FormerAttempts()
    former.add(
      AttemptRecord(
        run: .generate(), ordinal: 0, number: 1, state: .failed, startedAt: Self.began.time, retryDelay: 2_000_000,
        retryDue: due))
    let state = former.retryState(
      attempts: 1, isRepeated: false, wait: wait, now: Self.later(Int64(wall), Int64(sinceBoot)))
    #expect(state?.remainingDelay == .seconds(seconds))
  }

  @Test("is unknown for an unknown boot")
  func unknownBoot() {
    #expect(RecordedWait.clock(Self.later(0, 0, boot: ""), left: .seconds(1)) == nil)
  }
}
