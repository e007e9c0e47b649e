import FoundationEssentials

/// What a host has told in its log.
struct HostLogLines {
  /// How long something took, many times, in milliseconds.
  struct Figures: Decodable {
    let count: Int
    let median_ms: Double
    let p999_ms: Double
  }

  private struct Lateness: Decodable {
    let event: String
    let turns: Figures
    let timers: Figures
  }

  private let file: String

  init(_ file: String) {
    self.file = file
  }

  /// How late the event loop was: how long it was busy each time, and how late timers were.
  func lateness() throws -> (turns: Figures, timers: Figures) {
    for line in KernelFile.text(file).split(separator: "\n").reversed() where line.contains("\"lateness\"") {
      if let found = try? JSONDecoder().decode(Lateness.self, from: Data(line.utf8)), found.event == "lateness" {
        return (found.turns, found.timers)
      }
    }
    throw BenchError("the host has not told how late its loop was: \(KernelFile.text(file).suffix(2000))")
  }
}
