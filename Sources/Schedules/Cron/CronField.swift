/// What the fields of a cron line are called and may hold.
enum CronField: CaseIterable {
  case second, minute, hour, dayOfMonth, month, dayOfWeek

  var name: String {
    switch self {
    case .second: "second"
    case .minute: "minute"
    case .hour: "hour"
    case .dayOfMonth: "day of the month"
    case .month: "month"
    case .dayOfWeek: "day of the week"
    }
  }

  var range: ClosedRange<Int> {
    switch self {
    case .second, .minute: 0...59
    case .hour: 0...23
    case .dayOfMonth: 1...31
    case .month: 1...12
    // 7 is Sunday again.
    case .dayOfWeek: 0...7
    }
  }

  /// A bit for each of its values.
  var all: UInt64 {
    // The 7 of Sunday is no value of its own.
    let range = self == .dayOfWeek ? 0...6 : range
    return range.reduce(0) { $0 | 1 << UInt64($1) }
  }

  /// Its names, the first for the number `firstName`.
  var names: [String] {
    switch self {
    case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    default: []
    }
  }

  private var firstName: Int { self == .month ? 1 : 0 }

  /// The number that the three letters `text` stand for.
  func number(named text: String) -> Int? {
    names.firstIndex(of: text.lowercased()).map { $0 + firstName }
  }
}
