/// The fields of a cron line, with their names and ranges.
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
    // 7 is Sunday, like 0.
    case .dayOfWeek: 0...7
    }
  }

  /// A bit for each value of the field.
  var all: UInt64 {
    // 7 is an alias of Sunday, not a separate value.
    let range = self == .dayOfWeek ? 0...6 : range
    return range.reduce(0) { $0 | 1 << UInt64($1) }
  }

  /// The names of its values; the first stands for `firstName`.
  var names: [String] {
    switch self {
    case .month: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    case .dayOfWeek: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    default: []
    }
  }

  private var firstName: Int { self == .month ? 1 : 0 }

  /// Returns the number that the three letters `text` stand for.
  func number(named text: String) -> Int? {
    names.firstIndex(of: text.lowercased()).map { $0 + firstName }
  }
}
