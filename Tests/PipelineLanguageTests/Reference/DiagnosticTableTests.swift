import Glibc
import HTTPOperations
import OperatingSystem
import PluginHost
import Testing

@testable import Expressions
@testable import PipelineLanguage

extension DiagnosticRow: CustomTestStringConvertible {
  /// The code.
  public var testDescription: String { code }

  fileprivate var isSituation: Bool {
    if case .situation = example { true } else { false }
  }
}

@Suite("The table of codes")
struct DiagnosticTableTests {
  private static let rows = DiagnosticTable.sections.flatMap(\.rows)

  /// The codes that findings about files never have: of evaluating expressions, of sending requests, and of a host that shuts down.
  private static let onlyInRuns =
    [ExpressionCode.tooLarge, .noFiles, .numberTooLarge].map(\.rawValue)
    + [HTTPEncodingError.Code.invalidCredentials, .unreadableFile, .invalidForm].map(\.rawValue)
    + [PluginError.Code.closed.rawValue]

  @Test("has one row for each declared code, without duplicates")
  func codes() {
    let declared =
      DiagnosticCode.allCases.map(\.rawValue) + ExpressionCode.allCases.map(\.rawValue)
      + HTTPEncodingError.Code.allCases.map(\.rawValue) + PluginError.Code.allCases.map(\.rawValue)
      + PluginSettingProblem.Code.allCases.map(\.rawValue)
    let listed = Self.rows.map(\.code) + Self.onlyInRuns
    #expect(listed.sorted() == declared.sorted())
  }

  @Test("consists of sentences")
  func sentences() {
    for row in Self.rows {
      #expect(row.meaning.hasSuffix("."), "\(row.code)")
      #expect(row.fix.hasSuffix("."), "\(row.code)")
      if case .situation(let text) = row.example { #expect(text.hasSuffix("."), "\(row.code)") }
    }
  }

  @Test("an example yields its code and no other", arguments: rows.filter { !$0.isSituation })
  func examples(row: DiagnosticRow) {
    #expect(row.load().diagnostics.map(\.code) == [row.code])
  }

  @Test("a situation that no small file can show yields its code and no other", arguments: rows.filter(\.isSituation))
  func situations(row: DiagnosticRow) throws {
    let make = try #require(Self.situations[row.code], "no test for \(row.code)")
    #expect(try make().map(\.code) == [row.code])
  }

  // MARK: - Situations

  /// The findings in each situation. PluginHostTests tests that a plugin is rejected with a code; here, that `check` reports it.
  private static let situations: [String: @Sendable () throws -> [Diagnostic]] = {
    var situations: [String: @Sendable () throws -> [Diagnostic]] = [
      "system-limit": { try unreadable(EMFILE) },
      "include-limit": {
        let files = (0...20).map { ("/chain/\($0).yaml", "include: \($0 + 1).yaml\n") }
        return PipelineLoader.load(
          text: "include: 0.yaml\n" + operation("value: 1"), path: "/chain/main.yaml",
          nested: Dictionary(uniqueKeysWithValues: files)
        ).diagnostics
      },
      "file-too-large": { load(String(repeating: "#", count: YAMLReader.maximumSize + 1)) },
      "invalid-utf8": {
        LoadSession().load(SourceText(path: "test.yaml", bytes: Array("name: caf".utf8) + [0xE9, 0x0A])).diagnostics
      },
      "too-deep": {
        load(operation("value: " + String(repeating: "[", count: 101) + String(repeating: "]", count: 101)))
      },
      "too-many-items": {
        let list = "[" + (1...317).map(String.init).joined(separator: ", ") + "]"
        return load(operation("value: 1, matrix: { a: \(list), b: \(list) }"))
      },
      "expression-too-long": { load(operation("value: \"${{ \(String(repeating: "1", count: 21_001)) }}\"")) },
      "expression-too-deep": { load(operation("value: \"${{ \(String(repeating: "!", count: 51))1 }}\"")) },
      "specification-too-long": { load(operation("value: 1, run_when: \(String(repeating: "a", count: 21_001))")) },
      "specification-too-deep": {
        load(
          operation(
            "value: 1, run_when: \(String(repeating: "(", count: 51))always\(String(repeating: ")", count: 51))"))
      },
      "specification-too-large": {
        let named = (1..<15).map { "s\($0): s\($0 - 1) && s\($0 - 1)" }.joined(separator: ", ")
        return load("specifications: { s0: connected, \(named) }\nautomatic: s14\n" + operation("value: 1"))
      },
      "nothing-required": {
        let plugin = try FakePlugin("text", offers: [["kind": "operation", "id": "text.now", "result": "none"]])
        return load(operation("uses: text.now, inject: \"${{ 'x' }}\""), FakeCatalog([plugin]))
      },
    ]
    for code in PluginError.Code.allCases where situations[code.rawValue] == nil {
      situations[code.rawValue] = {
        load(operation("uses: text.now"), FakeCatalog(failures: ["text": PluginError(code, "it cannot be used")]))
      }
    }
    return situations
  }()

  private static func load(_ text: String, _ catalog: FakeCatalog = FakeCatalog()) -> [Diagnostic] {
    PipelineLoader.load(text: text, path: "test.yaml", plugins: .catalog(catalog)).diagnostics
  }

  private static func operation(_ rest: String) -> String { "operations: [{ name: x, \(rest) }]\n" }

  /// Returns the findings for a file that the system fails to open with `number`.
  private static func unreadable(_ number: Int32) throws -> [Diagnostic] {
    let failure = PipelineFile.Failure(.system(path: "test.yaml", number: number), path: "test.yaml")
    return [Diagnostic(code: failure.code, failure.message, file: "test.yaml", range: .beginning)]
  }
}
