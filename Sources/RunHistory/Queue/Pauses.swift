import SQLite
import Workspace

/// A pipeline that does not start by itself for a while. Runs that a person requests in the meantime are queued, and wait.
public struct Pause: Sendable, Hashable {
  /// The name of the pipeline.
  public var pipeline: String
  /// When it expires; nil if a user must end it.
  public var until: RecordTime?
  /// The reason, in the words of the person who paused it.
  public var reason: String?
  /// The login name of the person who paused it.
  public var who: String?
  /// When it began.
  public var since: RecordTime

  /// Creates a pause that begins at `since`.
  public init(pipeline: String, until: RecordTime? = nil, reason: String? = nil, who: String? = nil, since: RecordTime)
  {
    self.pipeline = pipeline
    self.until = until
    self.reason = reason
    self.who = who
    self.since = since
  }

  /// Who paused the pipeline, until when and why, for people to read: `paused by ada until 2026-12-01 06:00:00: maintenance`.
  package var words: String { words(until: until.map { " until \(ClockText.dateAndTime($0))" } ?? "") }

  /// The same words without the end, to be recorded with occasions that are skipped in the meantime.
  var recordedWords: String { words(until: "") }

  private func words(until end: String) -> String {
    let person = who.map { " by \($0)" } ?? ""
    return "paused\(person)\(end)" + (reason.map { ": \($0)" } ?? "")
  }
}

extension Pause {
  /// Whether it has not ended by itself at `time`.
  func isInForce(at time: RecordTime) -> Bool { until.map { $0 > time } ?? true }
}

/// The rows of pauses that no user has ended: the latest one of each pipeline, even if it has expired. ``FormerPauses`` has the others.
enum Pauses {
  static func latest(of pipeline: String, in db: Database) throws -> Pause? {
    try db.fetch(for: StoredPause.self).where(StoredPause.pipeline == pipeline).first?.pause
  }

  /// The pause of a pipeline that is in force at `time`.
  static func current(of pipeline: String, at time: RecordTime, in db: Database) throws -> Pause? {
    try latest(of: pipeline, in: db).flatMap { $0.isInForce(at: time) ? $0 : nil }
  }

  /// The pause that prevents an occasion from starting a run.
  ///
  /// A host that was stopped, or could not write, records an instant later: what matters is whether the pipeline was paused at the instant. All other
  /// occasions are recorded immediately, and depend only on the current pause: if the clock was set back, their time may be within a pause that was ended.
  static func refusing(_ occasion: Occasion, in db: Database) throws -> Pause? {
    guard let instant = occasion.instant else {
      return try current(of: occasion.pipeline, at: occasion.askedAt, in: db)
    }
    if let pause = try current(of: occasion.pipeline, at: instant, in: db), pause.since <= instant { return pause }
    return try FormerPauses.containing(instant, of: occasion.pipeline, in: db)
  }

  static func all(at time: RecordTime, in db: Database) throws -> [Pause] {
    try db.fetch(for: StoredPause.self).where(StoredPause.at >= Int64.min).map(\.pause)
      .filter { $0.isInForce(at: time) }
  }
}

extension StoredPause {
  init(_ pause: Pause) {
    self.init(
      pipeline: pause.pipeline, until: pause.until?.microseconds, reason: pause.reason, who: pause.who,
      at: pause.since.microseconds)
  }

  var pause: Pause {
    Pause(
      pipeline: pipeline, until: until.map(RecordTime.init(microseconds:)), reason: reason, who: who,
      since: RecordTime(microseconds: at))
  }
}
