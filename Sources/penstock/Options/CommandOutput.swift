import ArgumentParser
import Values

/// The format in which a command prints its output.
enum OutputFormat: Sendable {
  /// For people.
  case text
  /// One object per line.
  case json
  /// Comma-separated values, with a header of column names.
  case csv
}

/// Prints the output of a command in the requested format: the only place that decides which format that is.
struct CommandOutput: Sendable {
  let format: OutputFormat
  /// Whether to print only what was explicitly requested.
  let isQuiet: Bool
  /// The destination of the output.
  var destination = TextOutput.standard

  /// Whether people read the output and want more than what they requested.
  var isTalkative: Bool { format == .text && !isQuiet }

  /// Runs the closure for the format. Commands without `--csv` omit `csv`.
  func choose<Result>(
    json: () throws -> Result, csv: (() throws -> Result)? = nil, text: () throws -> Result
  ) rethrows -> Result {
    switch format {
    case .text: try text()
    case .json: try json()
    case .csv: try csv.map { try $0() } ?? text()
    }
  }

  /// Prints an object, or its text for people.
  func print(_ value: @autoclosure () throws -> JSONValue, text: () throws -> Void) rethrows {
    try choose(json: { destination.writeLine(try value()) }, text: text)
  }

  /// Prints objects, one per line, until the reader ends; or a table; or the text for people.
  func print(
    lines values: () throws -> some Sequence<JSONValue>, csv: (() throws -> Void)? = nil, text: () throws -> Void
  ) rethrows {
    try choose(
      json: { for value in try values() where !destination.isGone { destination.writeLine(value) } },
      csv: csv, text: text)
  }

  /// Confirms what was done: always with `--json`, and as text unless quiet.
  func confirm(_ value: @autoclosure () -> JSONValue, text: () throws -> Void) rethrows {
    try print(value(), text: { if !isQuiet { try text() } })
  }
}

extension SharedOptions {
  /// The output of a command without `--csv`.
  var output: CommandOutput { CommandOutput(format: json ? .json : .text, isQuiet: quiet) }

  /// Returns the output of a command with `--csv`.
  func output(csv: Bool) -> CommandOutput { csv ? CommandOutput(format: .csv, isQuiet: quiet) : output }

  /// - Throws: `ValidationError` if both data formats are requested.
  func requireOneFormat(csv: Bool) throws {
    if csv, json { throw ValidationError("Choose one of --csv and --json.") }
  }
}
