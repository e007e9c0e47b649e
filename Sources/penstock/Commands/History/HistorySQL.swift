import ArgumentParser
import OrderedCollections
import PipelineLanguage
import RunHistory
import Values
import Workspace

struct HistorySQL: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sql",
    abstract: "Query the history with SQL, read-only",
    discussion: """
      Runs one SELECT statement over the views \(views). It cannot change anything, and is stopped after \
      --limit-steps steps of SQLite's virtual machine.

        penstock history sql "SELECT id, pipeline, duration_ms FROM runs LIMIT 5"
        penstock history sql --csv "SELECT * FROM attempts WHERE exit_code = 7"
      """)

  /// The names of all views, as a list in a sentence.
  private static var views: String {
    let names = HistorySchema.publicViews
    return names.dropLast().joined(separator: ", ") + (names.last.map { " and \($0)" } ?? "")
  }

  @Argument(help: "The SELECT statement")
  var query: String

  @Option(help: ArgumentHelp("Stop the query after this many steps", valueName: "steps"))
  var limitSteps: Int = GuardedQuery.defaultStepLimit

  @Flag(help: "Print CSV") var csv = false
  @OptionGroup var hostFile: HostWorkspaceOptions

  @OptionGroup var shared: SharedOptions

  func validate() throws {
    try shared.requireOneFormat(csv: csv)
    if limitSteps < 1 { throw ValidationError("--limit-steps must be 1 or more.") }
  }

  func run() throws {
    let shared = try hostFile.serving(shared)
    // Runs whose host has ended are marked first, so that the views show them as `interrupted`.
    let history = try shared.location().historyForQueries(durability: DurabilitySetting.value()).history
    do {
      try show(try history.sql(query, stepLimit: limitSteps))
    } catch let error as GuardedQueryError {
      throw CommandFailure(describe(error))
    }
  }

  private func show(_ query: GuardedQuery) throws {
    let output = TextOutput.standard
    try shared.output(csv: csv).choose {
      let names = Self.memberNames(of: query.columns)
      while !output.isGone, let row = try query.next() {
        var object: OrderedDictionary<String, JSONValue> = [:]
        for (column, value) in zip(names, row) { object[column] = value.jsonValue }
        output.writeLine(JSONValue.object(object))
      }
    } csv: {
      output.writeCSV(query.columns)
      while !output.isGone, let row = try query.next() { output.writeCSV(row.map(\.text)) }
    } text: {
      var table = Table(query.columns.map { Table.Column(TerminalText.oneLine($0)) })
      while let row = try query.next() { table.rows.append(row.map { TerminalText.oneLine($0.text) }) }
      output.write(table.render(width: shared.tableWidth, style: shared.style))
    }
  }

  /// Returns unique member names for an object: repeated column names are numbered, `t:1`, as SQLite does.
  private static func memberNames(of columns: [String]) -> [String] {
    var taken = Set(columns)
    var seen: Set<String> = []
    return columns.map { column in
      guard !seen.insert(column).inserted else { return column }
      var number = 1
      while !taken.insert("\(column):\(number)").inserted { number += 1 }
      return "\(column):\(number)"
    }
  }

  private func describe(_ error: GuardedQueryError) -> String {
    if case .tooLong(let steps) = error {
      return
        "the query was stopped after \(steps) steps of SQLite's virtual machine; narrow it, for example by time, or raise --limit-steps"
    }
    guard case .invalid(_, let offset?) = error else { return error.description }
    let source = SourceText(path: "query", text: query)
    let mark = source.mark(atUTF8Offset: offset)
    let end = SourceMark(line: mark.line, column: mark.column + 1)
    let excerpt = DiagnosticRenderer().render(
      Diagnostic(otherCode: error.code, "here", file: "query", range: SourceRange(start: mark, end: end)), in: source)
    return error.description + "\n" + excerpt.split(separator: "\n").dropFirst().joined(separator: "\n")
  }
}

extension SQLValue {
  /// The value as the text of a cell.
  var text: String {
    switch self {
    case .null: ""
    case .int(let number): String(number)
    case .double(let number): JSONValue.double(number).text
    case .text(let text): text
    case .blob(let bytes): bytes.hexadecimal
    }
  }

  fileprivate var jsonValue: JSONValue {
    switch self {
    case .null: .null
    case .int(let number): .int(number)
    case .double(let number): number.isFinite ? .double(number) : .string(JSONValue.double(number).text)
    case .text(let text): .string(text)
    case .blob(let bytes): .string(bytes.hexadecimal)
    }
  }
}
