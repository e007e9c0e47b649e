// # The driver of the benchmarks
//
// It prepares files, times commands and prints one table. `Measuring` starts and times; `Files` writes what is run;
// `Workloads` says what is measured and what it should cost; `Reporting` turns measurements into rows. It knows Penstock only
// as a program: what can be seen from outside is what is measured.

import ArgumentParser
import FoundationEssentials
import Glibc
import Subprocess

@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measure penstock beside the floors and beside other tools.",
    discussion:
      "Use the Makefile, which builds the programs that are measured: `make bench` at the root of the checkout.")

  @Option(help: ArgumentHelp("The program to measure.", valueName: "path"))
  var penstock: String

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
    help: ArgumentHelp(
      "The directory of the programs `floor` and `stopwatch` and of the plugin `echo`.", valueName: "path"))
  var floors: String

  @Option(help: ArgumentHelp("Where large workspaces are kept for the next time.", valueName: "path"))
  var cache: String

  @Option(help: ArgumentHelp("Measure this workload; may be given several times.", valueName: "name"))
  var only: [String] = []

  @Option(help: "How many rounds; short workloads take two to four times as many.")
  var rounds = 10

  @Option(help: ArgumentHelp("Write the report to a file too, with every measurement.", valueName: "file"))
  var json: String?

  func validate() throws {
    if rounds < 1 { throw ValidationError("--rounds needs a number from 1.") }
    for name in only where !Catalogue.names.contains(name) {
      throw ValidationError("There is no workload '\(name)'; there are: \(Catalogue.names.joined(separator: ", ")).")
    }
  }

  func run() async throws {
    // Another make must not believe that it is part of the one that started this.
    for name in ["MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"] { unsetenv(name) }
    let floors = try Self.resolved(floors)
    let tool = Tool(program: try Self.resolved(penstock))
    let surroundings = Surroundings(version: try await tool.version())
    let scratch = try Scratch()
    defer { scratch.remove() }
    let catalogue = Catalogue(
      tool: tool, floor: floors + "/floor", echo: floors + "/echo.so", recorder: try recorder.map(Self.resolved),
      stores: try stores.map(Self.resolved),
      plugins: try plugins.map(Self.resolved), hosts: try hosts.map(Self.resolved), scratch: scratch,
      cache: try Self.created(cache))
    let measuring = Measuring(
      stopwatch: Stopwatch(program: floors + "/stopwatch", errorFile: scratch.path + "/stderr"), scratch: scratch,
      rounds: rounds, report: Self.report)
    let probing = Probing(rounds: rounds, report: Self.report)

    var warnings: [String] = []
    if surroundings.load > 0.5 {
      warnings.append("warning: the load is \(surroundings.load): something else runs on this machine")
    }
    var results: [WorkloadResult] = []
    var probed: [ProbeResult] = []
    for name in Catalogue.names where only.isEmpty || only.contains(name) {
      if let probe = catalogue.probe(name, report: Self.report) {
        let result = try await probing.measure(probe)
        if let warning = Noise.warning(about: result) { warnings.append(warning) }
        probed.append(result)
      }
      guard let workload = try await catalogue.workload(name, report: Self.report) else { continue }
      let result = try await measuring.measure(workload)
      if let warning = Noise.warning(about: result) { warnings.append(warning) }
      results.append(result)
    }
    // All probes come behind all workloads.
    let rows = results.flatMap(Row.rows) + probed.flatMap(Row.rows)
    print(surroundings.text, "", ReportTable(rows: rows).text, separator: "\n", terminator: "")
    for warning in warnings { print(warning) }
    if let json {
      try ReportFile(
        surroundings: surroundings, rounds: rounds, rows: rows, results: results, probed: probed, warnings: warnings
      ).write(to: json)
    }
  }

  private static func report(_ text: String) {
    var line = text + "\n"
    _ = line.withUTF8 { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  private static func created(_ directory: String) throws -> String {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    return try resolved(directory)
  }

  private static func resolved(_ path: String) throws -> String {
    guard let resolved = realpath(path, nil) else { throw BenchError("there is no \(path)") }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
