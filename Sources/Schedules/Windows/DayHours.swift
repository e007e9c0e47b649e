/// A range of hours of a day in local time; it extends past midnight if the end is before the start.
public struct DayHours: Sendable, Hashable {
  /// The start in seconds after midnight, less than a day.
  let from: Int
  /// The end in seconds after midnight, at most a day.
  let to: Int

  private init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }

  /// The whole day, from midnight to midnight.
  public static let whole = DayHours(from: 0, to: 86_400)

  /// Parses times such as `08:00` and `18:30:15`; only the end may be `24:00`.
  public init(from: String, to: String) throws(WindowError) {
    let begin = try Self.seconds(from, .from)
    let end = try Self.seconds(to, .to)
    guard begin < 86_400 else { throw WindowError("a window cannot begin at '\(from)'; write 00:00", .from) }
    guard begin != end else {
      throw WindowError("a window from \(from) to \(to) is never open; for whole days write 00:00 to 24:00", .to)
    }
    self.init(from: begin, to: end)
  }

  private static func seconds(_ text: String, _ part: WindowError.Part) throws(WindowError) -> Int {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in
      (1...2).contains(part.utf8.count) && part.utf8.allSatisfy(\.isDigit) ? Int(part) : nil
    }
    guard (2...3).contains(parts.count), numbers.count == parts.count, parts.dropFirst().allSatisfy({ $0.count == 2 })
    else { throw WindowError("'\(text)' is not a time of day; write it as 08:00 or 18:30:15", part) }
    let second = numbers.count > 2 ? numbers[2] : 0
    let isMidnight = numbers[0] == 24 && numbers[1] == 0 && second == 0
    guard numbers[0] < 24 || isMidnight, numbers[1] < 60, second < 60 else {
      throw WindowError("'\(text)' is not a time of day; use 00:00 to 24:00", part)
    }
    return numbers[0] * 3600 + numbers[1] * 60 + second
  }
}

extension DayHours: CustomStringConvertible {
  /// For example, `08:00 to 18:00`.
  public var description: String {
    if self == .whole { return "all day" }
    return "\(Self.text(from)) to \(Self.text(to))"
  }

  private static func text(_ seconds: Int) -> String {
    let minutes = "\((seconds / 3600).padded(2)):\((seconds / 60 % 60).padded(2))"
    return seconds % 60 == 0 ? minutes : minutes + ":\((seconds % 60).padded(2))"
  }
}

/// The reason that a time window is invalid.
public struct WindowError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A part of the definition of a window.
  public enum Part: String, Sendable, Hashable {
    case days, from, to
  }

  /// What is wrong, and what to do.
  public let description: String
  /// The part that is wrong.
  public let part: Part

  init(_ description: String, _ part: Part) {
    self.description = description
    self.part = part
  }
}
