import Testing

@testable import Schedules

struct CronParsingTests {
  /// The line, the position (from 1) and length of the error, its message, and its fix.
  static let mistakes: [(line: String, position: Int, length: Int, message: String, fix: String?)] = [
    ("60 * * * *", 1, 2, "the minute cannot be 60; use 0-59", nil),
    ("0 24 * * *", 3, 2, "the hour cannot be 24; use 0-23", nil),
    ("0 0 0 * *", 5, 1, "the day of the month cannot be 0; use 1-31", nil),
    ("0 0 * 13 *", 7, 2, "the month cannot be 13; use 1-12 or jan-dec", nil),
    ("0 0 * * 8", 9, 1, "the day of the week cannot be 8; use 0-7 or sun-sat", nil),
    ("*,*,61 * * * *", 5, 2, "the minute cannot be 61; use 0-59", nil),
    ("99999999999999999999 * * * *", 1, 20, "the minute cannot be 99999999999999999999; use 0-59", nil),
    ("*/0 * * * *", 3, 1, "a step must not be 0", "the smallest step is 1"),
    (
      "*/90 * * * *", 3, 2, "a step of 90 exceeds the range of the minute (0-59)",
      "list the values, or use another field"
    ),
    ("0 22-5 * * *", 3, 4, "the range 22-5 runs backwards", "write '22-23,0-5'"),
    ("0 0 10-1 * *", 5, 4, "the range 10-1 runs backwards", "write '10-31,1'"),
    ("0 0 * * fri-sun", 9, 7, "the range fri-sun runs backwards", "write '5-7'"),
    ("0 0 * * fri-mon", 9, 7, "the range fri-mon runs backwards", "write '5-6,0-1'"),
    ("0/15 * * * *", 1, 4, "a step needs * or a range before it", "write '0-59/15'"),
    ("/15 * * * *", 1, 3, "a step needs * or a range before it", "write '*/15'"),
    ("1,,2 * * * *", 3, 0, "a value is missing in the minute", nil),
    ("1, * * * *", 3, 0, "a value is missing in the minute", nil),
    ("1- * * * *", 3, 0, "a value is missing in the minute", nil),
    ("*/ * * * *", 3, 0, "a step must be a number", nil),
    ("*5 * * * *", 2, 1, "'5' is not expected here", nil),
    ("1-5/2x * * * *", 6, 1, "'x' is not expected here", nil),
    ("mon * * * *", 1, 3, "'mon' is not a valid minute; use 0-59", nil),
    ("0 0 * mon *", 7, 3, "'mon' is not a valid month; use 1-12 or jan-dec", nil),
    ("0 0 * january *", 7, 7, "'january' is not a valid month; use 1-12 or jan-dec", nil),
    ("? 0 * * *", 1, 1, "'?' is not a valid minute; use 0-59", nil),
    ("0 0 ? * *", 5, 1, "'?' is not a valid day of the month; use 1-31", "write '*'"),
    ("0 0 * * L", 9, 1, "'L' is not a valid day of the week; use 0-7 or sun-sat", "name the weekday, as in 'fri#L'"),
    ("0 0 * * fri#6", 13, 1, "'#' must be followed by a number from 1 to 5, or by L for the last", nil),
    ("0 0 * * fri#", 13, 0, "'#' must be followed by a number from 1 to 5, or by L for the last", nil),
    ("0 0 * * fri#2-3", 14, 2, "'-3' is not expected here", nil),
    ("0 0 15W * *", 7, 1, "the weekday nearest to a day (W) is not supported", nil),
    ("0 0 1-15W * *", 9, 1, "the weekday nearest to a day (W) is not supported", nil),
    ("0 0 L-3 * *", 5, 3, "days before the last (L-3) are not supported", nil),
    ("0 12 1 * +mon", 10, 4, "'+mon' is not a valid day of the week; use 0-7 or sun-sat", nil),
    ("0 0 +1 * *", 5, 2, "'+1' is not a valid day of the month; use 1-31", nil),
    ("0 0 * * mön", 9, 3, "'mön' is not a valid day of the week; use 0-7 or sun-sat", nil),
    ("@Daily", 1, 6, "there is no nickname '@Daily'", "did you mean '@daily'?"),
    ("@daily 0 0 * * *", 8, 9, "nothing can follow the nickname '@daily'", nil),
    (
      "@reboot", 1, 7, "'@reboot' is not supported: it does not name a time",
      "use a time such as @daily or '0 3 * * *'; to run something at boot, start it from a systemd unit"
    ),
    ("@every 5m", 1, 6, "'@every' is not a schedule of clock times", "use the controller 'interval', with every: 5m"),
    (
      "CRON_TZ=Europe/Berlin 0 0 * * *", 1, 21, "a schedule cannot contain a time zone",
      "set it with 'zone' beside the schedule"
    ),
    ("* *\n* * *", 4, 1, "only spaces and tabs can separate the fields of a schedule", nil),
  ]

  @Test("errors have a position, a message and a fix")
  func mistakes() throws {
    for (line, position, length, message, fix) in Self.mistakes {
      let error = try #require(throws: CronError.self, "\(line)") { try CronExpression(line) }
      #expect(error == CronError(message: message, position: position, length: length, fix: fix), "\(line)")
    }
  }

  @Test("a line with too few or too many fields lists the expected ones")
  func counts() throws {
    let few = try #require(throws: CronError.self) { try CronExpression("0 3 * *") }
    #expect(few.position == 8)
    #expect(
      few.message == "a schedule has five fields (minute, hour, day of the month, month, day of the week), "
        + "or six with the second before them; there are only 4 fields")
    #expect(try #require(throws: CronError.self) { try CronExpression("0 0 3 * * * 2026") }.position == 13)
    #expect(try #require(throws: CronError.self) { try CronExpression(" \t ") }.message == "the schedule is empty")
    let long = try #require(throws: CronError.self) {
      try CronExpression(String(repeating: "1,", count: 600) + "1 * * * *")
    }
    #expect(long.message == "a schedule has at most 600 characters")
  }

  @Test(
    "equivalent lines are parsed alike",
    arguments: [
      ("@yearly", "0 0 1 1 *"), ("@annually", "0 0 1 jan *"), ("@monthly", "0 0 1 * *"), ("@weekly", "0 0 * * 7"),
      (" @daily\t", "0 0 * * *"), ("@midnight", "0 0 0 * * *"), ("@hourly", "0 * * * *"),
      ("0 0 * * SUN-sat", "0 0 * * 0-6"), ("0 0 * DEC,Jan *", "0 0 * 1,12 *"), ("0 0 * * 5-7", "0 0 * * 0,5,6"),
      ("*/15 * * * *", "0,15,30,45 * * * *"), ("5-59/15 * * * *", "5,20,35,50 * * * *"),
      ("*/2 * * * 1", "0-59/2 * * * mon"),
      ("  0\t\t3 *  * * ", "0 3 * * *"), ("0 0 * * 5L", "0 0 * * fri#L"), ("0 0 * * fril", "0 0 * * 5#l"),
      ("00 003 * * *", "0 3 * * *"), ("*,30 * * * *", "* * * * *"),
    ])
  func same(one: String, other: String) throws {
    let left = try CronExpression(one)
    let right = try CronExpression(other)
    #expect((left.seconds, left.minutes, left.hours) == (right.seconds, right.minutes, right.hours))
    #expect((left.days, left.months, left.weekdays) == (right.days, right.months, right.weekdays))
    #expect(left.ordinals == right.ordinals && left.isEither == right.isEither)
    #expect(left.text == one)
  }

  @Test(
    "a day field restricts unless it names every value",
    arguments: [
      ("0 0 1 * mon", true), ("0 0 1-31 * mon", false), ("0 0 */2 * mon", true), ("0 0 1,* * mon", false),
      ("0 0 L * mon", true), ("0 0 1-30,L * mon", true), ("0 0 1 * mon#1", true), ("0 0 1 * 1-7", false),
      ("0 0 * * mon", false), ("0 0 *,1 * mon", false), ("0 0 1 * *", false),
      ("0 0 1 * *,1", false),
    ])
  func restriction(line: String, isEither: Bool) throws {
    #expect(try CronExpression(line).isEither == isEither)
  }

  @Test("corrupted lines are parsed or rejected at a position within the line")
  func hostileLines() throws {
    var numbers = SeededNumbers(state: 10)
    let letters = Array("0123456789*,-/#L@ \tmonjanW?+é\u{0}\u{301}".unicodeScalars)
    var read = 0
    for _ in 0..<10_000 {
      var line = Array("*/5 1-4,7 L jan-mar fri#2".unicodeScalars)
      for _ in 0..<Int.random(in: 1...5, using: &numbers) {
        let at = Int.random(in: 0..<line.count, using: &numbers)
        let letter = letters[Int.random(in: 0..<letters.count, using: &numbers)]
        if Bool.random(using: &numbers) { line[at] = letter } else { line.insert(letter, at: at) }
      }
      do throws(CronError) {
        let schedule = try CronExpression(String(String.UnicodeScalarView(line)))
        read += 1
        if let next = schedule.next(after: 1_774_746_000, in: .utc) {
          #expect(schedule.isDue(at: next, in: .utc))
        }
      } catch {
        #expect(error.position >= 1 && error.length >= 0 && error.position - 1 + error.length <= line.count)
      }
    }
    #expect(read > 100 && read < 9000)
  }
}
