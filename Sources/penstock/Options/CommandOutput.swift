import ArgumentParser
import Values

/// The form in which a command prints what it has found.
enum OutputFormat: Sendable {
  /// For people.
  case text
  /// One object a line.
  case json
  /// Comma-separated values, with the names of the columns first.
  case csv
}

/// Prints what a command has found in the form that was asked for: the one place that decides which form that is.
struct CommandOutput: Sendable {
  let format: OutputFormat
  /// Whether nothing is said that was not asked for.
  let isQuiet: Bool
  /// Where it goes.
  var destination = TextOutput.standard

  /// Whether people read it, and want to know more than they asked for.
  var isTalkative: Bool { format == .text && !isQuiet }

  /// Does what the form needs. A command without `--csv` has no part for it.
  func choose<Result>(
    json: () throws -> Result, csv: (() throws -> Result)? = nil, text: () throws -> Result
  ) rethrows -> Result {
    switch format {
    case .text: try text()
    case .json: try json()
    case .csv: try csv.map { try $0() } ?? text()
    }
  }

  /// Prints an object, or what people read of it.
  func print(_ value: @autoclosure () throws -> JSONValue, text: () throws -> Void) rethrows {
    try choose(json: { destination.writeLine(try value()) }, text: text)
  }

  /// Prints objects, one a line, until nobody reads any more; or a table; or what people read of it.
  func print(
    lines values: () throws -> some Sequence<JSONValue>, csv: (() throws -> Void)? = nil, text: () throws -> Void
  ) rethrows {
    try choose(
      json: { for value in try values() where !destination.isGone { destination.writeLine(value) } },
      csv: csv, text: text)
  }

  /// Says what was done: with `--json` always, to people unless they want quiet.
  func confirm(_ value: @autoclosure () -> JSONValue, text: () throws -> Void) rethrows {
    try print(value(), text: { if !isQuiet { try text() } })
  }
}

extension SharedOptions {
  /// How a command without `--csv` prints.
  var output: CommandOutput { CommandOutput(format: json ? .json : .text, isQuiet: quiet) }

  /// How a command with `--csv` prints.
  func output(csv: Bool) -> CommandOutput { csv ? CommandOutput(format: .csv, isQuiet: quiet) : output }

  /// - Throws: `ValidationError` where both forms of data are asked for.
  func requireOneFormat(csv: Bool) throws {
    if csv, json { throw ValidationError("Choose one of --csv and --json.") }
  }
}
