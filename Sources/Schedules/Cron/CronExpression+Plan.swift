extension CronExpression {
  /// An instant at which the expression is due, or at which a clock change skips one.
  public struct Planned: Sendable, Hashable {
    /// The instant; for skipped times, the instant at which clocks go forward.
    public var instant: UnixTime
    /// Whether nothing is due, because all times named here are skipped by the clock change.
    public var isSkipped = false
    /// Which times are skipped or occur twice, in one line.
    public var note: String?
  }

  /// Returns the first `limit` instants after `start`, up to and including `end`, and whether there are more.
  ///
  /// Besides the instants at which the expression is due, they include the clock changes that skip times it names.
  public func plan(
    after start: UnixTime, upTo end: UnixTime, in zone: TimeZoneRules, limit: Int
  ) -> (planned: [Planned], hasMore: Bool) {
    var planned: [Planned] = []
    var at = start
    var last = end
    while let next = next(after: at, in: zone), next <= end {
      guard planned.count < limit else {
        // Times skipped before the first instant past the limit still belong to this result.
        last = next - 1
        break
      }
      planned.append(Planned(instant: next, note: doubling(at: next, in: zone)))
      at = next
    }
    var all: [Planned] = []
    var rest = planned[...]
    for skipped in skips(after: start, upTo: last, in: zone) {
      while let first = rest.first, first.instant < skipped.instant {
        all.append(first)
        rest.removeFirst()
      }
      if var first = rest.first, first.instant == skipped.instant {
        first.note = [skipped.note, first.note].compactMap { $0 }.joined(separator: "; ")
        all.append(first)
        rest.removeFirst()
      } else {
        all.append(skipped)
      }
    }
    all += rest
    return (Array(all.prefix(limit)), last < end || all.count > limit)
  }

  /// Returns the number of instants after `start`, up to and including `end`, at which it is due.
  ///
  /// It counts per day rather than per instant, so a schedule that is due every second takes no longer than a daily one.
  public func count(after start: UnixTime, upTo end: UnixTime, in zone: TimeZoneRules) -> Int {
    guard start < end, start < .latest else { return 0 }
    var count = 0
    var at = max(start + 1, .earliest)
    let end = min(end, .latest - 1)
    while at <= end {
      let period = zone.period(at: at)
      let offset = Int64(period.localTime.offset)
      let stop = min(period.end, end + 1)
      var from = at + offset
      // Local times that occur for the second time have already been counted.
      if period.start > .earliest {
        from = max(from, period.start + Int64(zone.localTime(at: period.start - 1).offset))
      }
      count += matches(from: from, before: stop + offset)
      at = stop
    }
    return count
  }

  /// Returns the number of local times that the fields name, from `begin` until before `end`.
  private func matches(from begin: Int64, before end: Int64) -> Int {
    guard begin < end else { return 0 }
    var count = 0
    var month = CivilTime(localSeconds: begin).date
    while true {
      let first = firstDay(month.year, month.month)
      guard first * 86_400 < end else { return count }
      let bits = months & 1 << month.month != 0 ? days(ofMonth: month.month, year: month.year) : 0
      for day in 1...31 where bits & 1 << day != 0 {
        let midnight = (first + Int64(day - 1)) * 86_400
        let (from, to) = (max(begin - midnight, 0), min(end - midnight, 86_400))
        if from < to { count += matchesOfDay(before: Int(to)) - matchesOfDay(before: Int(from)) }
      }
      month = CivilTime(localSeconds: followingMonth(month) * 86_400).date
    }
  }

  /// Returns the number of times of day before `second` that the fields name.
  private func matchesOfDay(before second: Int) -> Int {
    func below(_ bits: UInt64, _ count: Int) -> Int { (bits & (1 << UInt64(count) - 1)).nonzeroBitCount }
    let (hour, minute) = (second / 3600, second / 60 % 60)
    let perMinute = seconds.nonzeroBitCount
    var count = below(hours, hour) * minutes.nonzeroBitCount * perMinute
    guard hours & 1 << hour != 0 else { return count }
    count += below(minutes, minute) * perMinute
    return minutes & 1 << minute != 0 ? count + below(seconds, second % 60) : count
  }

  /// Returns a note if the local time of `instant` occurs again because clocks go back; otherwise nil.
  private func doubling(at instant: UnixTime, in zone: TimeZoneRules) -> String? {
    let period = zone.period(at: instant)
    guard period.end < .latest else { return nil }
    let (old, new) = (Int64(period.localTime.offset), Int64(zone.localTime(at: period.end).offset))
    guard new < old, instant >= period.end - (old - new) else { return nil }
    let time = Self.clock(instant + old)
    return
      "\(time) occurs twice, and the first time counts: the clocks go back from \(Self.clock(period.end + old)) to "
      + Self.clock(period.end + new)
  }

  /// Returns the clock changes that skip times which the fields name.
  private func skips(after start: UnixTime, upTo end: UnixTime, in zone: TimeZoneRules) -> [Planned] {
    var skips: [Planned] = []
    var period = zone.period(at: max(start, .earliest))
    while period.end <= min(end, .latest) {
      let change = period.end
      let next = zone.period(at: change)
      let (from, to) = (change + Int64(period.localTime.offset), change + Int64(next.localTime.offset))
      if change > start, let note = skipping(from, to) {
        skips.append(Planned(instant: change, isSkipped: true, note: note))
      }
      period = next
    }
    return skips
  }

  /// Describes the named times that a clock change from one local time to another skips; nil if there are none.
  private func skipping(_ from: Int64, _ to: Int64) -> String? {
    guard let first = firstMatch(from: from, before: to), let last = lastMatch(from: from, before: to) else {
      return nil
    }
    let change = "the clocks go from \(Self.clock(from)) to \(Self.clock(to))"
    if first == last { return "\(Self.clock(first)) is skipped: \(change)" }
    var count = 0
    var at = from
    while let match = firstMatch(from: at, before: to) {
      count += 1
      at = match + 1
    }
    return "\(count) times from \(Self.clock(first)) to \(Self.clock(last)) are skipped: \(change)"
  }

  /// Formats a time of day as `02:30`, with seconds if they are not zero.
  private static func clock(_ local: Int64) -> String {
    let second = CivilTime(localSeconds: local).secondOfDay
    let time = "\((second / 3600).padded(2)):\((second / 60 % 60).padded(2))"
    return second % 60 == 0 ? time : "\(time):\((second % 60).padded(2))"
  }
}
