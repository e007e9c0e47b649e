// objects [ROUNDS]
//
// Measures the object store of `Workspace` beside a floor in C, on the same records, in the same process, and prints a table of
// medians: of so many rounds (9 if nothing is said), after one that is not counted.

import FoundationEssentials
import Glibc

@main
struct Objects {
  static func main() async throws {
    guard let count = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) : 9, count > 0 else {
      throw BenchmarkError("usage: objects [ROUNDS]")
    }
    Table(rounds: try await rounds(count)).print()
  }

  /// So many rounds, after one that is not counted.
  private static func rounds(_ count: Int) async throws -> [[(name: String, seconds: Double)]] {
    let records = Round.Records()
    var results: [[(name: String, seconds: Double)]] = []
    for number in 0...count {
      var template = Array("\(temporaryDirectory)/penstock-objects-XXXXXX".utf8CString)
      guard mkdtemp(&template) != nil else {
        throw BenchmarkError("cannot create a directory in \(temporaryDirectory)")
      }
      let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      defer { try? FileManager.default.removeItem(atPath: directory) }
      let round = Round(records, directory: directory, isFloorFirst: number.isMultiple(of: 2))
      try await round.run()
      if number > 0 { results.append(round.figures) }
    }
    return results
  }

  private static var temporaryDirectory: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }
}

/// Why nothing could be measured.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
