import Foundation
import Testing

// # Soak tests
//
// What the unit tests cannot show: hosts that are killed at random moments, files that a fuzzer has been at, disks that are full.
// Everything here runs the built `penstock`, or feeds the libraries what nobody would write.
//
// Each test has a short form, which every `swift test` runs, and a long one: `PENSTOCK_SOAK=full swift test --filter SoakTests`.
// `PENSTOCK_SOAK_MINUTES=120` lets hosts be under faults for two hours. A failure prints its seed and its round; `PENSTOCK_SOAK_SEED=<n>` and `PENSTOCK_SOAK_ROUND=<n>` repeat that round alone.

/// The suite of all soak tests. They run one after another, because they load the machine and some measure time.
@Suite("Soak", .serialized)
enum Soak {
  /// Whether the long form was asked for.
  static let isFull = ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full"

  /// What every random choice is derived from.
  static let seed = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? 20_261_121

  /// The only round to run, when one is to be repeated.
  static let onlyRound = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_ROUND"].flatMap { Int($0) }

  /// The long form's number, or the short form's.
  static func count(full: Int, short: Int) -> Int { isFull ? full : short }

  /// How long hosts are left to their faults: ten minutes in the long form. `PENSTOCK_SOAK_MINUTES` says another time.
  static let faultTime: Duration = {
    let minutes = ProcessInfo.processInfo.environment["PENSTOCK_SOAK_MINUTES"].flatMap { Int($0) }
    return minutes.map { .seconds($0 * 60) } ?? .seconds(count(full: 600, short: 15))
  }()

  /// The rounds to run.
  static func rounds(full: Int, short: Int) -> any Collection<Int> {
    if let onlyRound { return onlyRound..<(onlyRound + 1) }
    return 0..<count(full: full, short: short)
  }

  /// What a person needs to see a failure again.
  static func place(_ round: Int) -> Comment {
    "repeat with PENSTOCK_SOAK_SEED=\(seed) PENSTOCK_SOAK_ROUND=\(round)"
  }
}
