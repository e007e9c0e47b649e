import Testing
import Values

import enum Operations.InjectionDecisionKind

@testable import PipelineEngine
@testable import RunHistory

/// Each reason with what the history contains for it. Text from outside is `SECRET`, the engine's own is `own`.
struct ReasonSample: Sendable, CustomTestStringConvertible {
  var reason: OperationReason
  var state: OperationState
  var code: String?
  var detail: String?

  init(_ state: OperationState, _ reason: OperationReason, _ code: String?, _ detail: String?) {
    (self.state, self.reason, self.code, self.detail) = (state, reason, code, detail)
  }

  var testDescription: String { "\(state) \(code ?? "-") \(detail ?? "-")" }

  private static let time = RecordTime(microseconds: 1_800_000_000_250_000)
  private static let clock = OperationReason.Clock(boot: "own", began: 1, due: 2)
  private static let run = RunID("03kx9fab0001") ?? .generate()
  private static let specification = OperationReason.Specification(
    formula: "own", why: "SECRET", since: time, due: time, clock: clock)

  static let all = waiting + former + elsewhere + ended + unknown

  private static let waiting: [ReasonSample] = [
    ReasonSample(.waiting, .concurrency, "concurrency", nil),
    ReasonSample(.waiting, .place, "place", nil),
    ReasonSample(.waiting, .resources(["own", "more"]), "resources", #"{"resources":["own","more"]}"#),
    ReasonSample(
      .waiting, .exclusive(OperationReason.Exclusive(name: "SECRET", holder: "SECRET", process: 7)), "exclusive",
      #"{"exclusive":"SECRET","holder":"SECRET","process":7}"#),
    ReasonSample(
      .waiting, .time(OperationReason.Time(due: time, clock: clock)), "wait",
      #"{"due":"2027-01-15T08:00:00.250Z","clock":{"boot":"own","began_us":1,"due_us":2}}"#),
    ReasonSample(
      .waiting, .specification(specification), "wait",
      #"{"formula":"own","why":"SECRET","since":"2027-01-15T08:00:00.250Z","due":"2027-01-15T08:00:00.250Z","clock":{"boot":"own","began_us":1,"due_us":2}}"#
    ),
    ReasonSample(
      .waiting, .gate(OperationReason.Specification(formula: "own", why: "SECRET", since: time)), "run_when",
      #"{"formula":"own","why":"SECRET","since":"2027-01-15T08:00:00.250Z"}"#),
    ReasonSample(
      .skipped, .gate(OperationReason.Specification(formula: "own", why: "SECRET")), "run_when",
      #"{"formula":"own","why":"SECRET"}"#),
    ReasonSample(
      .waiting, .approval(OperationReason.Question(message: "SECRET", command: "own", clock: clock)), "approval",
      #"{"message":"SECRET","command":"own","clock":{"boot":"own","began_us":1,"due_us":2}}"#),
    ReasonSample(
      .retrying,
      .retry(
        OperationReason.Retry(
          attempt: 1, due: time, delay: 400, last: 4,
          early: [.specification("own", value: false, why: "SECRET"), .event("own", "SECRET")], clock: clock)),
      "retry",
      #"{"attempt":1,"due":"2027-01-15T08:00:00.250Z","delay_ms":400,"of":4,"early":[{"formula":"own","value":false,"why":"SECRET"},{"formula":"own","event":"SECRET"}],"clock":{"boot":"own","began_us":1,"due_us":2}}"#
    ),
  ]

  private static let former: [ReasonSample] = [
    ReasonSample(
      .pending, .former(.specification(specification)), nil,
      #"{"formula":"own","why":"SECRET","since":"2027-01-15T08:00:00.250Z","due":"2027-01-15T08:00:00.250Z","clock":{"boot":"own","began_us":1,"due_us":2}}"#
    ),
    ReasonSample(
      .pending, .former(.retry(OperationReason.Retry(attempt: 1, delay: 400))), nil, #"{"attempt":1,"delay_ms":400}"#),
    ReasonSample(
      .pending, .former(.approval(OperationReason.Question(message: "SECRET"))), nil, #"{"message":"SECRET"}"#),
    ReasonSample(
      .pending, .former(.time(OperationReason.Time(due: time))), nil, #"{"due":"2027-01-15T08:00:00.250Z"}"#),
    ReasonSample(
      .pending, .former(.exclusive(OperationReason.Exclusive(name: "SECRET"))), nil, #"{"exclusive":"SECRET"}"#),
    ReasonSample(.pending, .former(.resources(["own"])), nil, #"{"resources":["own"]}"#),
    ReasonSample(.running, .items(3), nil, #"{"items":3}"#),
    ReasonSample(.running, .nestedRun(run), nil, #"{"run":"03kx9fab0001"}"#),
  ]

  private static var elsewhere: [ReasonSample] {
    var wait = OperationReason.ExecutorWait(executor: "own")
    (wait.job, wait.state, wait.word, wait.why) = ("4711_17", "PENDING", "Resources", "SECRET")
    (wait.partition, wait.demand, wait.start, wait.since) = ("main", "8 CPUs", time, time)
    var silent = OperationReason.ExecutorWait(executor: "own", phase: .running)
    silent.silentSince = time
    return [
      ReasonSample(
        .running, .executor(wait), "executor",
        #"{"executor":"own","phase":"waiting","job":"4711_17","job_state":"PENDING","job_reason":"Resources","why":"SECRET","partition":"main","demand":"8 CPUs","job_start":"2027-01-15T08:00:00.250Z","since":"2027-01-15T08:00:00.250Z"}"#
      ),
      ReasonSample(
        .running, .executor(silent), "executor",
        #"{"executor":"own","phase":"running","silent_since":"2027-01-15T08:00:00.250Z"}"#),
    ]
  }

  private static let ended: [ReasonSample] = [
    ReasonSample(.skipped, .condition("own"), "condition", #"{"when":"own"}"#),
    ReasonSample(.skipped, .dependencies(.skipped, ["own"]), "dependency-skipped", #"{"dependencies":["own"]}"#),
    ReasonSample(.cancelled, .dependencies(.failed, ["own"]), "dependency-failed", #"{"dependencies":["own"]}"#),
    ReasonSample(
      .cancelled, .dependencies(.cancelled, ["own", "b"]), "dependency-cancelled", #"{"dependencies":["own","b"]}"#),
    ReasonSample(
      .cancelled, .dependencies(.withoutResult, ["own"]), "requirement-not-satisfied", #"{"dependencies":["own"]}"#),
    ReasonSample(.skipped, .notSelected, "not-selected", nil),
    ReasonSample(.cancelled, .runCancelled, "run-cancelled", nil),
    ReasonSample(.cancelled, .runTimeout, "run-timeout", nil),
    ReasonSample(.cancelled, .runNotStarted, "run-not-started", nil),
    ReasonSample(.cancelled, .itemsFailed(3, of: "own"), "items-failed", #"{"failed_items":3,"loop":"own"}"#),
    ReasonSample(.reused, .fresh(from: run), "fresh", #"{"from":"03kx9fab0001"}"#),
    ReasonSample(.reused, .takenOver(from: run), "taken-over", #"{"from":"03kx9fab0001"}"#),
    ReasonSample(.failed, .failed(code: "exit"), "exit", nil),
    ReasonSample(
      .failed, .failed(code: "exit", notRetried: .notListed), "exit",
      #"{"no_retry":"its failure is not listed under 'on'"}"#),
    ReasonSample(
      .failed, .failed(code: "exit", notRetried: .deadline("5s")), "exit",
      #"{"no_retry":"there was no time for another attempt within the deadline of 5s"}"#),
    ReasonSample(
      .failed, .failed(code: "exit", notRetried: .deadline(nil)), "exit",
      #"{"no_retry":"there was no time for another attempt within the deadline"}"#),
    ReasonSample(
      .failed, .failed(code: "http-status", notRetried: .stopped("SECRET")), "http-status", #"{"no_retry":"SECRET"}"#),
    ReasonSample(.running, .failed(code: nil, notRetried: .stopped("SECRET")), nil, #"{"no_retry":"SECRET"}"#),
  ]

  /// What a later version may write.
  private static let unknown: [ReasonSample] = [
    ReasonSample(
      .waiting, .other(code: "moon-phase", detail: ["phase": "SECRET", "deep": [["x": "SECRET"]], "days": 3]),
      "moon-phase", #"{"phase":"SECRET","deep":[{"x":"SECRET"}],"days":3}"#),
    ReasonSample(.skipped, .other(code: "moon-phase", detail: nil), "moon-phase", nil),
    ReasonSample(.running, .other(code: nil, detail: ["phase": "SECRET"]), nil, #"{"phase":"SECRET"}"#),
  ]
}

@Suite("Reasons of operations in the history")
struct OperationReasonTests {
  private static let gate = OpenedGate(
    formula: "own", since: RecordTime(microseconds: 1_800_000_000_250_000),
    openedAt: RecordTime(microseconds: 1_800_000_001_250_000), openedBy: "SECRET")
  private static let gateText =
    #""gate":{"formula":"own","since":"2027-01-15T08:00:00.250Z","opened_at":"2027-01-15T08:00:01.250Z","opened_by":"SECRET"}"#

  private static func withGate(_ detail: String?) -> String {
    "{" + (detail.map { String($0.dropFirst().dropLast()) + "," } ?? "") + gateText + "}"
  }

  private func record(_ state: OperationState, _ code: String?, _ detail: String?) -> OperationRecord {
    OperationRecord(
      run: .generate(), ordinal: 0, name: "a", position: 0, state: state, reason: code, detail: detail)
  }

  @Test("are written with the code and the details that people query", arguments: ReasonSample.all)
  func written(_ sample: ReasonSample) {
    #expect(sample.reason.code == sample.code)
    #expect(OperationReason.detail(sample.reason)?.text == sample.detail)
  }

  @Test("are read as they were written", arguments: ReasonSample.all)
  func read(_ sample: ReasonSample) {
    #expect(record(sample.state, sample.code, sample.detail).operationReason == sample.reason)
  }

  @Test("are stored beside the gate that let the operation begin", arguments: ReasonSample.all)
  func gates(_ sample: ReasonSample) {
    let detail = OperationReason.detail(sample.reason, gate: Self.gate)?.text
    #expect(detail == Self.withGate(sample.detail))
    let record = record(sample.state, sample.code, detail)
    #expect(record.openedGate == Self.gate)
    #expect(record.operationReason == sample.reason)
  }

  @Test(
    "are stored beside the reason why a retry executed the operation, which is not part of them",
    arguments: ReasonSample.all)
  func again(_ sample: ReasonSample) {
    let again = "'a' has changed"
    let detail = OperationReason.detail(sample.reason, again: again) { _ in "***" }?.text
    let record = record(sample.state, sample.code, OperationReason.detail(sample.reason, again: again)?.text)
    #expect(detail?.contains("\"again\":\"'a' has changed\"") == true)
    #expect(record.causeOfRetry == again)
    #expect(record.operationReason == sample.reason)
    #expect(self.record(sample.state, sample.code, sample.detail).causeOfRetry == nil)
  }

  @Test("are absent if there is only the reason why a retry executed the operation")
  func againAlone() {
    let record = record(.succeeded, nil, OperationReason.detail(nil, again: "it had failed")?.text)
    #expect(record.detail == #"{"again":"it had failed"}"#)
    #expect(record.operationReason == nil)
  }

  @Test("are masked in text from outside, and nowhere else", arguments: ReasonSample.all)
  func masked(_ sample: ReasonSample) {
    // With parts of the engine's own words, names, times and numbers, any of which may happen to be a secret.
    let masker = SecretMasker(["SECRET"])
    let short = SecretMasker(["o", "e", "1", "2", "T", "SECRET"])
    let expected = Self.withGate(sample.detail).replacing("SECRET", with: "***")
    for masker in [masker, short] {
      let detail = OperationReason.detail(sample.reason, gate: Self.gate) { masker.mask($0) }?.text
      #expect(detail == expected)
    }
  }

  @Test(
    "parsed from forged details are what remains of them",
    arguments: [
      "7", "", "[]", #"{"early":7,"clock":7,"due":7,"attempt":"x"}"#, #"{"dependencies":7,"resources":{},"formula":7}"#,
      #"{"early":[7,{}],"gate":7}"#, #"{"again":7}"#, #"{"gate":{"formula":7}}"#,
    ])
  func hostile(_ detail: String) {
    let codes = [
      nil, "retry", "wait", "run_when", "exclusive", "resources", "approval", "condition", "fresh", "dependency-failed",
      "items-failed", "else",
    ]
    for state in OperationState.allCases {
      for code in codes {
        let record = record(state, code, detail)
        #expect(record.openedGate == nil)
        guard let reason = record.operationReason else {
          #expect(code == nil)
          continue
        }
        #expect(reason.code == code)
        _ = OperationReason.detail(reason)
      }
    }
  }

  @Test("have the codes of the table of outcomes", arguments: InjectionDecisionKind.allCases)
  func dependencies(_ decision: InjectionDecisionKind) {
    let reason = OperationReason.Dependency(decision)
    #expect(reason.rawValue == decision.cancellationCode ?? "dependency-skipped")
  }
}
