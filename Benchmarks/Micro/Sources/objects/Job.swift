import CObjectFloor
import Glibc
import Workspace

/// The record of the benchmark, as a program would declare it.
struct Job: Storable {
  enum State: String, ColumnValue, CaseIterable { case queued, running, failed, succeeded }

  var id: String
  var pipeline: String
  var step: String
  var state: State
  var attempt: Int
  var startedAt: Instant
  var endedAt: Instant?
  var exitCode: Int?
  var result: String

  static let id = Field("id", \Job.id)
  static let pipeline = Field("pipeline", \Job.pipeline)
  static let step = Field("step", \Job.step)
  static let state = Field("state", \Job.state)
  static let attempt = Field("attempt", \Job.attempt)
  static let startedAt = Field("started_at", \Job.startedAt)
  static let endedAt = Field("ended_at", \Job.endedAt)
  static let exitCode = Field("exit_code", \Job.exitCode)
  static let result = Field("result", \Job.result)
  static let schema = ObjectSchema(
    "job", Job.init, id, pipeline, step, state, attempt, startedAt, endedAt, exitCode, result, key: id,
    indexes: [.index(pipeline)])

  /// The record with a number: 100 pipelines take turns, a tenth is still running.
  init(number: Int) {
    let digits = String(number)
    id = "job-" + String(repeating: "0", count: 8 - digits.count) + digits
    pipeline = "pipeline-\(number % 100)"
    step = "step-\(number / 100 % 10)"
    state = number % 10 == 0 ? .running : number % 10 == 1 ? .failed : .succeeded
    attempt = 1
    startedAt = Instant(microseconds: 1_700_000_000_000_000 + Int64(number) * 1_000)
    endedAt = state == .running ? nil : Instant(microseconds: startedAt.microseconds + 500)
    exitCode = state == .running ? nil : state == .failed ? 1 : 0
    result = String(repeating: "result \(digits) ", count: 20).prefix(200).description
  }

  init(
    id: String, pipeline: String, step: String, state: State, attempt: Int, startedAt: Instant, endedAt: Instant?,
    exitCode: Int?, result: String
  ) {
    self.id = id
    self.pipeline = pipeline
    self.step = step
    self.state = state
    self.attempt = attempt
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.exitCode = exitCode
    self.result = result
  }

  /// As it is after the update of a round.
  mutating func advance() {
    state = state == .failed ? .succeeded : .failed
    attempt += 1
    endedAt = Instant(microseconds: startedAt.microseconds + 900)
    exitCode = state == .failed ? 1 : 0
  }
}

/// The same records in C, which live as long as the process.
struct FloorJobs: @unchecked Sendable {
  // @unchecked: nobody changes what the pointer points to.
  let start: UnsafeMutablePointer<object_floor_job>
  let count: Int32

  init(_ jobs: [Job]) {
    start = .allocate(capacity: jobs.count)
    count = Int32(jobs.count)
    for (place, job) in jobs.enumerated() {
      (start + place).initialize(
        to: object_floor_job(
          id: strdup(job.id), pipeline: strdup(job.pipeline), step: strdup(job.step), result: strdup(job.result),
          state: Int32(Job.State.allCases.firstIndex(of: job.state) ?? 0), attempt: Int64(job.attempt),
          started_at: job.startedAt.microseconds, ended_at: job.endedAt?.microseconds ?? -1,
          exit_code: Int64(job.exitCode ?? -1)))
    }
  }
}
