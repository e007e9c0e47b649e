import ArgumentParser
import Expressions
import Values

struct Eval: ParsableCommand {
  static let configuration = CommandConfiguration.subcommand(
    commandName: "eval",
    abstract: "Evaluate an expression",
    discussion: """
      Prints the value as JSON. The expression is what stands between ${{ and }} in a pipeline file.

        penstock eval "format('{0} of {1}', 3, 4)"
        penstock eval --context run.json "results.fetch[0].tag || 'none'"

      --context names a JSON object whose members are the contexts, such as {"params": {"limit": 5}}. With \
      --lines, reads {"expr": …, "contexts": {…}} from standard input, one per line, and answers each with \
      {"value": …} or {"error": {"message": …, "position": …}}. Exits with 2 when the expression is invalid; \
      positions count characters from 1.
      """)

  @Argument(help: "The expression")
  var expression: String?

  @Option(
    help: ArgumentHelp("A JSON file whose members are the contexts, or - for standard input", valueName: "file"),
    completion: .file(extensions: ["json"]))
  var context: String?

  @Flag(help: "Evaluate one expression per line of standard input")
  var lines = false

  @OptionGroup var shared: SharedOptions

  /// Returns the arguments with `--` before an expression that starts with a minus sign, which the parser would treat as an option.
  static func settingApart(_ arguments: [String]) -> [String] {
    guard arguments.first == configuration.commandName, !arguments.contains("--"),
      let place = arguments.firstIndex(where: isNegative)
    else { return arguments }
    var others = arguments
    let expression = others.remove(at: place)
    return others + ["--", expression]
  }

  /// Returns whether the argument starts like a negative number.
  private static func isNegative(_ argument: String) -> Bool {
    guard argument.hasPrefix("-"), let second = argument.utf8.dropFirst().first else { return false }
    return second == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(second)
      || argument.hasPrefix("-Infinity")
  }

  /// Returns the first argument that looks like an option but is not one of this command.
  private static func unknownOption(in arguments: [String]) -> String? {
    let known = ["--context", "--lines"] + SharedOptions.names
    return arguments.prefix { $0 != "--" }.first { argument in
      argument.hasPrefix("-") && argument != "-" && !known.contains(String(argument.prefix { $0 != "=" }))
    }
  }

  func validate() throws {
    if lines, expression != nil || context != nil {
      throw ValidationError("--lines takes expressions and contexts from standard input alone.")
    }
    guard !lines, expression == nil else { return }
    // The parser reports missing arguments before unknown ones.
    if let option = Self.unknownOption(in: Array(Arguments.all.dropFirst(2))) {
      throw ValidationError("Unknown option '\(option)'. An expression that begins with '-' goes after --.")
    }
    throw ValidationError("Give an expression, or --lines.")
  }

  func run() throws {
    guard let expression else { return try EvalLines().run() }
    let contexts = try readContexts()
    do throws(ExpressionError) {
      let value = try Expression.parse(expression).evaluate(in: contexts)
      TextOutput.standard.writeLine(shared.output.choose(json: { JSONValue.object(["value": value]) }, text: { value }))
    } catch {
      shared.output.print(EvalLines.answer(error)) {}
      TextOutput.standard.flush()
      TextOutput.error.write(
        ArgumentDiagnostic(
          name: "expression", text: expression, code: error.code, message: error.message, position: error.position,
          length: error.length, fix: error.fix
        ).render(shared.color))
      throw ExitStatus.usage
    }
  }

  private func readContexts() throws -> ObjectContexts {
    guard let context else { return ObjectContexts(EvalLines.none) }
    let bytes: [UInt8]
    do throws(FileReadFailure) {
      bytes = try context == "-" ? FileReader.read(descriptor: 0, name: "standard input") : FileReader.read(context)
    } catch {
      throw CommandFailure(error.message)
    }
    let value: JSONValue
    do throws(JSONError) {
      value = try JSONValue.parse(bytes)
    } catch {
      throw CommandFailure("'\(context)' is not JSON: \(error)")
    }
    guard let members = value.objectValue else {
      throw CommandFailure(
        "'\(context)' must hold a JSON object whose members are the contexts, not \(value.kind == "int" ? "an" : "a") \(value.kind)"
      )
    }
    return ObjectContexts(members)
  }
}
