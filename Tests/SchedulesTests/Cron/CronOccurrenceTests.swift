import Glibc
import Testing

@testable import Schedules

struct CronOccurrenceTests {
  private func next(_ line: String, after: String, in name: String, count: Int = 3) throws -> [String] {
    let zone = try zone(name)
    let schedule = try CronExpression(line)
    return schedule.instants(after: try instant(after, zone), in: zone, count: count).map(zone.format)
  }

  @Test("a time that is skipped when clocks go forward is not due")
  func skipped() throws {
    #expect(
      try next("30 2 * * *", after: "2026-03-28 00:00", in: "Europe/Berlin")
        == ["2026-03-28T02:30:00+01:00", "2026-03-30T02:30:00+02:00", "2026-03-31T02:30:00+02:00"])
    #expect(
      try next("0 * * * *", after: "2026-03-29 01:00", in: "Europe/Berlin", count: 1) == ["2026-03-29T03:00:00+02:00"])
  }

  @Test("a time that occurs twice when clocks go back is due once, the first time")
  func doubled() throws {
    #expect(
      try next("30 2 * * *", after: "2026-10-24 12:00", in: "Europe/Berlin", count: 2)
        == ["2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"])
    #expect(
      try next("*/30 2-3 * * *", after: "2026-10-25 02:00", in: "Europe/Berlin")
        == ["2026-10-25T02:30:00+02:00", "2026-10-25T03:00:00+01:00", "2026-10-25T03:30:00+01:00"])
  }

  @Test("a search from within the repeated hour returns what comes after it")
  func secondTime() throws {
    let berlin = try zone("Europe/Berlin")
    let second = try instant("2026-10-25 02:10", berlin) + 3600
    #expect(berlin.format(second) == "2026-10-25T02:10:00+01:00")
    let schedule = try CronExpression("*/15 * * * *")
    #expect(schedule.next(after: second, in: berlin).map(berlin.format) == "2026-10-25T03:00:00+01:00")
    #expect(schedule.previous(before: second, in: berlin).map(berlin.format) == "2026-10-25T02:45:00+02:00")
  }

  @Test(
    "day fields follow the calendar",
    arguments: [
      ("0 0 L * *", ["2026-01-31", "2026-02-28", "2026-03-31"]),
      ("0 0 31 * *", ["2026-01-31", "2026-03-31", "2026-05-31"]),
      ("0 0 29 2 *", ["2028-02-29", "2032-02-29", "2036-02-29"]),
      ("0 0 * * fri#L", ["2026-01-30", "2026-02-27", "2026-03-27"]),
      ("0 0 * * tue#3", ["2026-01-20", "2026-02-17", "2026-03-17"]),
      ("0 0 * * thu#5", ["2026-01-29", "2026-04-30", "2026-07-30"]),
      ("0 0 1 * mon#1", ["2026-01-05", "2026-02-01", "2026-02-02"]),
      ("0 0 13 * fri", ["2026-01-02", "2026-01-09", "2026-01-13"]),
      ("0 0 * feb *", ["2026-02-01", "2026-02-02", "2026-02-03"]),
      ("0 0 L,1 6,7 *", ["2026-06-01", "2026-06-30", "2026-07-01"]),
    ])
  func days(line: String, days: [String]) throws {
    #expect(try next(line, after: "2026-01-01 12:00", in: "UTC") == days.map { $0 + "T00:00:00Z" })
  }

  @Test("the first of six fields is the second")
  func seconds() throws {
    #expect(
      try next("*/20 59 23 31 12 *", after: "2026-12-31 23:59", in: "UTC", count: 4)
        == ["2026-12-31T23:59:20Z", "2026-12-31T23:59:40Z", "2027-12-31T23:59:00Z", "2027-12-31T23:59:20Z"])
  }

  @Test("a day that never exists is detected without a search through 400 years of clock changes")
  func noDay() throws {
    func timeOfThread() -> Double {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let zone = try zone("Europe/Berlin")
    let schedule = try CronExpression("* * 31 2 *")
    let start = timeOfThread()
    for _ in 0..<10 { #expect(schedule.next(after: 0, in: zone) == nil) }
    // The search took 100 ms per call in a debug build; a plugin's `create` may take 10.
    #expect(timeOfThread() - start < 0.2)
    #expect(schedule.previous(before: 0, in: zone) == nil)
  }

  @Test(
    "expressions that are never due have no next instant",
    arguments: [
      ("0 0 30 2 *", "UTC"), ("0 0 31 4,6,9,11 *", "Europe/Berlin"),
      // The last Sunday of March has no 02:30 in Berlin.
      ("30 2 * 3 sun#L", "Europe/Berlin"),
    ])
  func never(line: String, name: String) throws {
    let schedule = try CronExpression(line)
    #expect(schedule.next(after: try instant("2026-01-01 00:00"), in: try zone(name)) == nil)
  }

  @Test("a leap day is found across a century without one")
  func century() throws {
    #expect(try next("0 0 29 2 *", after: "2096-02-29 00:00", in: "UTC", count: 1) == ["2104-02-29T00:00:00Z"])
  }

  @Test("there is nothing before the year 1 or after the year 9999")
  func bounds() throws {
    let schedule = try CronExpression("0 0 1 1 *")
    #expect(schedule.next(after: .max, in: .utc) == nil && schedule.previous(before: .min, in: .utc) == nil)
    #expect(schedule.next(after: .min, in: .utc) == .earliest)
    #expect(schedule.next(after: .earliest - 1, in: .utc) == .earliest)
    #expect(schedule.previous(before: .max, in: .utc) == (try instant("9999-01-01 00:00")))
    #expect(schedule.next(after: try instant("9999-01-01 00:00"), in: .utc) == nil)
  }

  @Test(
    "a day field that names every value restricts nothing, however it is written",
    arguments: ["*", "*/1", "1-31", "1-15,16-31", "1-31/1", "5,*"])
  func everyDay(_ days: String) throws {
    let expected = try CronExpression("32 9 * * mon").instants(after: 0, in: .utc, count: 20)
    #expect(try CronExpression("32 9 \(days) * mon").instants(after: 0, in: .utc, count: 20) == expected)
  }

  @Test(
    "a weekday field that names every value restricts nothing",
    arguments: ["*", "*/1", "0-6", "1-7", "sun-sat", "mon-sat,sun", "0-3,4-7"])
  func everyWeekday(_ weekdays: String) throws {
    let expected = try CronExpression("32 9 */4 * *").instants(after: 0, in: .utc, count: 20)
    #expect(try CronExpression("32 9 */4 * \(weekdays)").instants(after: 0, in: .utc, count: 20) == expected)
  }

  @Test("a field that omits one value restricts") func almostEveryDay() throws {
    let days = try CronExpression("0 0 1-30 * 0-5").instants(after: 0, in: .utc, count: 366)
    // Each field names almost every day; together they leave out only Saturdays that are the 31st.
    #expect(days.count == 366)
    #expect(days.contains(2 * 86_400))
  }

  // MARK: - Comparison with a walk through every minute

  /// A field as a random list of items, and the numbers it means, computed without the parser.
  private struct RandomField {
    var text = "*"
    var numbers: Set<Int>
    var isRestricted = false

    init(_ range: ClosedRange<Int>, one: Double, using numbers: inout SeededNumbers) {
      self.numbers = Set(range)
      guard Double.random(in: 0..<1, using: &numbers) < one else { return }
      self.numbers = []
      var items: [String] = []
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        let low = Int.random(in: range, using: &numbers)
        let high = Int.random(in: low...range.upperBound, using: &numbers)
        let step = Int.random(in: 1...range.upperBound, using: &numbers)
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0:
          items.append("\(low)-\(high)")
          self.numbers.formUnion(low...high)
        case 1:
          items.append("\(low)-\(high)/\(step)")
          self.numbers.formUnion((low...high).filter { ($0 - low) % step == 0 })
        case 2:
          items.append("*/\(step)")
          self.numbers.formUnion(range.filter { ($0 - range.lowerBound) % step == 0 })
        default:
          items.append("\(low)")
          self.numbers.insert(low)
        }
      }
      text = items.joined(separator: ",")
      isRestricted = self.numbers.count < range.count
    }
  }

  /// A random line, and whether it matches a local time, computed without the code under test.
  private struct RandomLine {
    var text: String
    var isDay: (_ date: CivilDate) -> Bool
    var isMeant: (_ time: CivilTime) -> Bool

    init(using numbers: inout SeededNumbers) {
      let minute = RandomField(0...59, one: 0.9, using: &numbers)
      let hour = RandomField(0...23, one: 0.6, using: &numbers)
      let day = RandomField(1...31, one: 0.3, using: &numbers)
      let month = RandomField(1...12, one: 0.2, using: &numbers)
      let weekday = RandomField(0...6, one: 0.3, using: &numbers)
      text = "\(minute.text) \(hour.text) \(day.text) \(month.text) \(weekday.text)"
      isDay = { date in
        guard month.numbers.contains(date.month) else { return false }
        let byDate = day.numbers.contains(date.day)
        let byWeekday = weekday.numbers.contains(date.weekday.rawValue)
        return day.isRestricted && weekday.isRestricted ? byDate || byWeekday : byDate && byWeekday
      }
      isMeant = { [isDay] time in
        minute.numbers.contains(time.minute) && hour.numbers.contains(time.hour) && isDay(time.date)
      }
    }
  }

  @Test("random lines match a walk through every day of five years")
  func everyDay() throws {
    var numbers = SeededNumbers(state: 1)
    let first = try instant("2023-06-15 00:00")
    for _ in 0..<60 {
      let line = RandomLine(using: &numbers)
      let schedule = try CronExpression("0 0 " + line.text.split(separator: " ").dropFirst(2).joined(separator: " "))
      let expected = stride(from: first, to: first + 5 * 366 * 86_400, by: 86_400).filter {
        line.isDay(TimeZoneRules.utc.civilTime(at: $0).date)
      }
      #expect(schedule.instants(after: first - 1, in: .utc, count: expected.count) == expected, "\(schedule)")
    }
  }

  /// Zones, each with an instant of an unusual clock change.
  static let changes = [
    ("Europe/Berlin", "2026-03-29 01:00"), ("Europe/Berlin", "2026-10-25 01:00"), ("Europe/Berlin", "2126-10-27 01:00"),
    ("Australia/Lord_Howe", "2026-04-04 15:00"), ("Australia/Lord_Howe", "2026-10-03 15:30"),
    ("Asia/Beirut", "2026-03-28 22:00"), ("Asia/Beirut", "2026-10-24 21:00"), ("Antarctica/Troll", "2026-10-25 01:00"),
    ("Pacific/Apia", "2011-12-30 10:00"), ("America/Sao_Paulo", "2018-11-04 03:00"),
    ("Asia/Kathmandu", "1985-12-31 18:30"),
    ("America/New_York", "2026-11-01 06:00"), ("Africa/Casablanca", "2026-02-15 02:00"),
    ("Europe/Dublin", "2026-10-25 01:00"),
    // A whole day occurs twice.
    ("Pacific/Kwajalein", "1969-09-30 13:00"),
  ]

  @Test("random lines match a walk through every minute", arguments: changes.indices)
  func everyMinute(index: Int) throws {
    let (name, change) = Self.changes[index]
    let zone = try zone(name)
    let middle = try instant(change) / 60 * 60
    let (begin, end) = (middle - 129_600, middle + 129_600)
    // The minutes that show a local time for the first time. Times shown before the walk begins are included.
    var shown: Set<CivilTime> = []
    var minutes: [(instant: UnixTime, time: CivilTime)] = []
    for at in stride(from: begin - 2 * 86_400, to: end, by: 60) {
      let time = CivilTime(localSeconds: at + Int64(zone.localTime(at: at).offset))
      guard shown.insert(time).inserted, at >= begin, time.second == 0 else { continue }
      minutes.append((at, time))
    }
    var numbers = SeededNumbers(state: UInt64(index))
    for _ in 0..<12 {
      let line = RandomLine(using: &numbers)
      let schedule = try CronExpression(line.text)
      let expected = minutes.filter { line.isMeant($0.time) }.map(\.instant)
      var found: [UnixTime] = []
      var at = begin - 1
      while let next = schedule.next(after: at, in: zone), next < end {
        found.append(next)
        at = next
      }
      var backwards: [UnixTime] = []
      at = end
      while let previous = schedule.previous(before: at, in: zone), previous >= begin {
        backwards.append(previous)
        at = previous
      }
      #expect(backwards.reversed() == found, "\(line.text) in \(name), backwards")
      #expect(found == expected, "\(line.text) in \(name)")
    }
  }
}
