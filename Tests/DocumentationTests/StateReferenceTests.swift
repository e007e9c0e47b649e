import Foundation
import Testing

@testable import RunHistory

/// Checks the tables of `Documentation/operating.md` that explain states and reasons.
@Suite("States and reasons in documents")
struct StateReferenceTests {
  /// Returns the codes in the first cells of the rows of the table under a heading.
  private func codes(under heading: String) throws -> [String] {
    let text = try Documents.text("Documentation/operating.md")
    let start = try #require(text.range(of: "\n#### \(heading)\n"), "no heading '\(heading)'")
    let rest = text[start.upperBound...]
    let section = rest.range(of: "\n#").map { rest[..<$0.lowerBound] } ?? rest
    return section.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
      row.dropFirst(2).prefix { $0 != "|" }.matches(of: /`([^`]+)`/).map { String($0.1) }
    }
  }

  @Test("the states of a pipeline are those of its view")
  func pipelines() throws {
    let tool = try Tool()
    defer { tool.remove() }
    let history = try History.open(at: tool.directory.path, mode: .readWrite)
    let query = try history.sql("SELECT sql FROM sqlite_schema WHERE name = 'pipelines'")
    let row = try query.next()
    // The value is formatted as a literal, in which quotes are escaped.
    let definition = "\(try #require(row))".replacing("\\'", with: "'")
    let decision = try #require(
      definition.firstMatch(of: /CASE WHEN NOT p\.is_loaded.*?END AS state/.dotMatchesNewlines()))
    let states = decision.output.matches(of: /(?:THEN|ELSE) '(\w+)'/).map { String($0.1) }
    #expect(Set(states) == Set(try codes(under: "States of a pipeline")))
  }

  @Test("the states of runs and operations are those of the history")
  func runsAndOperations() throws {
    #expect(try codes(under: "States of a run") == RunState.allCases.map(\.rawValue))
    #expect(try codes(under: "States of an operation") == OperationState.allCases.map(\.rawValue))
  }

  @Test("every outcome of an occasion, and every reason why it has no run, is explained, in the order of the code")
  func occasions() throws {
    #expect(try codes(under: "Outcomes of an occasion") == Occasion.Outcome.allCases.map(\.rawValue))
    #expect(try codes(under: "Why an occasion has no run") == Occasion.Reason.allCases.map(\.rawValue))
  }

  @Test("every reason of an operation that is not an error code is explained")
  func operations() throws {
    let known = OperationReason.Code.allCases.map(\.rawValue) + OperationReason.Dependency.allCases.map(\.rawValue)
    #expect(Set(try codes(under: "Why an operation waits or ended")) == Set(known))
  }

  @Test("every reason of a run is explained")
  func runs() throws {
    let codes = Set(try codes(under: "Why a run waits or ended"))
    let reasons: [RunReason] = [
      .operationFailed("a"), .handlerFailed("a"), .timeout, .historyFailed, .engineFailed, .cancelledBefore, .tooLate,
      .overlap(.generate()), .notBegun("invalid-definition", why: "a"), .notBegun("missing-dependency", why: "a"),
      .readsSecret("a"), .shortage("a"), .notBegun("run-not-found", why: "a"),
      .notBegun("secret-unavailable", why: "a"),
      .notBegun("env", why: "a"),
    ]
    for reason in reasons {
      // Add a new reason to the list above, and to the table.
      switch reason {
      case .operationFailed, .operationNotRun, .handlerFailed, .timeout, .historyFailed, .engineFailed,
        .cancelledBefore, .tooLate, .overlap, .readsSecret, .shortage, .notBegun:
        break
      }
    }
    let written = reasons.map { String($0.text.prefix { $0 != ":" }) }
    #expect(codes == Set(written + ["host-died", "host-drained"]))
  }
}
