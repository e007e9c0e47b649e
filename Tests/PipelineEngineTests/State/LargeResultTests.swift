import Foundation
import Testing
import Values

@testable import PipelineEngine
@testable import RunHistory

@Suite("Large results", .timeLimit(.minutes(1))) struct LargeResultTests {
  private static let long = String(repeating: "x", count: 300_000)

  @Test("are recognised without examining more than necessary", arguments: [0, 65_529, 65_530, 1 << 20])
  func large(length: Int) {
    let text = JSONValue.string(String(repeating: "x", count: length))
    #expect(JSONValue.array([text, .object(["n": 1])]).isLarge == (length > 65_525))
    #expect(JSONValue.array(Array(repeating: .null, count: 20_000)).isLarge)
  }

  @Test("of a loop and of an attempt are each one file that contains the value")
  func files() async throws {
    let host = try EngineTestHost()
    let engine = try host.engine(
      """
      operations:
        - { name: items, for_each: [1, 2, 3, 4, 5], value: "\(Self.long)" }
        - { name: both, value: ["\(Self.long)", "\(Self.long)", "\(Self.long)", "\(Self.long)"] }
        - { name: again, value: "${{ results.both }}" }
        - name: typed
          run: printf '["'; head -c 2000000 /dev/zero | tr '\\0' a; printf '"]'
          result: [string]
        - name: middle
          run: printf '["'; head -c 100000 /dev/zero | tr '\\0' a; printf '"]'
          result: [string]
      """)
    // What a former host of the run may have left.
    let workspace = host.services.history.workspace.directory
    let directory = "\(workspace)/runs/\(engine.id.text)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    for number in 1...3 {
      try Data("taken".utf8).write(to: URL(fileURLWithPath: "\(directory)/\(number).json"))
    }
    let run = try await host.run(engine)
    #expect(
      run.states.filter { !$0.contains("[") } == [
        "items succeeded", "both succeeded", "again succeeded", "typed succeeded", "middle succeeded",
      ])
    let large = run.operations.filter { ["items", "both", "again", "typed"].contains($0.name) }
    for operation in large {
      guard case .file(let path, let size) = operation.result else {
        Issue.record("\(operation.name) is not in a file")
        continue
      }
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(workspace)/\(path)"))
      #expect(Int64(data.count) == size)
      let value = try JSONValue.parse(String(decoding: data, as: UTF8.self))
      #expect(value.arrayValue?.count == ["items": 5, "typed": 1][operation.name, default: 4])
    }
    let middle = try #require(run.operations.first { $0.name == "middle" })
    if case .inline(let text) = middle.result { #expect(text.utf8.count == 100_004) } else { Issue.record("a file") }
    let files = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".json") }
    #expect(files.count == 7)
    #expect(try String(contentsOfFile: directory + "/1.json", encoding: .utf8) == "taken")
    #expect(await engine.hasWritten == false)
    await host.close()
  }
}

extension RunEngine {
  fileprivate var hasWritten: Bool { !run.state.files.written.isEmpty }
}
