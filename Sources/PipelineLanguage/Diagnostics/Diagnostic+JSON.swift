import OrderedCollections
import Values

extension Diagnostic {
  /// Returns the finding as an object for editors: `file`, `line`, `column`, `endLine`, `endColumn` (all from 1, columns in Unicode scalars, the
  /// end exclusive), `severity`, `code`, `message` and `fix` (or null). If another place is involved, `note` is an object with its place and
  /// a `message`.
  public func jsonValue() -> JSONValue {
    var object = Self.place(range, in: file)
    object["severity"] = .string(severity.rawValue)
    object["code"] = .string(code)
    object["message"] = .string(message)
    object["fix"] = fix.map { .string($0) } ?? .null
    if let note {
      var place = Self.place(note.range, in: note.file)
      place["message"] = .string(note.message)
      object["note"] = .object(place)
    }
    return .object(object)
  }

  private static func place(_ range: SourceRange, in file: String) -> OrderedDictionary<String, JSONValue> {
    [
      "file": .string(file),
      "line": .int(Int64(range.start.line)),
      "column": .int(Int64(range.start.column)),
      "endLine": .int(Int64(range.end.line)),
      "endColumn": .int(Int64(range.end.column)),
    ]
  }
}
