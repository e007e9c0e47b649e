import Testing
import Values

@testable import Expressions

@Suite("Dates in expressions")
struct ExpressionDateTests {
  static let values: [(String, String)] = [
    ("formatDate('2026-11-01T02:03:04.567Z', '%Y-%m-%d %H:%M:%S')", "2026-11-01 02:03:04"),
    ("formatDate('2026-11-01T02:03:04+02:00', '%F %T')", "2026-11-01 00:03:04"),
    ("formatDate('2026-11-01T23:30:00Z', '%F %T %z %Z', 'UTC')", "2026-11-01 23:30:00 +0000 UTC"),
    ("formatDate('2026-07-01T23:30:00Z', '%F %T %z %Z', 'Europe/Berlin')", "2026-07-02 01:30:00 +0200 CEST"),
    ("formatDate('2026-01-01T03:00:00Z', '%F %z', 'America/New_York')", "2025-12-31 -0500"),
    ("formatDate('2026-11-01', '%d.%m.%Y')", "01.11.2026"), ("formatDate('2026-11-01', '%T %z')", "00:00:00 +0000"),
    ("formatDate('2026-11-01', '%F %T %z', 'Asia/Kathmandu')", "2026-11-01 00:00:00 +0545"),
    ("formatDate('2026-12-31', '%j %a %b %u')", "365 Thu Dec 4"), ("formatDate('2024-12-31', '%j')", "366"),
    // ISO 8601 weeks around the turn of the year.
    ("formatDate('2026-01-01', '%G-W%V-%u')", "2026-W01-4"), ("formatDate('2027-01-01', '%G-W%V-%u')", "2026-W53-5"),
    ("formatDate('2024-12-30', '%G-W%V-%u')", "2025-W01-1"), ("formatDate('2023-01-01', '%G-W%V-%u')", "2022-W52-7"),
    ("formatDate('1970-01-02', '%s')", "86400"), ("formatDate('1969-12-31T23:59:59.5Z', '%s %T')", "-1 23:59:59"),
    ("formatDate('2026-11-01', '100 %% ✓')", "100 % ✓"), ("formatDate('2026-11-01', '')", ""),
    ("FORMATDATE('0001-01-01', '%F')", "0001-01-01"),
    ("addDuration('2026-11-01', '1d')", "2026-11-02"), ("addDuration('2026-11-01', '-1d')", "2026-10-31"),
    ("addDuration('2024-02-28', '24h')", "2024-02-29"), ("addDuration('2026-11-01', '0')", "2026-11-01"),
    ("addDuration('2026-11-01', '1w2d')", "2026-11-10"),
    ("addDuration('2026-11-01', '90m')", "2026-11-01T01:30:00.000Z"),
    ("addDuration('2026-11-01', '-1ms')", "2026-10-31T23:59:59.999Z"),
    ("addDuration('2026-11-01T00:30:00+01:00', '-1d')", "2026-10-30T23:30:00.000Z"),
    ("addDuration('2026-11-01T00:00:00.250Z', '1.5s')", "2026-11-01T00:00:01.750Z"),
    ("formatDate(addDuration('2026-03-01', '-1d'), '%F')", "2026-02-28"),
    ("addDuration('9999-12-31', '1d')", "error number-too-large"),
    ("addDuration('0001-01-01', '-1d')", "error number-too-large"),
    ("addDuration('9999-12-31T23:00:00Z', '1h')", "error number-too-large"),
    ("formatDate('soon', '%F')", "error argument-type"),
    ("formatDate('2026-11-01 18:30', '%F')", "error argument-type"),
    ("formatDate('0000-01-01T00:00:00Z', '%F')", "error argument-type"), ("formatDate(5, '%F')", "error argument-type"),
    ("formatDate(null, '%F')", "error argument-type"), ("formatDate('2026-11-01', 5)", "error argument-type"),
    ("formatDate('2026-11-01', '%')", "error format-string"), ("formatDate('2026-11-01', '%E')", "error format-string"),
    ("formatDate('2026-11-01', '%F', 'Europe/Berln')", "error argument-type"),
    ("formatDate('2026-11-01', '%F', '')", "error argument-type"),
    ("addDuration('2026-11-01', '1')", "error argument-type"),
    ("addDuration('2026-11-01', '--1d')", "error argument-type"),
    ("addDuration('2026-11-01', '-')", "error argument-type"), ("addDuration('2026-11-01', 1)", "error argument-type"),
    ("addDuration('2026-11-01', '15250w')", "2319-02-09"),
  ]

  @Test("an expression evaluates to its value or fails with its error", arguments: values)
  func value(text: String, expected: String) throws {
    let expression = try Expression.parse(text)
    do throws(ExpressionError) {
      #expect(try expression.evaluate(in: ObjectContexts()).stringValue == expected)
    } catch {
      #expect("error \(error.code)" == expected, "\(error)")
      #expect(error.position > 0)
    }
  }

  @Test("an unknown conversion is reported with its position, even if the format is computed")
  func places() throws {
    func error(_ text: String) throws -> ExpressionError? {
      let expression = try Expression.parse(text)
      return #expect(throws: ExpressionError.self) { try expression.evaluate(in: ObjectContexts(["x": "%F %Q"])) }
    }
    let literal = try error("formatDate('2026-11-01', '''%F'' %Q')")
    #expect(literal?.position == 34 && literal?.length == 2)
    #expect(literal?.message == "'formatDate' has no conversion '%Q'")
    let computed = try error("formatDate('2026-11-01', x)")
    #expect(computed?.position == 26 && computed?.length == 1)
  }
}
