import Testing

@testable import Schedules

struct TimeZoneRulesTests {
  @Test(
    "every zone agrees with Python's zoneinfo from 1850 to 2500",
    .enabled(if: Python.isThere, "there is no python3 with zoneinfo"))
  func everyZoneAgreesWith() throws {
    // Instants at irregular intervals.
    let output = try #require(
      Python.run(
        """
        import zoneinfo, datetime
        utc = datetime.timezone.utc
        epoch = datetime.datetime(1970, 1, 1, tzinfo=utc)
        names = sorted(n for n in zoneinfo.available_timezones() if n[0].isupper() and not n.startswith('SystemV'))
        for name in names:
            zone = zoneinfo.ZoneInfo(name)
            print('Z', name)
            for at in range(-3786912000, 16725225600, 190000007):
                local = (epoch + datetime.timedelta(seconds=at)).astimezone(zone)
                print(at, int(local.utcoffset().total_seconds()), local.tzname())
        """))
    var rules: TimeZoneRules?
    var compared = 0
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "Z" {
        rules = try zone(String(words[1]))
        continue
      }
      let local = try #require(rules).localTime(at: try #require(Int64(words[0])))
      compared += 1
      guard local.offset == Int(words[1]), local.abbreviation == words[2] else {
        Issue.record("\(rules?.name ?? ""): \(line), but found \(local)")
        continue
      }
    }
    #expect(compared > 30_000)
  }

  @Test(
    "gaps and folds have the same instants as in Python",
    .enabled(if: Python.isThere, "there is no python3 with zoneinfo"))
  func gapsFoldsInstantsPython() throws {
    // Every quarter of an hour around the changes of 2011, 2024 and 2300, with the instants that have this local time.
    let output = try #require(
      Python.run(
        """
        import zoneinfo, datetime
        utc = datetime.timezone.utc
        for name in ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Casablanca',
                     'Europe/Dublin', 'Asia/Beirut', 'Antarctica/Troll', 'America/Scoresbysund', 'America/Havana']:
            zone = zoneinfo.ZoneInfo(name)
            print('Z', name)
            for start in [datetime.datetime(y, m, 1) for y, m in ((2011, 12), (2024, 3), (2024, 10), (2300, 4), (2300, 10))]:
                for quarter in range(31 * 96):
                    local = start + datetime.timedelta(minutes=15 * quarter)
                    found = set()
                    for fold in (0, 1):
                        at = local.replace(tzinfo=zone, fold=fold).astimezone(utc)
                        if at.astimezone(zone).replace(tzinfo=None, fold=0) == local: found.add(int(at.timestamp()))
                    if len(found) != 1 or quarter % 50 == 0:
                        print(local.strftime('%Y %m %d %H %M'), *sorted(found))
        """))
    var rules: TimeZoneRules?
    var unusual = 0
    for line in output.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words[0] == "Z" {
        rules = try zone(String(words[1]))
        continue
      }
      let numbers = words.compactMap { Int($0) }
      let date = try #require(CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]))
      let time = try #require(CivilTime(date, hour: numbers[3], minute: numbers[4]))
      if numbers.count != 6 { unusual += 1 }
      #expect(try #require(rules).instants(of: time) == numbers[5...].map { Int64($0) }, "\(rules?.name ?? "") \(time)")
    }
    #expect(unusual > 50)
  }

  @Test("a gap has no instant and a fold has two")
  func gapNoInstantFold() throws {
    let berlin = try zone("Europe/Berlin")
    let spring = try #require(CivilDate(year: 2026, month: 3, day: 29))
    let autumn = try #require(CivilDate(year: 2026, month: 10, day: 25))
    #expect(berlin.instants(of: try #require(CivilTime(spring, hour: 2, minute: 30))).isEmpty)
    #expect(berlin.instants(of: try #require(CivilTime(spring, hour: 3))) == [1_774_746_000])
    let doubled = berlin.instants(of: try #require(CivilTime(autumn, hour: 2, minute: 30)))
    #expect(doubled.map(berlin.format) == ["2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00"])
  }

  @Test("periods are contiguous, and the last has no end")
  func periodsTouchEachOther() throws {
    let berlin = try zone("Europe/Berlin")
    var at = UnixTime.min
    var count = 0
    while true {
      let period = berlin.period(at: at)
      guard period.start <= at, period.end > at, berlin.period(at: period.end - 1).localTime == period.localTime else {
        Issue.record("\(period) does not hold \(at)")
        return
      }
      count += 1
      guard period.end < .max else { break }
      at = period.end
    }
    // Twice a year until the year 10000, plus the earlier ones.
    #expect(count > 15_000)
  }

  @Test("instants far outside all calendars have a local time")
  func instantsFarOutsideAll() throws {
    let berlin = try zone("Europe/Berlin")
    for at in [UnixTime.min, .min + 1, -1, .max - 1, .max] {
      #expect(abs(berlin.localTime(at: at).offset) <= 7200)
      #expect(berlin.format(at).count >= 25)
    }
  }

  @Test("a skipped day has no instants")
  func skippedDayNoInstants() throws {
    let apia = try zone("Pacific/Apia")
    let skipped = try #require(CivilDate(year: 2011, month: 12, day: 30))
    for hour in 0..<24 { #expect(apia.instants(of: try #require(CivilTime(skipped, hour: hour))).isEmpty) }
  }

  @Test("times are formatted with their offset")
  func timesWrittenWithTheir() throws {
    #expect(TimeZoneRules.utc.format(0) == "1970-01-01T00:00:00Z")
    #expect(try zone("Asia/Kathmandu").format(0) == "1970-01-01T05:30:00+05:30")
    #expect(try zone("America/St_Johns").format(1_767_225_600) == "2025-12-31T20:30:00-03:30")
  }
}
