import ArgumentParser
import Glibc
import OperatingSystem
import PipelineLanguage
import PluginHost
import Values

struct PluginsCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Test that a plugin follows the plugin contract",
    discussion: """
      Loads the shared object in separate processes, creates its offers with the minimal settings that their \
      description allows, starts, stops and destroys them at every moment, passes invalid data, uses them from \
      several threads, and measures what they leak. A plugin that crashes or hangs fails a check. Exits with 1 \
      when a check failed.

      This executes the plugin's code: do not check a plugin that you would not run.

        penstock plugins check countdown.so
        penstock plugins check greet.so --settings 'greet={"name": "Ada"}'
        penstock plugins check greet.so --only greet/stop --seed 42
        penstock plugins check cron
      """)

  @Argument(
    help: ArgumentHelp("The shared object, or the plugin's id", valueName: "id-or-file"),
    completion: .file(extensions: ["so"]))
  var file: String

  @Option(
    help: ArgumentHelp(
      "Settings for one offer, or for all, such as '{\"path\": \"/tmp\"}' (may be repeated)", valueName: "[id=]json"))
  var settings: [String] = []

  @Option(help: ArgumentHelp("Run only this check, offer or offer/check (may be repeated)", valueName: "name"))
  var only: [String] = []

  @Option(help: "The seed of random delays; the same seed repeats them")
  var seed: UInt64 = 1

  @Option(
    help: ArgumentHelp(
      "The time limit for open, close, destroy, and from stop to the end", valueName: "duration"))
  var grace = "1s"

  @Option(
    help: ArgumentHelp("The memory limit of each check, such as 512MiB", valueName: "size"))
  var memory = "512MiB"

  @Option(
    help: ArgumentHelp(
      "Let the plugin see this environment variable (may be repeated)",
      discussion: "It always sees PATH, HOME, LANG, TZ and TMPDIR, and no others.", valueName: "name"))
  var environment: [String] = []

  @OptionGroup var shared: SharedOptions

  func run() throws {
    let file = try path()
    do throws(InputFileError) {
      _ = try InputFile(file)
    } catch {
      throw CommandFailure("cannot read '\(TerminalText.visible(file))': \(error.reason)")
    }
    guard let grace = DurationNotation.parse(grace), grace > .zero else {
      throw CommandFailure("--grace '\(TerminalText.visible(grace))' is not a duration; write it as 500ms, 1s or 1m")
    }
    guard let memory = SizeNotation.parse(memory), memory > 0 else {
      throw CommandFailure("--memory '\(TerminalText.visible(memory))' is not a size; write it as 512MiB or 1GiB")
    }
    var validation = PluginValidation(
      file: file, child: [OwnExecutable.path, "plugins", PluginsCheckChild.configuration.commandName ?? ""], seed: seed,
      settings: try givenSettings(), only: only)
    validation.grace = grace
    validation.memory = memory
    validation.environment = environment
    // If an offer cannot be created, the reason is the same for all of its checks, and is shown once.
    var told: (offer: String?, reason: String)?
    let report = validation.run { result in
      shared.output.print(result.json) {
        if shared.quiet, case .passed = result.outcome { return }
        if case .skipped(let reason) = result.outcome {
          let isTold = told.map { $0 == (result.offer, reason) } ?? false
          told = (result.offer, reason)
          show(result, reason: isTold ? nil : reason)
        } else {
          show(result)
        }
        TextOutput.standard.flush()
      }
    }
    if report.results.isEmpty {
      let names = PluginCheck.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(
        "there is no check or offer named \(only.map { "'\(TerminalText.visible($0))'" }.joined(separator: ", ")); "
          + "the checks are \(names)")
    }
    shared.output.print(report.json) { show(report) }
    if !report.isPassed { throw ExitStatus.failed }
  }

  /// Returns the path of the plugin. An existing file takes precedence over a plugin with that id.
  private func path() throws -> String {
    guard !PluginSurvey.isPath(file), access(file, F_OK) != 0 else { return file }
    do throws(PluginError) {
      return try PluginFinder(directories: PluginDirectory.standard()).find(file).path
    } catch {
      throw CommandFailure(error)
    }
  }

  private func givenSettings() throws -> [String: JSONValue] {
    var given: [String: JSONValue] = [:]
    for text in settings {
      var id = ""
      var json = text[...]
      // An id contains no brace, and JSON settings begin with one.
      if !text.drop(while: { $0 == " " }).hasPrefix("{"), let equals = text.firstIndex(of: "=") {
        id = String(text[..<equals])
        json = text[text.index(after: equals)...]
      }
      guard let value = try? JSONValue.parse(String(json)), value.objectValue != nil else {
        throw CommandFailure(
          "--settings '\(TerminalText.visible(text))' is not a JSON object; write --settings '{\"name\": \"value\"}', or with the "
            + "id of an offer: --settings 'greet={\"name\": \"value\"}'")
      }
      given[id] = value
    }
    return given
  }

  private func show(_ result: PluginCheckResult, reason: String? = nil) {
    let style = shared.style
    let (mark, paint): (String, Style.Paint) =
      switch result.outcome {
      case .passed: (style.isUnicode ? "✔" : "ok  ", .green)
      case .failed: (style.isUnicode ? "✘" : "FAIL", .boldRed)
      case .skipped: (style.isUnicode ? "–" : "skip", .yellow)
      }
    let name = (result.offer.map { "\($0)/" } ?? "") + result.check.rawValue
    let note = result.note.isEmpty ? "" : "; \(TerminalText.visible(result.note))"
    let time = style.paint("(\(seconds(result.duration))\(note))", .dim)
    TextOutput.standard.writeLine(
      "\(style.paint(mark, paint)) \(style.paint(TerminalText.visible(name), .bold)): \(result.check.title) "
        + time)
    switch result.outcome {
    case .passed: break
    case .failed(let problems):
      for problem in problems { TextOutput.standard.writeLine("    \(TerminalText.visible(problem))") }
    case .skipped:
      if let reason { TextOutput.standard.writeLine("    skipped: \(TerminalText.visible(reason))") }
    }
  }

  private func show(_ report: PluginCheckReport) {
    let passed = report.results.count - report.failures - report.skipped
    var parts = ["\(passed) passed"]
    if report.failures > 0 { parts.append(shared.style.paint("\(report.failures) failed", .boldRed)) }
    if report.skipped > 0 { parts.append(shared.style.paint("\(report.skipped) skipped", .yellow)) }
    TextOutput.standard.writeLine(
      "\(Count.of(report.results.count, "check")): \(parts.joined(separator: ", ")) "
        + "(seed \(report.seed), \(seconds(report.duration)))")
  }

  private func seconds(_ duration: Duration) -> String {
    let milliseconds = duration.components.seconds * 1000 + duration.components.attoseconds / 1_000_000_000_000_000
    let hundredths = (milliseconds + 5) / 10
    return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) s"
  }
}

/// The process that performs one check. Started only by ``PluginsCheck``.
struct PluginsCheckChild: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "check-child", shouldDisplay: false)

  @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

  func run() throws { PluginCheckChild.run(arguments) }
}
