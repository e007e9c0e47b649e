/// The functions that expressions may call.
package enum ExpressionFunction: UInt8, Sendable, CaseIterable {
  case contains, startsWith, endsWith, format, join, toJSON, fromJSON, hashFiles
  case success, failure, always, cancelled
  case `case`, length, keys, first, last, formatDate, addDuration

  /// The documented spelling of the name; expressions may write it in any case.
  package var name: String {
    switch self {
    case .contains: "contains"
    case .startsWith: "startsWith"
    case .endsWith: "endsWith"
    case .format: "format"
    case .join: "join"
    case .toJSON: "toJSON"
    case .fromJSON: "fromJSON"
    case .hashFiles: "hashFiles"
    case .success: "success"
    case .failure: "failure"
    case .always: "always"
    case .cancelled: "cancelled"
    case .case: "case"
    case .length: "length"
    case .keys: "keys"
    case .first: "first"
    case .last: "last"
    case .formatDate: "formatDate"
    case .addDuration: "addDuration"
    }
  }

  /// The number of arguments allowed, at most 255 as in GitHub Actions.
  var argumentCount: ClosedRange<Int> {
    switch self {
    case .contains, .startsWith, .endsWith: 2...2
    case .format, .hashFiles: 1...255
    case .join: 1...2
    case .addDuration: 2...2
    case .formatDate: 2...3
    case .toJSON, .fromJSON, .length, .keys, .first, .last: 1...1
    case .success, .failure, .always, .cancelled: 0...0
    case .case: 3...255
    }
  }

  /// The call syntax, for messages.
  var usage: String {
    switch self {
    case .contains: "contains(search, item)"
    case .startsWith: "startsWith(text, beginning)"
    case .endsWith: "endsWith(text, end)"
    case .format: "format(text, value, …)"
    case .join: "join(list, separator)"
    case .formatDate: "formatDate(instant, format, zone)"
    case .addDuration: "addDuration(instant, duration)"
    case .hashFiles: "hashFiles(pattern, …)"
    case .case: "case(condition, value, …, default)"
    case .toJSON, .fromJSON, .length, .keys, .first, .last: "\(name)(value)"
    case .success, .failure, .always, .cancelled: "\(name)()"
    }
  }

  /// Whether the function queries the status of the run or the dependencies.
  package var isStatus: Bool {
    switch self {
    case .success, .failure, .always, .cancelled: true
    default: false
    }
  }

  /// Returns the function called `name`, in any case.
  static func named(_ name: String) -> ExpressionFunction? { byName[name.lowercased()] }

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name.lowercased(), $0) })
}
