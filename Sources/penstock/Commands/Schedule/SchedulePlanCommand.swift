import ArgumentParser
import OperatingSystem
import PipelineLanguage
import PipelineService
import RunHistory
import Schedules
import Values

struct SchedulePlanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show when pipelines are due",
    discussion: """
      Lists every instant at which a trigger of a pipeline will ask for a run, in the order of time: those of \
      cron and interval, and of plugins that know them in advance. Marks times that a clock change skips or \
      repeats. TOGETHER counts the instants of all pipelines at the same moment, including this one. Runs \
      nothing, and ignores what is decided later, such as overlap or a condition.

        penstock schedule plan pipelines
        penstock schedule plan nightly.yaml --from 2026-03-29 --for 2d --json

      With --config, checks the pipelines as those of that host; without paths, shows those that it serves.

        penstock schedule plan --config host.yaml

      Reports a file with errors as `penstock check` does, leaves it out, and then exits with 2.
      """)

  @Argument(
    help: ArgumentHelp(
      "Pipeline files and folders; names that begin with . or _ are ignored (default: the folder pipelines, else pipeline.yaml, else .penstock/pipeline.yaml)",
      valueName: "paths"), completion: .file(extensions: ["yaml", "yml"]))
  var paths: [String] = []

  @Option(help: ArgumentHelp(ScheduleBeginning.help, valueName: "time"))
  var from: String?

  @Option(
    name: .customLong("for"), help: ArgumentHelp("How far to look ahead, such as 12h or 7d", valueName: "duration"))
  var span = "24h"

  @Option(
    help: ArgumentHelp(
      "The time zone of --from, and of instants without a zone: Europe/Berlin, UTC, or local for the computer's",
      valueName: "zone"))
  var zone = "local"

  @Flag(help: "Show all instants, not only the first 20 of each trigger")
  var all = false

  @OptionGroup var config: HostFileOptions

  @OptionGroup var plugins: PluginOptions

  @OptionGroup var shared: SharedOptions

  /// The number of instants of each trigger that a person sees.
  private static let mostShown = 20

  /// The folder that is searched if no path is given.
  private static let usualFolder = "pipelines"

  func run() throws {
    let rules = try ScheduleZone.rules(zone)
    let beginning = try ScheduleBeginning.instant(from, in: rules)
    guard let span = DurationNotation.parse(span), span > .zero, span <= .seconds(400 * 366 * 86_400) else {
      throw CommandFailure("--for needs a duration from 1ms to 400 years, such as 24h or 7d")
    }
    let start = RecordTime(microseconds: beginning * 1_000_000)
    // The start is included and the end is not: it belongs to the next plan.
    var plan = SchedulePlan(
      after: RecordTime(microseconds: start.microseconds - 1),
      until: RecordTime(microseconds: start.microseconds + span.wholeMicroseconds - 1))
    let status = try add(to: &plan)
    plan.finish()
    show(plan, rules, status)
    status.finish()
  }

  /// Loads the files, and adds those that are pipelines. Errors are printed.
  private func add(to plan: inout SchedulePlan) throws -> ExitStatus {
    var status = ExitStatus.succeeded
    let host = try config.host(shared)
    let found = PipelineFiles(try usualPaths(of: host))
    for problem in found.problems {
      status = .usage
      TextOutput.error.writeMessage(
        "penstock: the folder '\(TerminalText.visible(problem.path))' cannot be searched: \(problem.reason)")
    }
    for entry in found.leftOut where !shared.quiet {
      TextOutput.error.writeMessage(
        "penstock: '\(TerminalText.visible(entry.path))' \(entry.reason); ignoring it")
    }
    let source = plugins.source()
    for file in found.files {
      let result = try PipelineFileLoading.read(file, plugins: source, host: host.map(HostSource.host) ?? .none)
      if let pipeline = result.pipeline {
        plan.add(pipeline, file: result.source.path, plugins: source)
        continue
      }
      let findings = result.ownDiagnostics
      // A file to include has no instants.
      guard findings.contains(where: { $0.severity == .error }) else { continue }
      if result.lacksResources { status = .engineFailed } else if status == .succeeded { status = .usage }
      shared.output.print {
        findings.map { $0.jsonValue() }
      } text: {
        PipelineFileLoading.show(findings, in: result.sources, color: shared.color)
      }
    }
    return status
  }

  private func usualPaths(of host: HostDefinition?) throws -> [String] {
    guard paths.isEmpty else { return paths }
    if let served = host?.pipelines, !served.isEmpty { return served }
    if InputFile.kind(of: Self.usualFolder) == .directory { return [Self.usualFolder] }
    return [try PipelineFileLoading.file(nil, orFolder: Self.usualFolder)]
  }

  // MARK: Output

  private func show(_ plan: SchedulePlan, _ rules: TimeZoneRules, _ status: ExitStatus) {
    shared.output.print {
      lines(plan)
    } text: {
      if plan.rows.isEmpty, plan.unknown.isEmpty {
        // Do not report this if files could not be read.
        if !shared.quiet, plan.pipelines > 0 || status == .succeeded {
          TextOutput.standard.writeLine("Nothing is due within \(span).")
        }
      } else {
        let (rows, more) = all ? (plan.rows, []) : plan.rows.first(Self.mostShown)
        TextOutput.standard.write(table(rows, plan, rules).render(width: shared.tableWidth, style: shared.style))
        for (controller, count) in more {
          let text =
            "… \(Count.of(count, "more instant")) (--all shows all): \(controller.controller) of \(TerminalText.visible(controller.pipeline))"
          TextOutput.standard.writeLine(shared.tableWidth.map { TerminalText.fitted(text, width: $0) } ?? text)
        }
      }
      tellOfWhatIsLeftOut(plan, rules)
    }
  }

  private func lines(_ plan: SchedulePlan) -> [JSONValue] {
    let rows = plan.rows.map { row -> JSONValue in
      [
        "kind": row.isSkipped ? "skipped" : "instant", "instant": .string(row.at.text),
        "local_time": row.localTime.map { .string($0) } ?? .null, "zone": row.zone.map { .string($0) } ?? .null,
        "pipeline": .string(row.pipeline), "file": .string(row.file), "controller": .string(row.controller),
        "together": .int(Int64(row.together)), "note": row.note.map { .string($0) } ?? .null,
      ]
    }
    let unknown = plan.unknown.map { unknown in
      about(unknown.controller, "unknown", ("reason", .string(unknown.reason)))
    }
    let cut = plan.cut.map { about($0.controller, "left-out", ("after", .string($0.after.text))) }
    let horizon = plan.horizon.map { horizon -> JSONValue in
      ["kind": "left-out", "after": .string(horizon.text)]
    }
    return rows + unknown + cut + (horizon.map { [$0] } ?? [])
  }

  private func about(
    _ controller: SchedulePlan.Controller, _ kind: JSONValue, _ last: (String, JSONValue)
  ) -> JSONValue {
    .object(
      .init(
        uniqueKeysWithValues: [
          ("kind", kind), ("pipeline", .string(controller.pipeline)), ("file", .string(controller.file)),
          ("controller", .string(controller.controller)), last,
        ]))
  }

  private func table(_ rows: [SchedulePlan.Row], _ plan: SchedulePlan, _ rules: TimeZoneRules) -> Table {
    var table = Table([
      .init("TIME"), .init("ZONE"), .init("PIPELINE"), .init("CONTROLLER"), .init("TOGETHER", right: true),
      .init("NOTE"),
    ])
    for row in rows {
      table.add(
        row.localTime ?? time(row.at, rules), row.localTime == nil ? rules.name : row.zone ?? "", row.pipeline,
        row.controller, row.together > 1 ? String(row.together) : "", row.note ?? "")
    }
    for (controller, reason) in plan.unknown {
      table.add("not known", "", controller.pipeline, controller.controller, "", reason)
    }
    return table
  }

  private func tellOfWhatIsLeftOut(_ plan: SchedulePlan, _ rules: TimeZoneRules) {
    for (controller, count, after) in plan.cut {
      TextOutput.error.writeMessage(
        "penstock: '\(TerminalText.visible(controller.pipeline))' is due more often: only the first \(count) instants of its '\(controller.controller)' are shown, until \(time(after, rules)); use a shorter --for"
      )
    }
    if let horizon = plan.horizon {
      TextOutput.error.writeMessage(
        "penstock: only the first \(plan.rows.count) instants are shown, until \(time(horizon, rules)); use a shorter --for"
      )
    }
  }

  /// Formats an instant in the requested zone, with its fraction if it has one.
  private func time(_ instant: RecordTime, _ rules: TimeZoneRules) -> String {
    let second = UnixTime(instant.secondsSince1970.rounded(.down))
    let fraction = instant.microseconds - second * 1_000_000
    let text = rules.format(second)
    guard fraction > 0 else { return text }
    let digits = String(String(1_000_000 + fraction).dropFirst()).replacing(/0+$/, with: "")
    return text.replacing(/(T..:..:..)/) { "\($0.1).\(digits)" }
  }
}

/// A trigger in the table.
private struct ShownTrigger: Hashable {
  let pipeline: String
  let file: String
  let controller: String
}

extension [SchedulePlan.Row] {
  /// Returns the first rows of each controller, and how many more each one has.
  fileprivate func first(_ most: Int) -> (rows: Self, more: [(controller: ShownTrigger, count: Int)]) {
    var counts: [ShownTrigger: Int] = [:]
    var order: [ShownTrigger] = []
    let rows = filter { row in
      let controller = ShownTrigger(pipeline: row.pipeline, file: row.file, controller: row.controller)
      counts[controller, default: 0] += 1
      if counts[controller] == most + 1 { order.append(controller) }
      return counts[controller, default: 0] <= most
    }
    return (rows, order.map { ($0, counts[$0, default: 0] - most) })
  }
}

/// The time zone given to a command.
enum ScheduleZone {
  static func rules(_ zone: String) throws -> TimeZoneRules {
    let database = TimeZoneDatabase.system
    do throws(TimeZoneError) {
      return try database.zone(zone)
    } catch {
      throw CommandFailure(database.explain(error) { NearestName.suggestion(for: $0, among: $1) })
    }
  }
}
