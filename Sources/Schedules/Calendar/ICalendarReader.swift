/// Reads calendar files in bounded time and memory, whatever the file contains.
struct ICalendarReader {
  private static let maximumLength = 4 << 20
  private static let maximumDepth = 16
  private static let maximumEvents = 10_000
  private static let maximumRules = 2000
  private static let maximumDates = 10_000

  private let database: TimeZoneDatabase
  private var zones: [TimeZoneRules] = []
  private var zoneNumbers: [String: Int] = [:]
  private var events: [(event: ICalendarEvent, identifier: String?)] = []
  private var replaced: [(identifier: String, time: ICalendarTime)] = []
  private var rules = 0
  private var dates = 0

  static func read(_ bytes: [UInt8], zones: TimeZoneDatabase) throws(ICalendarError) -> ICalendar {
    guard bytes.count <= maximumLength else {
      throw ICalendarError(line: 1, message: "the file is longer than \(maximumLength) bytes")
    }
    var reader = ICalendarReader(database: zones)
    return try reader.calendar(try ICalendarLine.lines(of: bytes))
  }

  private init(database: TimeZoneDatabase) {
    self.database = database
  }

  private mutating func calendar(_ lines: [ICalendarLine]) throws(ICalendarError) -> ICalendar {
    var open: [ICalendarLine] = []
    var properties: [ICalendarLine] = []
    for line in lines {
      switch line.name {
      case "BEGIN":
        guard !open.isEmpty || line.value.uppercased() == "VCALENDAR" else {
          throw line.error("the file does not begin with BEGIN:VCALENDAR, so it is not a calendar")
        }
        guard open.count < Self.maximumDepth else { throw line.error("components are nested too deeply") }
        open.append(line)
        if open.count == 2 { properties = [] }
      case "END":
        guard let begin = open.popLast(), begin.value.uppercased() == line.value.uppercased() else {
          throw line.error("'END:\(line.value)' has no matching BEGIN")
        }
        if open.count == 1, begin.value.uppercased() == "VEVENT" { try add(begin, properties) }
      default:
        guard !open.isEmpty else {
          throw line.error("the file does not begin with BEGIN:VCALENDAR, so it is not a calendar")
        }
        if open.count == 2 { properties.append(line) }
      }
    }
    if let begin = open.last { throw begin.error("'BEGIN:\(begin.value)' has no end; the file is truncated") }
    guard !lines.isEmpty else { throw ICalendarError(line: 1, message: "the file is empty") }
    return ICalendar(events: whole(), zones: zones)
  }

  /// Returns the events without the occurrences that another event of the same UID replaces.
  private func whole() -> [ICalendarEvent] {
    var exceptions: [String: Set<ICalendarTime>] = [:]
    for (identifier, time) in replaced { exceptions[identifier, default: []].insert(time) }
    return events.map { event, identifier in
      guard let identifier, let times = exceptions[identifier] else { return event }
      var event = event
      event.exceptions.formUnion(times)
      return event
    }
  }

  private mutating func add(_ begin: ICalendarLine, _ properties: [ICalendarLine]) throws(ICalendarError) {
    var single: [String: ICalendarLine] = [:]
    for line in properties where !["RDATE", "EXDATE"].contains(line.name) {
      if line.name == "RRULE", single["RRULE"] != nil { throw line.error("an event can have only one RRULE") }
      if single[line.name] == nil { single[line.name] = line }
    }
    if let exclusion = single["EXRULE"] { throw exclusion.error("EXRULE is not supported; use EXDATE") }
    guard let startLine = single["DTSTART"] else { throw begin.error("the event has no DTSTART") }
    let start = try time(startLine.value, of: startLine)
    var event = ICalendarEvent(summary: single["SUMMARY"]?.text ?? "", start: start)
    event.length = try length(from: start, end: single["DTEND"], duration: single["DURATION"])
    if let line = single["RRULE"] {
      rules += 1
      guard rules <= Self.maximumRules else { throw line.error("the file has more than \(Self.maximumRules) rules") }
      event.rule = try YearlyRuleParser.parse(line, start: start.civil.date)
      let isTooLong =
        switch event.length {
        case .days(let days): days > 366
        case .seconds(let seconds): seconds > 366 * 86_400
        }
      if isTooLong { throw line.error("the event repeats before it ends") }
    }
    for line in properties {
      switch line.name {
      case "RDATE": event.additions += try times(line)
      case "EXDATE": event.exceptions.formUnion(try times(line))
      default: break
      }
    }
    let identifier = single["UID"]?.value
    if let line = single["RECURRENCE-ID"] {
      if line.parameters["RANGE"] != nil { throw line.error("RECURRENCE-ID with RANGE is not supported") }
      if let identifier { replaced.append((identifier, try time(line.value, of: line))) }
    }
    if single["STATUS"]?.value.uppercased() == "CANCELLED" || event.length == .seconds(0) { return }
    guard events.count < Self.maximumEvents else {
      throw begin.error("the file has more than \(Self.maximumEvents) events")
    }
    // An event that replaces an occurrence must not be removed by its own replacement.
    events.append((event, single["RECURRENCE-ID"] == nil ? identifier : nil))
  }

  // MARK: - Times

  private mutating func time(_ text: some StringProtocol, of line: ICalendarLine) throws(ICalendarError)
    -> ICalendarTime
  {
    let zone = try zone(of: line)
    guard let time = ICalendarTime.parse(text, zone: zone) else {
      throw line.error("'\(text)' is not a date or time; write it like 20260101 or 20260101T120000Z")
    }
    let isDate = if case .date = time { true } else { false }
    switch line.parameters["VALUE"]?.uppercased() {
    case "DATE" where !isDate: throw line.error("'\(text)' is not a date, which VALUE=DATE requires")
    case "DATE-TIME" where isDate: throw line.error("'\(text)' has no time, which VALUE=DATE-TIME requires")
    case nil, "DATE", "DATE-TIME": return time
    case .some(let kind): throw line.error("VALUE=\(kind) is not supported")
    }
  }

  private mutating func times(_ line: ICalendarLine) throws(ICalendarError) -> [ICalendarTime] {
    var times: [ICalendarTime] = []
    for item in line.value.split(separator: ",") {
      dates += 1
      guard dates <= Self.maximumDates else {
        throw line.error("the file has more than \(Self.maximumDates) dates in RDATE and EXDATE")
      }
      times.append(try time(item, of: line))
    }
    return times
  }

  private mutating func zone(of line: ICalendarLine) throws(ICalendarError) -> Int? {
    guard let name = line.parameters["TZID"] else { return nil }
    if let number = zoneNumbers[name] { return number }
    let rules: TimeZoneRules
    do throws(TimeZoneError) {
      rules = try database.zone(name)
    } catch {
      throw line.error(error.description)
    }
    zones.append(rules)
    zoneNumbers[name] = zones.count - 1
    return zones.count - 1
  }

  private mutating func length(
    from start: ICalendarTime, end endLine: ICalendarLine?, duration: ICalendarLine?
  ) throws(ICalendarError) -> ICalendarEvent.Length {
    if let line = endLine {
      let end = try time(line.value, of: line)
      switch (start, end) {
      case (.date(let first), .date(let last)):
        guard last >= first else { throw line.error("the event ends before it begins") }
        // An event that ends on the day it begins is taken to last one day.
        return .days(max(1, last.dayNumber - first.dayNumber))
      case (.date, _), (_, .date): throw line.error("DTSTART and DTEND must both be dates, or both times")
      default:
        let seconds = end.instant(zones: zones, local: .utc) - start.instant(zones: zones, local: .utc)
        guard seconds >= 0 else { throw line.error("the event ends before it begins") }
        return .seconds(seconds)
      }
    }
    let isDate = if case .date = start { true } else { false }
    guard let line = duration else { return isDate ? .days(1) : .seconds(0) }
    guard let duration = ICalendarDuration.parse(line.value) else {
      throw line.error("'\(line.value)' is not a DURATION; write it like P1D or PT2H")
    }
    if isDate {
      guard duration.seconds == 0, duration.days > 0 else {
        throw line.error("the DURATION of an all-day event must be in days")
      }
      return .days(duration.days)
    }
    return .seconds(duration.days * 86_400 + duration.seconds)
  }
}
