import ArgumentParser
import FoundationEssentials

/// Measures hosts, which run while others ask something of them, beside the goals of issue 24 and floors of the same minutes.
struct Hosting: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "host", abstract: "Measure `penstock serve` beside its goals and the floors.")

  /// What is measured as all commands are.
  private static let commands = ["version", "cold-existing"]

  @OptionGroup var common: CommonOptions

  @Option(help: ArgumentHelp("Measure this; may be given several times.", valueName: "name"))
  var only: [String] = []

  @Flag(help: "Do little of everything, to see that it works. The figures mean nothing.")
  var quick = false

  @Option(help: "How often throughput and starts of hosts are measured.")
  var rounds: Int?

  @Option(help: ArgumentHelp("How long hosts are idle before they are looked at.", valueName: "seconds"))
  var settle: Int?

  @Option(help: ArgumentHelp("How many pipelines the idle host has.", valueName: "count"))
  var pipelines: Int?

  @Option(help: ArgumentHelp("How many queued runs are run.", valueName: "count"))
  var runs: Int?

  @Option(help: ArgumentHelp("How many runs wait in the long queue.", valueName: "count"))
  var queued: Int?

  private static var names: [String] { HostMeasuring.names + commands }

  private var sizes: HostSizes {
    var sizes = quick ? HostSizes.quick : HostSizes()
    if let rounds { sizes.rounds = rounds }
    if let settle { sizes.settle = settle }
    if let pipelines { sizes.pipelines = pipelines }
    if let runs { sizes.runs = runs }
    if let queued { sizes.queued = queued }
    return sizes
  }

  func validate() throws {
    let sizes = sizes
    for (name, number) in [
      ("rounds", sizes.rounds), ("settle", sizes.settle), ("pipelines", sizes.pipelines), ("runs", sizes.runs),
      ("queued", sizes.queued - sizes.begun),
    ] where number < 1 {
      throw ValidationError("--\(name) is too small.")
    }
    for name in only where !Self.names.contains(name) {
      throw ValidationError("There is no '\(name)'; there are: \(Self.names.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    CommonOptions.leaveMake()
    let (tool, floors, sizes) = (try common.tool(), try resolved(common.floors), sizes)
    let surroundings = Surroundings(version: try await tool.version())
    let scratch = try Scratch()
    defer { scratch.remove() }
    let stopwatch = Stopwatch(program: floors + "/stopwatch", errorFile: scratch.path + "/stderr")
    let hosts = HostMeasuring(
      tool: tool, floors: floors, scratch: scratch, stopwatch: stopwatch, sizes: sizes, report: CommonOptions.report)
    let chosen = Self.names.filter { only.isEmpty || only.contains($0) }

    var warnings = Noise.warning(about: surroundings).map { [$0] } ?? []
    var figures: [HostFigure] = []
    for name in chosen where HostMeasuring.names.contains(name) { figures += try await hosts.figures(name) }
    warnings += figures.compactMap { Noise.warning(about: $0) }

    let catalogue = Catalogue(tool: tool, floor: floors + "/floor", scratch: scratch)
    let measuring = Measuring(
      stopwatch: stopwatch, scratch: scratch, rounds: sizes.rounds, report: CommonOptions.report)
    var results: [WorkloadResult] = []
    for name in chosen where Self.commands.contains(name) {
      guard let workload = try await catalogue.workload(name, report: CommonOptions.report) else { continue }
      results.append(try await measuring.measure(workload))
    }
    warnings += results.compactMap { Noise.warning(about: $0) }

    let rows = figures.compactMap(\.row) + results.flatMap(Row.rows)
    print(surroundings.text, "", ReportTable(rows: rows).text, separator: "\n", terminator: "")
    if quick { print("This was the quick form, whose figures mean nothing.") }
    for warning in warnings { print(warning) }
    if let json = common.json {
      try ReportFile(
        surroundings: surroundings, rounds: sizes.rounds, rows: rows, results: results, figures: figures,
        warnings: warnings
      ).write(to: json)
    }
  }
}
