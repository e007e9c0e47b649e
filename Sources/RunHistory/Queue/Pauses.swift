import SQLite
import Workspace

/// A pipeline that does not start by itself for a while. Runs that a person requests in the meantime are queued, and wait.
public struct Pause: Sendable, Hashable {
  /// The name of the pipeline.
  public var pipeline: String
  /// When it ends by itself; nil until it is ended.
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

/// The rows of pauses.
enum Pauses {
  /// Returns the pause of a pipeline that is in force at `time`.
  static func current(of pipeline: String, at time: RecordTime, in db: Database) throws -> Pause? {
    try db.fetch(for: StoredPause.self).where(StoredPause.pipeline == pipeline).first?.pause(at: time)
  }

  /// Returns the pause of a pipeline that is in force and had begun by `time`.
  static func inForce(of pipeline: String, at time: RecordTime, in db: Database) throws -> Pause? {
    try current(of: pipeline, at: time, in: db).flatMap { $0.since <= time ? $0 : nil }
  }

  static func all(at time: RecordTime, in db: Database) throws -> [Pause] {
    try db.fetch(for: StoredPause.self).where(StoredPause.at >= Int64.min).compactMap { $0.pause(at: time) }
  }
}

extension StoredPause {
  /// Returns the pause, or nil if it is over at `time`.
  func pause(at time: RecordTime) -> Pause? {
    if let until, until <= time.microseconds { return nil }
    return Pause(
      pipeline: pipeline, until: until.map(RecordTime.init(microseconds:)), reason: reason, who: who,
      since: RecordTime(microseconds: at))
  }
}
