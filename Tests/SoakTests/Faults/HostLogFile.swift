import Foundation

/// The file that all hosts of a test append their logs to.
struct HostLogFile: Sendable {
  let path: String

  /// The offset of the next line.
  var end: UInt64 {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.uint64Value ?? 0
  }

  /// Returns the lines from an offset on.
  func lines(from start: UInt64) -> [Substring] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    guard (try? file.seek(toOffset: start)) != nil, let data = try? file.readToEnd() else { return [] }
    return String(decoding: data, as: UTF8.self).split(separator: "\n")
  }

  /// Returns whether such a line was written since an offset.
  func has(_ line: Fault.Line, since start: UInt64) -> Bool {
    lines(from: start).contains { text in
      text.contains(#""event":"\#(line.event)""#) && line.texts.contains { text.contains($0) }
    }
  }

  /// Returns the 99.9th percentiles, in milliseconds, of the lateness of turns and of timers in the event loop of the last host that ended.
  func lateness(since start: UInt64) throws -> (turns: Double, timers: Double, count: Int)? {
    guard let line = lines(from: start).last(where: { $0.contains(#""event":"lateness""#) }),
      let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any],
      let turns = members["turns"] as? [String: Any], let timers = members["timers"] as? [String: Any],
      let turn = turns["p999_ms"] as? Double, let timer = timers["p999_ms"] as? Double,
      let count = turns["count"] as? Int
    else { return nil }
    return (turn, timer, count)
  }

  /// What is needed to understand a breach: the latest lines, without those of successful runs.
  var account: String {
    let lines = lines(from: end > 4 << 20 ? end - 4 << 20 : 0).filter {
      !$0.contains(#""event":"run-began""#) && !$0.contains("succeeded")
    }
    return lines.suffix(300).joined(separator: "\n")
  }
}
