import Schedules
import Values

/// The parsing of the arguments of `formatDate` and `addDuration`, used both to check literals and at evaluation. The errors have no place.
extension ExpressionFunction {
  func moment(_ text: String) throws(ExpressionError) -> ExpressionMoment {
    guard let moment = ExpressionMoment(text) else {
      throw ExpressionError(
        .argumentType, "'\(name)' takes an instant or a date, not \(Self.quoted(text))",
        fix: "write it like 2026-11-01T03:00:00Z or 2026-11-01")
    }
    return moment
  }

  func nanoseconds(_ text: String) throws(ExpressionError) -> Int64 {
    guard let nanoseconds = ExpressionMoment.nanoseconds(text) else {
      throw ExpressionError(
        .argumentType, "'\(name)' takes a duration, not \(Self.quoted(text))", fix: "write it like 1d12h or -7d")
    }
    return nanoseconds
  }

  /// Parses a format. `isLiteral` means that the text is part of the expression, so that errors can point into it.
  func dateFormat(_ text: String, at node: ExpressionProgram.Node, isLiteral: Bool) throws(ExpressionError)
    -> DateFormat
  {
    do throws(DateFormat.Wrong) {
      return try DateFormat(text)
    } catch {
      // The offset is shifted by the opening quote and by each quote inside, which is written twice.
      let quotes = text.unicodeScalars.prefix(error.offset).count { $0 == "'" }
      throw ExpressionError(
        .formatString, "'formatDate' has no conversion '\(error.conversion)'",
        position: isLiteral ? Int(node.start) + 1 + error.offset + quotes : 0,
        length: isLiteral ? error.conversion.unicodeScalars.count : 1,
        fix: "there are \(DateFormat.conversions.map { "%\($0)" }.joined(separator: " "))"
      ).placed(at: node)
    }
  }

  /// Returns the rules of the time zone with this name. Reads a file.
  func zone(_ text: String) throws(TimeZoneError) -> TimeZoneRules {
    try TimeZoneDatabase.system.zone(text)
  }

  static func error(_ error: TimeZoneError) -> ExpressionError {
    ExpressionError(
      .argumentType, TimeZoneDatabase.system.explain(error) { NearestName.suggestion(for: $0, among: $1) })
  }

  private static func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return "'" + (scalars.prefix(41).count > 40 ? String(String.UnicodeScalarView(scalars.prefix(40))) + "…" : text)
      + "'"
  }
}
