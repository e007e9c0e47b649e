import RunHistory
import Testing

@testable import Server

@Suite("The times when pipelines were not served")
struct PipelineAbsencesTests {
  private func at(_ second: Int64) -> RecordTime {
    RecordTime(microseconds: 1_800_000_000_000_000 + second * 1_000_000)
  }

  private func reasons(_ absence: PipelineAbsence, _ seconds: [Int64]) -> [Occasion.Reason?] {
    seconds.map { absence.reason(at: at($0)) }
  }

  private func host(from start: Int64, to end: Int64?) -> HostRecord {
    var host = HostRecord(host: "h", user: "u", version: "1", startedAt: at(start), configuration: "{}")
    host.endedAt = end.map(at)
    host.state = end == nil ? .died : .stopped
    return host
  }

  @Test("a pipeline that is served from the beginning was never absent")
  func atWork() {
    var absences = PipelineAbsences(since: at(0))
    let absence = absences.end("one", at: at(0))
    #expect(absence.parts.isEmpty)
    #expect(reasons(absence, [-1, 0, 1]) == [nil, nil, nil])
  }

  @Test("each period lasts until the next one, and the last one until the pipeline is served")
  func parts() {
    var absences = PipelineAbsences(since: at(0))
    absences.note(.invalidDefinition, of: "one", at: at(1))
    absences.endLook()
    #expect(absences.invalid("one") == at(0))
    absences.note(.invalidDefinition, of: "one", at: at(5))
    absences.note(.notServed, of: "one", at: at(10))
    #expect(absences.invalid("one") == nil)
    absences.note(.invalidDefinition, of: "one", at: at(20))
    #expect(absences.invalid("one") == at(20))
    let absence = absences.end("one", at: at(30))
    #expect(
      reasons(absence, [-1, 0, 9, 10, 20, 29, 30])
        == [nil, .invalidDefinition, .invalidDefinition, .notServed, .invalidDefinition, .invalidDefinition, nil])
    #expect(absences.invalid("one") == nil)
  }

  @Test("a pipeline that is added later was not served before")
  func added() {
    var absences = PipelineAbsences(since: at(0))
    absences.endLook()
    #expect(reasons(absences.end("one", at: at(9)), [-1, 0, 8, 9]) == [nil, .notServed, .notServed, nil])
  }

  @Test("a pipeline that earlier hosts could not load was invalid while they were running")
  func formerHosts() {
    var pipeline = PublishedPipeline(name: "one", path: "/one.yaml", loadedAt: at(-90))
    pipeline.isLoaded = false
    let hosts = [
      host(from: -40, to: nil), host(from: -60, to: -50), host(from: -100, to: -80), host(from: -200, to: -150),
    ]
    var absences = PipelineAbsences(since: at(0))
    absences.takeOver([pipeline], of: hosts)
    absences.note(.invalidDefinition, of: "one", at: at(0))
    absences.endLook()
    #expect(absences.invalid("one") == at(-90))
    let absence = absences.end("one", at: at(10))
    // Of a host that was killed nobody knows how long it was there.
    #expect(
      reasons(absence, [-91, -90, -81, -80, -60, -50, -30, 0, 9])
        == [
          nil, .invalidDefinition, .invalidDefinition, nil, .invalidDefinition, nil, nil, .invalidDefinition,
          .invalidDefinition,
        ])
  }

  @Test("the latest periods are kept for a file that comes and goes endlessly")
  func bound() {
    var absences = PipelineAbsences(since: at(0))
    absences.endLook()
    for second in 0..<1000 {
      absences.note(second % 2 == 0 ? .notServed : .invalidDefinition, of: "one", at: at(Int64(second)))
    }
    let absence = absences.end("one", at: at(1000))
    #expect(absence.parts.count == 100)
    #expect(reasons(absence, [899, 900, 999]) == [nil, .notServed, .invalidDefinition])
  }
}
