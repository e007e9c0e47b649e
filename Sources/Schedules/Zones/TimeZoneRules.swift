/// The rules of a zone, which convert between instants and local times.
///
/// A value is immutable and can be used from any thread. ``TimeZoneDatabase`` finds the rules by name.
public struct TimeZoneRules: Sendable {
  /// The local time of a zone during a period.
  public struct LocalTime: Sendable, Hashable {
    /// The offset in seconds east of UTC, less than 26 hours in either direction.
    public let offset: Int
    /// Whether it is called daylight saving time.
    public let isDaylightSaving: Bool
    /// The abbreviation, such as `CEST`; in some zones only the offset, such as `+03`.
    public let abbreviation: String
  }

  /// A period without clock changes.
  public struct Period: Sendable, Hashable {
    /// The start of the period; `UnixTime.min` if it is unbounded.
    public let start: UnixTime
    /// The start of the next period; `UnixTime.max` if there is none.
    public let end: UnixTime
    /// The local time during the period.
    public let localTime: LocalTime
  }

  /// The exclusive bound of offsets in either direction; files with larger offsets are rejected.
  static let offsetBound = 26 * 3600

  /// The name of the zone.
  public let name: String
  /// The instants of clock changes, ascending.
  let transitions: [UnixTime]
  /// The index in `localTimes` that applies from each of `transitions`.
  let kinds: [UInt8]
  /// The kinds of local time; the first applies before all of `transitions`.
  let localTimes: [LocalTime]
  /// The rules after the last of `transitions`; nil if the local time no longer changes.
  let formula: TimeZoneFormula?

  init(
    name: String, transitions: [UnixTime] = [], kinds: [UInt8] = [], localTimes: [LocalTime],
    formula: TimeZoneFormula? = nil
  ) {
    self.name = name
    self.transitions = transitions
    self.kinds = kinds
    self.localTimes = localTimes
    self.formula = formula
  }

  /// Coordinated Universal Time, which needs no database.
  public static let utc = TimeZoneRules(
    name: "UTC", localTimes: [LocalTime(offset: 0, isDaylightSaving: false, abbreviation: "UTC")])

  /// Returns the period that contains `instant`. Consecutive periods may have the same local time.
  public func period(at instant: UnixTime) -> Period {
    let next = transitions.partitionPoint { $0 > instant }
    let start = next == 0 ? UnixTime.min : transitions[next - 1]
    if next < transitions.count {
      return Period(start: start, end: transitions[next], localTime: localTime(before: next))
    }
    guard let formula else {
      return Period(start: start, end: .max, localTime: localTime(before: next))
    }
    let period = formula.period(at: instant)
    return Period(start: max(start, period.start), end: period.end, localTime: period.localTime)
  }

  private func localTime(before transition: Int) -> LocalTime {
    localTimes[transition == 0 ? 0 : Int(kinds[transition - 1])]
  }

  /// Returns the kind of local time at `instant`.
  public func localTime(at instant: UnixTime) -> LocalTime {
    period(at: instant).localTime
  }

  /// Returns the date and time of day at `instant`.
  public func civilTime(at instant: UnixTime) -> CivilTime {
    let instant = Swift.min(Swift.max(instant, .earliest), .latest)
    return CivilTime(localSeconds: instant + Int64(localTime(at: instant).offset))
  }

  /// Returns the instants at which clocks show `time`, ascending: usually one, none in a gap, two when clocks go back.
  public func instants(of time: CivilTime) -> [UnixTime] {
    let local = time.localSeconds
    let last = local + Int64(Self.offsetBound)
    var instants: [UnixTime] = []
    var at = local - Int64(Self.offsetBound)
    while true {
      let period = period(at: at)
      let instant = local - Int64(period.localTime.offset)
      if instant >= period.start, instant < period.end { instants.append(instant) }
      guard period.end <= last else { return instants }
      at = period.end
    }
  }

  /// Returns the first instant at which clocks show `time`; in a gap, an instant as far past the change as `time` is into the gap.
  public func firstInstant(of time: CivilTime) -> UnixTime {
    if let instant = instants(of: time).first { return instant }
    // Interpreted with the offset before the gap, as RFC 5545 specifies.
    let before = localTime(at: time.localSeconds - Int64(Self.offsetBound)).offset
    return time.localSeconds - Int64(before)
  }

  /// Formats `instant` in local time with its offset, as in `2026-03-29T03:00:00+02:00`; in UTC, with `Z`.
  public func format(_ instant: UnixTime) -> String {
    let offset = localTime(at: instant).offset
    let text = civilTime(at: instant).description
    if offset == 0, name == Self.utc.name { return text + "Z" }
    // The seconds of local mean times are omitted, because RFC 3339 cannot express them.
    let minutes = abs(offset) / 60
    return text + "\(offset < 0 ? "-" : "+")\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the first index at which `isAfter` holds, if it also holds for all later elements.
  func partitionPoint(_ isAfter: (Element) -> Bool) -> Int {
    var low = startIndex
    var high = endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
