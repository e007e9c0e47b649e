import FoundationEssentials

/// The JSON report: the rows of the table, and every measurement behind them.
struct ReportFile: Encodable {
  private struct Samples: Encodable {
    let workload: String
    let contender: String
    let seconds: [Double]
    let processorSeconds: [Double]
    let peakBytes: [Int]
  }

  private struct Numbers: Encodable {
    let workload: String
    /// What was printed, by round.
    let rounds: [[String: Double]]
  }

  private struct Figure: Encodable {
    let workload: String
    let title: String
    /// What was measured, and the same of the floor: seconds, or what the row counts.
    let values: [Double]
    let floors: [Double]
  }

  private let surroundings: Surroundings
  private let rounds: Int
  private let rows: [Row]
  private let warnings: [String]
  private let samples: [Samples]
  private let probes: [Numbers]
  private let figures: [Figure]

  init(
    surroundings: Surroundings, rounds: Int, rows: [Row], results: [WorkloadResult],
    probed: [ProbeResult] = [], figures: [HostFigure] = [], warnings: [String]
  ) {
    self.surroundings = surroundings
    self.rounds = rounds
    self.warnings = warnings
    self.rows = rows
    probes = probed.map { Numbers(workload: $0.probe.name, rounds: $0.rounds) }
    self.figures = figures.map {
      Figure(workload: $0.name, title: $0.title, values: $0.values, floors: $0.floors)
    }
    samples = results.flatMap { result in
      ([result.floor].compactMap(\.self) + [result.subject] + result.peers).map { series in
        Samples(
          workload: result.workload.name, contender: series.name, seconds: series.seconds,
          processorSeconds: series.measurements.map(\.processorSeconds), peakBytes: series.measurements.map(\.peakBytes)
        )
      }
    }
  }

  func write(to path: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try Data(encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
  }
}
