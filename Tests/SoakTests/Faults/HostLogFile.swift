import Foundation

/// The file that the logs of all hosts of a test are written to, one line after the other.
struct HostLogFile: Sendable {
  let path: String

  /// Where the next line will be.
  var end: UInt64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
  }

  /// The lines from a place on.
  func lines(from start: UInt64) -> [Substring] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    guard (try? file.seek(toOffset: start)) != nil, let data = try? file.readToEnd() else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  /// Whether such a line was written since a place.
  func has(_ line: Fault.Line, since start: UInt64) -> Bool {
    lines(from: start).contains { text in
      text.contains(#""event":"\#(line.event)""#) && line.texts.contains { text.contains($0) }
    }
  }

  /// By how much, in milliseconds, the turns and the timers of the event loop of the last host that ended were late at most, but for one in a thousand.
  func lateness(since start: UInt64) throws -> (turns: Double, timers: Double, count: Int)? {
    guard let line = lines(from: start).last(where: { $0.contains(#""event":"lateness""#) }),
      let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let turns = members["turns"] as? [String: Any], let timers = members["timers"] as? [String: Any],
      let turn = turns["p999_ms"] as? Double, let timer = timers["p999_ms"] as? Double,
      let count = turns["count"] as? Int
    else { return nil }
    return (turn, timer, count)
  }

  /// What a person needs to understand a breach: the latest lines, without those of runs that went well.
  var account: String {
    let lines = lines(from: end > 4 << 20 ? end - 4 << 20 : 0).filter {
      !$0.contains(#""event":"run-began""#) && !$0.contains("succeeded")
    }
    return lines.suffix(300).joined(separator: "\n")
  }
}
