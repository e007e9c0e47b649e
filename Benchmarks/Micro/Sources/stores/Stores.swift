// stores FIGURE
//
// Measures one of the figures of the stores and prints it as an object of JSON in one line, whose names the driver knows:
//
//     stores run          a run of an empty operation, beside the bare call
//     stores changes      changes of a specification, told through a formula to many
//     stores memory       what a store takes that nobody uses
//     stores idle [N]     how often the process is woken up while nothing happens, for N seconds
//
// The driver starts it once for each round.

@main
struct Stores {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.count) {
    case ("run", 1): print(try await RunFigure.measure().line)
    case ("changes", 1): print(try ChangesFigure.measure().line)
    case ("memory", 1): print(try MemoryFigure.measure().line)
    case ("idle", 1): print(try await IdleFigure.measure(seconds: 10).line)
    case ("idle", 2): print(try await IdleFigure.measure(seconds: arguments.last.flatMap { Int($0) } ?? 10).line)
    default: throw StoresError("usage: stores run|changes|memory|idle [SECONDS]")
    }
  }
}

/// Why nothing could be measured.
struct StoresError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Named numbers, in the order in which they are printed.
struct Figures {
  let values: KeyValuePairs<String, Double>

  /// All of them, and the most memory that the process had resident.
  var line: String {
    let named = values.map { ($0, $1) } + [("peakBytes", ProcessFile.peakBytes)]
    return "{" + named.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }
}
