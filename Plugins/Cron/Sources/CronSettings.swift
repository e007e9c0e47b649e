import PluginKit
import Schedules

/// The settings of `uses: cron`.
struct CronSettings: PluginSettings {
  /// What to do about missed instants.
  enum Missed: String, CaseIterable, PluginValue {
    case none, last, all
  }

  @Setting("The schedule: a cron line such as '0 3 * * mon-fri', or a nickname such as @daily") var schedule: String
  @Setting("The time zone: a name such as Europe/Berlin, UTC, or local for the computer's") var zone: String =
    "UTC"
  @Setting("How to handle missed instants: skip all (none), run only the last (last), or run all (all)")
  var catchUp: Missed = .none
  @Setting("The maximum number of missed instants that are run, the latest ones") var catchUpLimit: Int = 100
  @Setting("The maximum random delay of a run; shorter than a day") var jitter: Duration = .zero

  /// An instant for detecting schedules that are never due: 2026-01-01T00:00:00Z.
  private static let anyInstant: UnixTime = 1_767_225_600

  func validate() throws {
    let expression = try expression()
    let rules = try rules()
    guard expression.next(after: Self.anyInstant, in: rules) != nil else {
      throw PluginProblem(
        "invalid-schedule", setting: "schedule",
        "'\(schedule)' is never due in \(rules.name); check its days and months")
    }
    guard (1...10_000).contains(catchUpLimit) else {
      throw PluginProblem("invalid-settings", setting: "catch_up_limit", "\(catchUpLimit) must be from 1 to 10000")
    }
    guard jitter < .seconds(86_400) else {
      throw PluginProblem(
        "invalid-settings", setting: "jitter", "\(DurationNotation.format(jitter)) must be shorter than a day")
    }
  }

  /// Returns the parsed schedule.
  func expression() throws -> CronExpression {
    do throws(CronError) {
      return try CronExpression(schedule)
    } catch {
      throw PluginProblem(
        error.code, setting: "schedule", error.description,
        range: error.position - 1..<error.position - 1 + error.length)
    }
  }

  /// Returns the rules of the time zone.
  func rules() throws -> TimeZoneRules {
    let database = TimeZoneDatabase.system
    do throws(TimeZoneError) {
      return try database.zone(zone)
    } catch {
      let message = database.explain(error) { NearestName.suggestion(for: $0, among: $1) }
      throw PluginProblem(error.code, setting: "zone", message)
    }
  }

  /// What to do about missed instants.
  var policy: CatchUp {
    switch catchUp {
    case .none: .none
    case .last: .last
    case .all: .all(limit: catchUpLimit)
    }
  }
}
