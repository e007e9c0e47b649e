import ArgumentParser
import RunHistory
import Schedules
import Values

struct ScheduleNext: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "next",
    abstract: "Show when a cron schedule is due",
    discussion: """
      A schedule is a cron line of five fields (minute, hour, day of the month, month, day of the week), six \
      with seconds in front, or @daily and its like. Prints the times at which the trigger 'cron' runs a \
      pipeline with this schedule and zone.

        penstock schedule next '0 3 * * mon-fri' --zone Europe/Berlin
        penstock schedule next '*/15 8-17 * * *' --from 2026-03-29 -n 20 --json

      Exits with 2 when the schedule is invalid, and says where.
      """)

  @Argument(help: "The cron line, in quotes")
  var schedule: String

  @Option(
    help: ArgumentHelp(
      "The time zone, such as Europe/Berlin, or local for the computer's", valueName: "zone"))
  var zone = "UTC"

  @Option(help: ArgumentHelp(ScheduleBeginning.help, valueName: "time"))
  var from: String?

  @Option(name: [.customShort("n"), .long], help: ArgumentHelp("How many times to show", valueName: "count"))
  var number = 5

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    guard (1...100_000).contains(number) else { throw ValidationError("-n takes a number from 1 to 100000.") }
  }

  func run() throws {
    let expression = try expression()
    let rules = try ScheduleZone.rules(zone)
    let instants = expression.instants(
      after: try ScheduleBeginning.instant(from, in: rules) - 1, in: rules, count: number)
    guard !instants.isEmpty else {
      throw CommandFailure("'\(schedule)' is never due in \(rules.name); check its days and months")
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
}
