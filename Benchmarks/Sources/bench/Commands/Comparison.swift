import ArgumentParser
import FoundationEssentials
import Glibc
import Subprocess

/// Measures commands: whole processes, from their start to their end.
struct Comparison: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare", abstract: "Measure commands beside the floors and beside other tools.")

  @OptionGroup var common: CommonOptions

  @Option(
    help: ArgumentHelp("The program that only records; without it, that workload is left out.", valueName: "path"))
  var recorder: String?

  @Option(
    help: ArgumentHelp("The program that measures stores; without it, those are left out.", valueName: "path"))
  var stores: String?

  @Option(
    help: ArgumentHelp("The program that measures plugins; without it, those are left out.", valueName: "path"))
  var plugins: String?

  @Option(
    help: ArgumentHelp("The program that measures hosts; without it, those are left out.", valueName: "path"))
  var hosts: String?

  @Option(
    help: ArgumentHelp("The program that measures what is installed; without it, that is left out.", valueName: "path"))
  var installed: String?

  @Option(help: ArgumentHelp("Where large workspaces are kept for the next time.", valueName: "path"))
  var cache: String

  @Option(help: ArgumentHelp("Measure this workload; may be given several times.", valueName: "name"))
  var only: [String] = []

  @Option(help: "How many rounds; short workloads take two to four times as many.")
  var rounds = 10

  func validate() throws {
    if rounds < 1 { throw ValidationError("--rounds needs a number from 1.") }
    for name in only where !Catalogue.names.contains(name) {
      throw ValidationError("There is no workload '\(name)'; there are: \(Catalogue.names.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    CommonOptions.leaveMake()
    let (tool, floors) = (try common.tool(), try resolved(common.floors))
    let surroundings = Surroundings(version: try await tool.version())
    let scratch = try Scratch()
    defer { scratch.remove() }
    let catalogue = Catalogue(
      tool: tool, floor: floors + "/floor", scratch: scratch, echo: floors + "/echo.so",
      recorder: try recorder.map(resolved), stores: try stores.map(resolved), plugins: try plugins.map(resolved),
      hosts: try hosts.map(resolved), installed: try installed.map(resolved), cache: try Self.created(cache))
    let measuring = Measuring(
      stopwatch: Stopwatch(program: floors + "/stopwatch", errorFile: scratch.path + "/stderr"), scratch: scratch,
      rounds: rounds, report: CommonOptions.report)
    let probing = Probing(rounds: rounds, report: CommonOptions.report)

    var warnings = Noise.warning(about: surroundings).map { [$0] } ?? []
    var results: [WorkloadResult] = []
    var probed: [ProbeResult] = []
    for name in Catalogue.names where only.isEmpty || only.contains(name) {
      if let probe = catalogue.probe(name, report: CommonOptions.report) {
        let result = try await probing.measure(probe)
        if let warning = Noise.warning(about: result) { warnings.append(warning) }
        probed.append(result)
      }
      guard let workload = try await catalogue.workload(name, report: CommonOptions.report) else { continue }
      let result = try await measuring.measure(workload)
      if let warning = Noise.warning(about: result) { warnings.append(warning) }
      results.append(result)
    }
    // All probes come behind all workloads.
    let rows = results.flatMap(Row.rows) + probed.flatMap(Row.rows)
    print(surroundings.text, "", ReportTable(rows: rows).text, separator: "\n", terminator: "")
    for warning in warnings { print(warning) }
    if let json = common.json {
      try ReportFile(
        surroundings: surroundings, rounds: rounds, rows: rows, results: results, probed: probed, warnings: warnings
      ).write(to: json)
    }
  }

  private static func created(_ directory: String) throws -> String {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return try resolved(directory)
  }
}
