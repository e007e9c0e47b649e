/// Work that takes too little to be seen from outside: a program measures it itself, as often as it needs, and prints named
/// numbers.
struct Probe: Sendable {
  /// What a number is about.
  struct Figure: Sendable {
    /// What is measured, in a few words.
    let title: String
    /// The name of the number.
    let subject: String
    /// The name of the number of the floor, which is subtracted.
    var floor: String?
    let goal: Goal
  }

  /// What a figure must show.
  enum Goal: Sendable {
    /// Seconds more than the floor.
    case added(atMostSeconds: Double)
    /// Divided by the floor.
    case ratio(atMost: Double)
    /// Seconds.
    case time(atMostSeconds: Double)
    /// Events more than the floor has.
    case addedCount(atMost: Double)
    /// Bytes.
    case bytes(atMost: Double)
    /// Bytes, of which people read megabytes.
    case size(atMostMegabytes: Double)
    /// Events divided by the seconds that they took.
    case throughput(events: Int, atLeast: Double)
  }

  /// What `--only` knows it by.
  let name: String
  /// Who measures: `stores`, `plugins`, `hosts` or `installed`.
  let program: String
  let command: Command
  let figures: [Figure]
  /// Whether one round tells all.
  var isMeasuredOnce = false
}

/// What a probe printed, by round.
struct ProbeResult: Sendable {
  let probe: Probe
  let rounds: [[String: Double]]

  /// The numbers of one name. None is missing: whoever made this has looked.
  func values(_ name: String) -> [Double] { rounds.compactMap { $0[name] } }
}
