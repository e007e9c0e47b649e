import Foundation
import Testing

@testable import PluginHost

/// Plugins written in several languages from the header alone: see `Plugins/Examples`.
@Suite("Plugins in other languages")
struct ForeignPluginTests {
  private static let repository: URL = {
    var path = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { path.deleteLastPathComponent() }
    return path
  }()

  private static let hasRust = ForeignCompiler.exists("rustc")

  private func example(_ name: String) -> String {
    Self.repository.appendingPathComponent("Plugins/Examples/\(name)").path
  }

  @Test("A plugin in C passes the validator")
  func plainC() async throws {
    try await passes(
      [
        "cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-I", TestPlugin.header,
        example("countdown.c"),
      ])
  }

  @Test("A plugin in C++ passes the validator")
  func cPlusPlus() async throws {
    let scratch = try Scratch()
    let object = try await passes(
      [
        "c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-pthread", "-I",
        TestPlugin.header, example("pause.cpp"),
      ], in: scratch)
    // A child host destroys an instance as soon as it ends; the instance joins the thread that has ended it.
    let connection = try IsolatedConnection.open(try IsolatedTestPlugin.launch(object))
    for number in 1...20 {
      let events = RecordedEvents()
      let instance = connection.create(connection.description.offers[0], settings: [:], access: .none, events: events)
      instance.start(["requirement": .int(Int64(number))])
      let end = await events.waitForEnd()
      guard case .ended(let value) = end else {
        Issue.record("attempt \(number): \(end)")
        break
      }
      #expect(value?["requirement"] == .int(Int64(number)))
      instance.destroy()
    }
    await connection.close()
  }

  @Test("A plugin in Rust passes the validator", .enabled(if: hasRust, "there is no rustc"))
  func rust() async throws {
    try await passes(
      [
        "rustc", "--edition", "2021", "--crate-type", "cdylib", "-C", "panic=abort", "-O", "-D", "warnings",
        example("primes.rs"),
      ])
  }

  @Test(
    "The smallest plugin, as shown in the header, compiles without a warning, works and passes the validator",
    arguments: [["cc", "-std=c99"], ["c++", "-std=c++11"]])
  func smallest(compiler: [String]) async throws {
    let header = try String(contentsOfFile: "\(TestPlugin.header)/penstock/plugin.h", encoding: .utf8)
    let from = try #require(header.range(of: " *   #include <penstock/plugin.h>\n"))
    let to = try #require(header.range(of: " *   cc -std=c99 -shared"))
    let lines = header[from.lowerBound..<to.lowerBound].split(separator: "\n", omittingEmptySubsequences: false)
    let scratch = try Scratch()
    let file = try scratch.write(
      lines.map { String($0.dropFirst(5)) }.joined(separator: "\n"),
      to: compiler[0] == "cc" ? "echo.c" : "echo.cpp")
    let command = compiler + ["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-I", TestPlugin.header, file]
    let object = try await passes(command, in: scratch)
    let connection = try IsolatedConnection.open(try IsolatedTestPlugin.launch(object))
    let events = RecordedEvents()
    let instance = connection.create(connection.description.offers[0], settings: [:], access: .none, events: events)
    instance.start(["requirement": "hello"])
    let end = await events.waitForEnd()
    #expect(end == .ended(["requirement": "hello"]))
    instance.destroy()
    await connection.close()
  }

  @Test("The standard plugin in C passes the validator, and compiles without a warning")
  func signals() async throws {
    let folder = Self.repository.appendingPathComponent("Plugins/Signals").path
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }.sorted()
    try await passes(
      [
        "cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-shared", "-fPIC", "-pthread", "-I",
        TestPlugin.header,
      ]
        + sources.map { "\(folder)/\($0)" })
  }

  /// Compiles with the command, and validates the result.
  @discardableResult
  private func passes(_ command: [String], in folder: Scratch? = nil) async throws -> String {
    let scratch = try folder ?? Scratch()
    let object = scratch("plugin.so")
    try ForeignCompiler.run(command + ["-o", object], errors: scratch("errors"))
    let report = try await CheckedPlugin.report(onFile: object, grace: .seconds(30))
    #expect(report.results.filter { $0.outcome != .passed } == [])
    #expect(report.results.count > 6)
    return object
  }
}

/// Compilers that the machine may have.
enum ForeignCompiler {
  static func exists(_ name: String) -> Bool {
    guard let scratch = try? Scratch() else { return false }
    return (try? run([name, "--version"], errors: scratch("errors"))) != nil
  }

  static func run(_ command: [String], errors: String) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = FileHandle.nullDevice
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw TestPluginError(
        message: "\(command[0]) failed: \((try? String(contentsOfFile: errors, encoding: .utf8)) ?? "")")
    }
  }
}
