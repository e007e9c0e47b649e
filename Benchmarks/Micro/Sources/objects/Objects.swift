// objects [ROUNDS]
//
// Measures the object store of `Workspace` beside a floor in C, on the same records, in the same process. Without an argument it makes
// two rounds and prints the second as an object of JSON in one line, whose names the driver knows; with a number it makes so many
// after the first, and prints a table of medians.

import FoundationEssentials
import Glibc

@main
struct Objects {
  static func main() async throws {
    guard let argument = CommandLine.arguments.dropFirst().first else {
      let rounds = try await rounds(1)
      let numbers = rounds[0].map { "\"\($0.name)\": \($0.seconds)" }
      return print("{\(numbers.joined(separator: ", ")), \"peakBytes\": \(peakBytes)}")
    }
    guard let count = Int(argument), count > 0 else { throw BenchmarkError("usage: objects [ROUNDS]") }
    Table(rounds: try await rounds(count)).print()
  }

  /// So many rounds, after one that is not counted.
  private static func rounds(_ count: Int) async throws -> [[(name: String, seconds: Double)]] {
    let records = Round.Records()
    var results: [[(name: String, seconds: Double)]] = []
    for number in 0...count {
      var template = Array("\(temporaryDirectory)/penstock-objects-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else { throw BenchmarkError("cannot create a directory in \(temporaryDirectory)") }
      let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let round = Round(records, directory: directory, isFloorFirst: number.isMultiple(of: 2))
      try await round.run()
      if number > 0 { results.append(round.figures) }
    }
    return results
  }

  private static var temporaryDirectory: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  private static var peakBytes: Int {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
  }
}

/// Why nothing could be measured.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
