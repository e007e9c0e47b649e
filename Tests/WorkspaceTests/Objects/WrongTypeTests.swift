import Foundation
import Testing

/// Code that the compiler must reject. Each piece is compiled twice: with the error, and with the one word corrected.
@Suite("The compiler refuses")
struct WrongTypeTests {
  struct Mistake: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var wrong: String
    var right: String
  }

  static let mistakes = [
    Mistake(
      testDescription: "a comparison with another type", wrong: "_ = Job.attempt == \"3\"",
      right: "_ = Job.attempt == 3"),
    Mistake(testDescription: "a case of another type", wrong: "_ = Job.state == 1", right: "_ = Job.state == .failed"),
    Mistake(
      testDescription: "an order among values that have none", wrong: "_ = Job.state < .failed",
      right: "_ = Job.attempt < 3"),
    Mistake(
      testDescription: "a list of another type", wrong: "_ = Job.attempt.in([\"a\"])", right: "_ = Job.attempt.in([1])"),
    Mistake(
      testDescription: "a prefix of a number", wrong: "_ = Job.attempt.hasPrefix(\"a\")",
      right: "_ = Job.id.hasPrefix(\"a\")"),
    Mistake(
      testDescription: "a question whether something is missing that never is", wrong: "_ = Job.attempt.isNil()",
      right: "_ = Job.exitCode.isNil()"),
    Mistake(
      testDescription: "a maximum of values that have no order", wrong: "_ = Job.state.maximum",
      right: "_ = Job.attempt.maximum"),
    Mistake(
      testDescription: "an assignment of another type", wrong: "_ = Job.attempt.set(\"3\")",
      right: "_ = Job.attempt.set(3)"),
    Mistake(
      testDescription: "a condition on another type's field", wrong: "_ = Job.attempt == 3 && Other.id == 3",
      right: "_ = Job.attempt == 3 && Job.id == \"3\""),
    Mistake(
      testDescription: "a field of another type than its property",
      wrong: "let _: Field<Job, Int> = Field(\"id\", \\Job.id)",
      right: "let _: Field<Job, String> = Field(\"id\", \\Job.id)"),
    Mistake(
      testDescription: "a key that may be missing",
      wrong: "_ = ObjectSchema(\"job\", Job.init, Job.id, Job.state, Job.attempt, Job.exitCode, key: Job.exitCode)",
      right: "_ = ObjectSchema(\"job\", Job.init, Job.id, Job.state, Job.attempt, Job.exitCode, key: Job.id)"),
    Mistake(
      testDescription: "a list of fields that does not fit the initializer",
      wrong: "_ = ObjectSchema(\"job\", Job.init, Job.id, Job.attempt, Job.state, Job.exitCode, key: Job.id)",
      right: "_ = ObjectSchema(\"job\", Job.init, Job.id, Job.state, Job.attempt, Job.exitCode, key: Job.id)"),
  ]

  private static let preamble = """
    import Workspace
    struct Job: Storable {
      enum State: String, ColumnValue { case queued, failed }
      var id: String; var state: State; var attempt: Int; var exitCode: Int?
      static let id = Field("id", \\Job.id)
      static let state = Field("state", \\Job.state)
      static let attempt = Field("attempt", \\Job.attempt)
      static let exitCode = Field("exit_code", \\Job.exitCode)
      static let schema = ObjectSchema("job", Job.init, id, state, attempt, exitCode, key: id)
    }
    struct Other: Storable {
      var id: Int
      static let id = Field("id", \\Other.id)
      static let schema = ObjectSchema("other", Other.init, id, key: id)
    }

    """

  /// One compilation of all correct lines, and one that must report an error in each wrong line.
  @Test("every use of a field with a type other than its own")
  func mistakes() throws {
    guard let compiler = Compiler() else {
      Issue.record("the modules that were built for the tests are not beside them")
      return
    }
    func text(_ lines: [String]) -> String {
      Self.preamble
        + lines.map { "func f() { \($0) }\n" }.enumerated().map { $1.replacing("f()", with: "f\($0)()") }.joined()
    }
    let right = try compiler.errors(in: text(Self.mistakes.map(\.right)))
    try #require(right.isEmpty, "\(right)")
    let first = Self.preamble.split(separator: "\n", omittingEmptySubsequences: false).count
    let wrong = try compiler.errors(in: text(Self.mistakes.map(\.wrong)))
    for (place, mistake) in Self.mistakes.enumerated() {
      #expect(
        wrong.contains { $0.hasPrefix("wrong.swift:\(first + place):") }, "\(mistake.testDescription): \(mistake.wrong)"
      )
    }
  }
}

/// The compiler, with the modules that were built for the tests.
private struct Compiler {
  private let arguments: [String]

  init?() {
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let products = (bundle as NSString).deletingLastPathComponent
    let modules = products + "/Modules"
    guard FileManager.default.fileExists(atPath: modules + "/Workspace.swiftmodule") else { return nil }
    let map = Checkout.root.appendingPathComponent("Sources/CLibSQLite/module.modulemap").path
    // The C modules imported by the Swift modules below Workspace.
    let maps = [map, products + "/CProcess.build/module.modulemap"]
    guard maps.allSatisfy(FileManager.default.fileExists) else { return nil }
    arguments =
      ["swiftc", "-typecheck", "-swift-version", "6", "-I", modules]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  /// Returns the error lines of the compiler, which begin with file, line and "error".
  func errors(in text: String) throws -> [String] {
    let directory = try TemporaryDirectory()
    try text.write(toFile: directory.path + "/wrong.swift", atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments + ["wrong.swift"]
    process.currentDirectoryURL = URL(fileURLWithPath: directory.path)
    let output = Pipe()
    process.standardError = output
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let told = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let errors = told.split(separator: "\n").filter { $0.contains(": error: ") }.map { line in
      line.range(of: "wrong.swift:").map { String(line[$0.lowerBound...]) } ?? String(line)
    }
    if process.terminationStatus != 0 && errors.isEmpty { return [told] }
    return errors
  }
}
