import ArgumentParser
import RunHistory
import Schedules
import Values

struct ScheduleNext: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next",
    abstract: "Show when a schedule is due.",
    discussion: """
      A schedule is a cron line: minute, hour, day of the month, month, day of the \
      week, and the second before them if you like; or @daily and its like. The \
      times are those at which the controller 'cron' runs a pipeline with the same \
      schedule and zone.

        penstock schedule next '0 3 * * mon-fri' --zone Europe/Berlin
        penstock schedule next '*/15 8-17 * * *' --from 2026-03-29 -n 20 --json

      A wrong schedule exits with 2 and says where it is wrong.
      """)

  @Argument(help: "The cron line, quoted.")
  var schedule: String

  @Option(
    help: ArgumentHelp(
      "Whose clocks it goes by: a name such as Europe/Berlin, or local for the computer's.", valueName: "zone"))
  var zone = "UTC"

  @Option(
    help: ArgumentHelp(
      "Begin then: 2h (ago), today, 2026-11-20, '2026-11-20 18:30' (in the zone) or a timestamp; now otherwise.",
      valueName: "time"))
  var from: String?

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many to show.", valueName: "count"))
  var number = 5

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    guard (1...100_000).contains(number) else { throw ValidationError("-n takes a number from 1 to 100000.") }
  }

  func run() throws {
    let expression = try expression()
    let rules = try rules()
    let instants = expression.instants(after: try beginning(rules) - 1, in: rules, count: number)
    guard !instants.isEmpty else {
      throw CommandFailure("'\(schedule)' is never due in \(rules.name); look at its days and months")
    }
    for instant in instants {
      let time = rules.format(instant)
      let weekday = rules.civilTime(at: instant).weekday
      let row: JSONValue = [
        "instant": .string(TimeZoneRules.utc.format(instant)), "local_time": .string(time),
        "weekday": .string(weekday.name.lowercased()), "zone": .string(rules.name),
        "abbreviation": .string(rules.localTime(at: instant).abbreviation),
      ]
      shared.output.print(row) {
        let day = weekday.name + String(repeating: " ", count: "Wednesday".count - weekday.name.count)
        TextOutput.standard.writeLine("\(time)  \(day)  \(rules.name)")
      }
    }
  }

  private func expression() throws -> CronExpression {
    do throws(CronError) {
      return try CronExpression(schedule)
    } catch {
      TextOutput.error.write(
        ArgumentDiagnostic(
          name: "schedule", text: schedule, code: error.code, message: error.message, position: error.position,
          length: error.length, fix: error.fix
        ).render(shared.color))
      throw ExitStatus.usage
    }
  }

  private func rules() throws -> TimeZoneRules {
    let database = TimeZoneDatabase.system
    do throws(TimeZoneError) {
      return try database.zone(zone)
    } catch {
      throw CommandFailure(database.explain(error) { NearestName.suggestion(for: $0, among: $1) })
    }
  }

  /// The first instant that counts: what `--from` means, where days and times without an offset are those of the zone.
  private func beginning(_ rules: TimeZoneRules) throws -> UnixTime {
    let now = UnixTime(RecordTime.now.secondsSince1970.rounded(.down))
    // The second that has begun is past.
    guard let from else { return now + 1 }
    let today = CivilTime(rules.civilTime(at: now).date)
    if from == "today", let today { return rules.firstInstant(of: today) }
    if from == "yesterday", let yesterday = CivilTime(CivilDate(dayNumber: rules.civilTime(at: now).date.dayNumber - 1))
    {
      return rules.firstInstant(of: yesterday)
    }
    if let time = CivilTime(from) { return rules.firstInstant(of: time) }
    guard let time = try FilterOptions.time(from, option: "--from") else { return now + 1 }
    return UnixTime(time.secondsSince1970.rounded(.up))
  }
}
