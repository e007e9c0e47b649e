/// Days and times that a calendar file (RFC 5545) names, such as the holidays of a country.
///
/// A list of dates would do for holidays, in about 40 lines instead of 500; but what people are given is a file of a calendar: public holidays that are published
/// as `.ics`, and the calendars of teams, with events that recur each year, moved instances, and zones. They would have to convert it, and again each year.
///
/// A value is immutable and can be used from any thread.
public struct ICalendar: Sendable {
  /// What takes place at an instant.
  public struct Moment: Sendable, Hashable {
    /// The summaries of what takes place, in the order of the file; empty where nothing does.
    public let summaries: [String]
    /// Whether anything takes place.
    public let isTaken: Bool
    /// When the next thing begins or ends; nil where nothing does for two years.
    public let until: UnixTime?
  }

  private let events: [ICalendarEvent]
  private let zones: [TimeZoneRules]

  init(events: [ICalendarEvent], zones: [TimeZoneRules]) {
    self.events = events
    self.zones = zones
  }

  /// Reads a file.
  ///
  /// Only events count: what has the status CANCELLED does not, nor what takes no time. Repetitions are those of ``YearlyRule``, with
  /// EXDATE, RDATE and RECURRENCE-ID; any other is an error, as days that are left out silently are worse.
  ///
  /// - Parameters:
  ///   - bytes: What is in the file, at most 4 MiB.
  ///   - zones: Where time zones that the file names are found.
  /// - Throws: ``ICalendarError``, with the line.
  public init(_ bytes: [UInt8], zones: TimeZoneDatabase) throws(ICalendarError) {
    self = try ICalendarReader.read(bytes, zones: zones)
  }

  /// How many events there are.
  public var count: Int { events.count }

  /// What takes place at `instant`, where days are those of `zone`.
  public func moment(at instant: UnixTime, in zone: TimeZoneRules) -> Moment {
    let year = zone.civilTime(at: instant).date.year
    var summaries: [String] = []
    var isTaken = false
    var until: UnixTime?
    for event in events {
      for start in event.starts(in: year - 1...year + 2, instant: { $0.instant(zones: zones, local: zone) }) {
        let begin = start.instant(zones: zones, local: zone)
        let end =
          switch event.length {
          case .seconds(let seconds): begin + seconds
          case .days(let days): zone.firstInstant(of: CivilTime(localSeconds: start.civil.localSeconds + days * 86_400))
          }
        if begin <= instant, instant < end {
          isTaken = true
          if !summaries.contains(event.summary) { summaries.append(event.summary) }
        }
        for edge in [begin, end] where edge > instant && begin < end { until = min(until ?? edge, edge) }
      }
    }
    return Moment(summaries: summaries, isTaken: isTaken, until: until)
  }
}
