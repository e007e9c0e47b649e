/// Which local time an instant has in a zone, and which instants a local time has.
///
/// A value is immutable and can be used from any thread. ``TimeZoneDatabase`` finds the rules by name.
public struct TimeZoneRules: Sendable {
  /// What the clocks of a zone show for a while.
  public struct LocalTime: Sendable, Hashable {
    /// Seconds east of UTC, less than 26 hours either way.
    public let offset: Int
    /// Whether it is called daylight saving time.
    public let isDaylightSaving: Bool
    /// As in `CEST`; some zones have none but the offset, as in `+03`.
    public let abbreviation: String
  }

  /// A while in which the clocks are not changed.
  public struct Period: Sendable, Hashable {
    /// When it begins; `UnixTime.min` where it has no beginning.
    public let start: UnixTime
    /// When the next one begins; `UnixTime.max` where it has no end.
    public let end: UnixTime
    /// What the clocks show meanwhile.
    public let localTime: LocalTime
  }

  /// No offset reaches it, in either direction; files with such offsets are refused.
  static let offsetBound = 26 * 3600

  /// What the zone is called.
  public let name: String
  /// When the clocks are changed, ascending.
  let transitions: [UnixTime]
  /// What they show after each of `transitions`.
  let kinds: [UInt8]
  /// What they may show; the first is what they show before all of `transitions`.
  let localTimes: [LocalTime]
  /// What comes after the last of `transitions`; nil leaves everything as it is then.
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

  /// Coordinated Universal Time. Needs no database.
  public static let utc = TimeZoneRules(
    name: "UTC", localTimes: [LocalTime(offset: 0, isDaylightSaving: false, abbreviation: "UTC")])

  /// The while that `instant` lies in. Periods that follow each other may show the same time.
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

  /// What the clocks show at `instant`.
  public func localTime(at instant: UnixTime) -> LocalTime {
    period(at: instant).localTime
  }

  /// The local time that `instant` has.
  public func civilTime(at instant: UnixTime) -> CivilTime {
    let instant = Swift.min(Swift.max(instant, .earliest), .latest)
    return CivilTime(localSeconds: instant + Int64(localTime(at: instant).offset))
  }

  /// The instants at which the clocks show `time`, ascending: mostly one, none in a gap, two where they are put back.
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

  /// The first instant at which the clocks show `time`; in a gap the one as long after its beginning as `time` is in it.
  public func firstInstant(of time: CivilTime) -> UnixTime {
    if let instant = instants(of: time).first { return instant }
    // Read by the clocks before they were put forward, as RFC 5545 says.
    let before = localTime(at: time.localSeconds - Int64(Self.offsetBound)).offset
    return time.localSeconds - Int64(before)
  }

  /// `instant` in local time with its offset, as in `2026-03-29T03:00:00+02:00`; `Z` in UTC itself.
  public func format(_ instant: UnixTime) -> String {
    let offset = localTime(at: instant).offset
    let text = civilTime(at: instant).description
    if offset == 0, name == Self.utc.name { return text + "Z" }
    // Local mean times have seconds, which RFC 3339 cannot say; they are left out.
    let minutes = abs(offset) / 60
    return text + "\(offset < 0 ? "-" : "+")\((minutes / 60).padded(2)):\((minutes % 60).padded(2))"
  }
}

extension RandomAccessCollection where Index == Int {
  /// The first index of which `isAfter` holds, where it holds of all that follow.
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
