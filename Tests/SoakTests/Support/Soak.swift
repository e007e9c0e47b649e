import Foundation
import Testing

// # Soak tests
//
// What the unit tests cannot cover: hosts killed at random moments, fuzzed files, full disks. Everything here runs the built `penstock`, or gives the
// libraries input that no user would write.
//
// Each test has a short form, which every `swift test` runs, and a long one: `PENSTOCK_SOAK=full swift test --filter SoakTests`.
// `PENSTOCK_SOAK_MINUTES=120` keeps hosts under faults for two hours. A failure prints its seed and its round; `PENSTOCK_SOAK_SEED=<n>` and
// `PENSTOCK_SOAK_ROUND=<n>` repeat only that round.

/// The suite of all soak tests. They run one after another, because they load the computer and some measure time.
@Suite("Soak", .serialized)
enum Soak {
  /// Whether the long form was requested.
  static let isFull = ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full"

  /// The seed of every random choice.
  static let seed = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? 20_261_121

  /// The only round to run, if one is to be repeated.
  static let onlyRound = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_ROUND"].flatMap { Int($0) }

  /// Returns the long form's number or the short form's.
  static func count(full: Int, short: Int) -> Int { isFull ? full : short }

  /// How long hosts are subjected to faults: ten minutes in the long form, unless `PENSTOCK_SOAK_MINUTES` is set.
  static let faultTime: Duration = {
    let minutes = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_MINUTES"].flatMap { Int($0) }
    return minutes.map { .seconds($0 * 60) } ?? .seconds(count(full: 600, short: 15))
  }()

  /// The rounds to run.
  static func rounds(full: Int, short: Int) -> any Collection<Int> {
    if let onlyRound { return onlyRound..<(onlyRound + 1) }
    return 0..<count(full: full, short: short)
  }

  /// Returns how to reproduce a failure.
  static func place(_ round: Int) -> Comment {
    "repeat with PENSTOCK_SOAK_SEED=\(seed) PENSTOCK_SOAK_ROUND=\(round)"
  }
}
