import OrderedCollections
import Values

extension Diagnostic {
  /// The finding as an object for editors: `file`, `line`, `column`, `endLine`, `endColumn` (all from 1, columns in
  /// Unicode scalars, the end being the place after the last), `severity`, `code`, `message` and `fix` (or null); with `note`, an object of
  /// a place and a `message`, where another place is concerned.
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
