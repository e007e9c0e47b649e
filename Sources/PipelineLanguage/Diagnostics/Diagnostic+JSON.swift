import OrderedCollections
import Values

extension Diagnostic {
  /// The finding as an object for editors: `file`, `line`, `column`, `endLine`, `endColumn` (all from 1, columns in
  /// Unicode scalars, the end being the place after the last), `severity`, `code`, `message` and `fix` (or null).
  public func jsonValue() -> JSONValue {
    .object([
      "file": .string(file),
      "line": .int(Int64(range.start.line)),
      "column": .int(Int64(range.start.column)),
      "endLine": .int(Int64(range.end.line)),
      "endColumn": .int(Int64(range.end.column)),
      "severity": .string(severity.rawValue),
      "code": .string(code),
      "message": .string(message),
      "fix": fix.map { .string($0) } ?? .null,
    ])
  }
}
