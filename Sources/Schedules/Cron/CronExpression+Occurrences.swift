extension CronExpression {
  /// How far ahead or back instants are searched, in seconds: one cycle of the Gregorian calendar. An expression that is not due within it, such as
  /// `0 0 30 2 *`, is never due.
  static let horizon: Int64 = 146_097 * 86_400

  /// Returns the first instant after `instant` at which it is due in `zone`; nil if there is none within 400 years or before the year 10000.
  ///
  /// A local time that is skipped when clocks go forward has no instant; one that occurs twice is due the first time.
  public func next(after instant: UnixTime, in zone: TimeZoneRules) -> UnixTime? {
    guard instant < .latest, namesAnyDay else { return nil }
    let begin = max(instant + 1, .earliest)
    let end = min(begin + Self.horizon, .latest)
    var at = begin
    while at < end {
      let period = zone.period(at: at)
      let offset = Int64(period.localTime.offset)
      let periodEnd = min(period.end, end)
      var local = at + offset
      while let match = firstMatch(from: local, before: periodEnd + offset) {
        if isFirst(match, at: match - offset, in: zone) { return match - offset }
        local = match + 1
      }
      at = periodEnd
    }
    return nil
  }

  /// Returns the last instant before `instant` at which it is due in `zone`; nil if there is none within 400 years or after the year 0.
  public func previous(before instant: UnixTime, in zone: TimeZoneRules) -> UnixTime? {
    guard instant > .earliest, namesAnyDay else { return nil }
    let end = min(instant, .latest)
    let begin = max(end - Self.horizon, .earliest)
    var at = end
    while at > begin {
      let period = zone.period(at: at - 1)
      let offset = Int64(period.localTime.offset)
      let periodBegin = max(period.start, begin)
      var local = at + offset
      while let match = lastMatch(from: periodBegin + offset, before: local) {
        if isFirst(match, at: match - offset, in: zone) { return match - offset }
        local = match
      }
      at = periodBegin
    }
    return nil
  }

  /// Whether the fields name any day at all. Searching for a day that does not exist would step through 400 years of clock changes.
  ///
  /// There are fourteen kinds of year, by first weekday and length; any 28 consecutive years contain all of them.
  private var namesAnyDay: Bool {
    (2000..<2028).contains { year in
      (1...12).contains { month in months & 1 << month != 0 && days(ofMonth: month, year: year) != 0 }
    }
  }

  /// Returns the first `count` instants after `instant`, or fewer if there are no more.
  public func instants(after instant: UnixTime, in zone: TimeZoneRules, count: Int) -> [UnixTime] {
    var instants: [UnixTime] = []
    var at = instant
    while instants.count < count, let next = next(after: at, in: zone) {
      instants.append(next)
      at = next
    }
    return instants
  }

  /// Returns whether it is due at `instant` in `zone`.
  public func isDue(at instant: UnixTime, in zone: TimeZoneRules) -> Bool {
    next(after: instant - 1, in: zone) == instant
  }

  /// Returns whether clocks show `local` for the first time at `instant`.
  private func isFirst(_ local: Int64, at instant: UnixTime, in zone: TimeZoneRules) -> Bool {
    zone.instants(of: CivilTime(localSeconds: local)).first == instant
  }

  // MARK: - Local times

  /// Returns the first local time that the fields name, from `begin` until before `end`.
  func firstMatch(from begin: Int64, before end: Int64) -> Int64? {
    guard begin < end else { return nil }
    var time = CivilTime(localSeconds: begin)
    var date = time.date
    var secondOfDay = time.secondOfDay
    while true {
      let bits = months & 1 << date.month != 0 ? days(ofMonth: date.month, year: date.year) : 0
      var day = date.day
      while let match = bits.firstBit(from: day) {
        if match > day { secondOfDay = 0 }
        if let second = firstSecond(from: secondOfDay) {
          let local = firstDay(date.year, date.month) + Int64(match - 1)
          let found = local * 86_400 + Int64(second)
          return found < end ? found : nil
        }
        day = match + 1
        secondOfDay = 0
      }
      time = CivilTime(localSeconds: followingMonth(date) * 86_400)
      guard time.localSeconds < end else { return nil }
      date = time.date
      secondOfDay = 0
    }
  }

  /// Returns the last local time that the fields name, from `begin` until before `end`.
  func lastMatch(from begin: Int64, before end: Int64) -> Int64? {
    guard begin < end else { return nil }
    var time = CivilTime(localSeconds: end - 1)
    while true {
      let date = time.date
      var secondOfDay = time.secondOfDay
      let first = firstDay(date.year, date.month)
      let bits = months & 1 << date.month != 0 ? days(ofMonth: date.month, year: date.year) : 0
      var day = date.day
      while let match = bits.lastBit(through: day) {
        if match < day { secondOfDay = 86_399 }
        if let second = lastSecond(through: secondOfDay) {
          let found = (first + Int64(match - 1)) * 86_400 + Int64(second)
          return found >= begin ? found : nil
        }
        day = match - 1
        secondOfDay = 86_399
      }
      time = CivilTime(localSeconds: first * 86_400 - 1)
      guard time.localSeconds >= begin else { return nil }
    }
  }

  func firstDay(_ year: Int, _ month: Int) -> Int64 {
    CivilDate(year: year, month: month, day: 1)?.dayNumber ?? 0
  }

  func followingMonth(_ date: CivilDate) -> Int64 {
    firstDay(date.year, date.month) + Int64(CivilDate.length(ofMonth: date.month, year: date.year))
  }

  private func firstSecond(from secondOfDay: Int) -> Int? {
    let (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
    if hours & 1 << hour != 0 {
      if minutes & 1 << minute != 0, let found = seconds.firstBit(from: second) {
        return hour * 3600 + minute * 60 + found
      }
      if let found = minutes.firstBit(from: minute + 1) {
        return hour * 3600 + found * 60 + seconds.trailingZeroBitCount
      }
    }
    return hours.firstBit(from: hour + 1).map {
      $0 * 3600 + minutes.trailingZeroBitCount * 60 + seconds.trailingZeroBitCount
    }
  }

  private func lastSecond(through secondOfDay: Int) -> Int? {
    let (hour, minute, second) = (secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60)
    if hours & 1 << hour != 0 {
      if minutes & 1 << minute != 0, let found = seconds.lastBit(through: second) {
        return hour * 3600 + minute * 60 + found
      }
      if let found = minutes.lastBit(through: minute - 1) {
        return hour * 3600 + found * 60 + seconds.highestBit
      }
    }
    return hours.lastBit(through: hour - 1).map { $0 * 3600 + minutes.highestBit * 60 + seconds.highestBit }
  }
}

extension UInt64 {
  /// Returns the lowest set bit at or above `index`.
  fileprivate func firstBit(from index: Int) -> Int? {
    guard index < 64 else { return nil }
    let rest = self >> UInt64(index)
    return rest == 0 ? nil : index + rest.trailingZeroBitCount
  }

  /// Returns the highest set bit at or below `index`.
  fileprivate func lastBit(through index: Int) -> Int? {
    guard index >= 0 else { return nil }
    let rest = self << UInt64(63 - index)
    return rest == 0 ? nil : index - rest.leadingZeroBitCount
  }

  /// The highest set bit.
  fileprivate var highestBit: Int { 63 - leadingZeroBitCount }
}
