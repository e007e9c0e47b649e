/// The dates and times that a calendar file (RFC 5545) names, such as a country's public holidays.
///
/// A plain list of dates would take about 40 lines instead of 500, but public holidays are published as `.ics` files, and team calendars contain
/// yearly events, moved instances and zones. Users would have to convert those files, and do so again every year.
///
/// A value is immutable and can be used from any thread.
public struct ICalendar: Sendable {
  /// The events that take place at an instant.
  public struct Moment: Sendable, Hashable {
    /// The summaries of these events, in file order; empty if there are none.
    public let summaries: [String]
    /// Whether any event takes place.
    public let isTaken: Bool
    /// When the next event begins or ends; nil if none does for two years.
    public let until: UnixTime?
  }

  private let events: [ICalendarEvent]
  private let zones: [TimeZoneRules]

  init(events: [ICalendarEvent], zones: [TimeZoneRules]) {
    self.events = events
    self.zones = zones
  }

  /// Reads a calendar file.
  ///
  /// Only events count. Cancelled events (STATUS:CANCELLED) and events without duration are ignored. Recurrence is supported as far as ``YearlyRule``
  /// describes it, with EXDATE, RDATE and RECURRENCE-ID; any other rule is an error, because silently missing days would be worse.
  ///
  /// - Parameters:
  ///   - bytes: The contents of the file, at most 4 MiB.
  ///   - zones: The database in which the time zones that the file names are looked up.
  /// - Throws: ``ICalendarError``, with the line.
  public init(_ bytes: [UInt8], zones: TimeZoneDatabase) throws(ICalendarError) {
    self = try ICalendarReader.read(bytes, zones: zones)
  }

  /// The number of events.
  public var count: Int { events.count }

  /// Returns the events that take place at `instant`; whole days are days of `zone`.
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
