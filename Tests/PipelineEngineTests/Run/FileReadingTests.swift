import Expressions
import Foundation
import Glibc
import Testing
import Values

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("What expressions read from files", .timeLimit(.minutes(1))) struct FileReadingTests {
  @Test("work that may take long is done by another thread than the loop's, which goes on afterwards")
  func beside() async throws {
    let host = try EngineTestHost()
    let threads = try await Task(executorPreference: host.loop) {
      let before = pthread_self()
      let beside = try await BlockingWork.run { pthread_self() }
      return (before: before, beside: beside, after: pthread_self())
    }.value
    #expect(threads.before == threads.after)
    #expect(threads.before != threads.beside)
    await host.close()
  }

  @Test("results in files and patterns of hashFiles are known before anything is evaluated")
  func request() async throws {
    let host = try EngineTestHost()
    let engine = try host.engine(
      """
      operations:
        - { name: big, command: [x] }
        - { name: small, command: [x] }
        - name: user
          command: ["${{ results.big.size }}", "${{ hashFiles('a.c', '!b.c') }}"]
          env: { B: "${{ results.small }}", C: "${{ hashFiles(params.pattern) }}" }
        - { name: whole, command: [x], inject: "${{ results.big }}" }
        - { name: none, value: 1 }
        - { name: asked, approve: "${{ results.big }}", when: "results.big.n == 7" }
        - { name: maybe, value: "${{ params.pattern && hashFiles('a.c') }}" }
      params: { pattern: { type: string, default: "x" } }
      """)
    let file = ResultFile(path: "/nowhere", size: 3, type: .json)
    let requests = await engine.requests(big: file)
    #expect(requests[2]?.results == [0: file])
    #expect(requests[2]?.patterns == [["a.c", "!b.c"]])
    #expect(requests[2]?.directory == host.directory)
    #expect(requests[3] == nil, "a process gets the file itself")
    #expect(requests[4] == nil)
    #expect(requests[5] == nil, "nobody waits with what was read")
    #expect(requests[6] == nil, "what may not be asked for is not read ahead")
    await host.close()
  }

  @Test("what was read is what the expression sees, and a file that is gone fails it as it always has")
  func seen() async throws {
    let host = try EngineTestHost()
    let text = "operations: [{ name: big, command: [x] }, { name: a, command: ['${{ results.big }}'] }]"
    let engine = try host.engine(text)
    let path = host.directory + "/value.json"
    try Data(#"{"n": 7}"#.utf8).write(to: URL(fileURLWithPath: path))
    let kept = ResultFile(path: path, size: 8, type: .json)
    #expect(try await engine.reads(kept, removing: path) == ["n": 7])
    await #expect(throws: ExpressionError.self) { _ = try await engine.reads(kept, removing: nil) }
    await host.close()
  }

  @Test("each attempt is given the hash of the files as they are when it begins") func attempts() async throws {
    let executor = ScriptedExecutor(exits: ["job": [1, 0]])
    let host = try EngineTestHost(executor: executor)
    let path = host.directory + "/source.c"
    try Data("one".utf8).write(to: URL(fileURLWithPath: path))
    let run = try await host.run(
      "operations: [{ name: a, run: job, retry: { limit: 1 }, env: { HASH: \"${{ hashFiles('source.c') }}\" } }]"
    ) { event in
      if case .attempt(let attempt) = event, attempt.state == .failed {
        try? Data("two".utf8).write(to: URL(fileURLWithPath: path))
      }
    }
    #expect(run.states == ["a succeeded"])
    let hashes = executor.started.map { $0.environment["HASH"] ?? "" }
    #expect(hashes.count == 2 && Set(hashes).count == 2 && hashes.allSatisfy { $0.count == 64 })
    await host.close()
  }
}

extension RunEngine {
  /// What each operation would read, if the first had left its result in a file and the second had a value.
  fileprivate func requests(big: ResultFile) -> [FileReadings.Request?] {
    state.instances[0].result = .file(big)
    state.instances[1].result = .value(1)
    state.files.areNeeded = true
    return state.pipeline.operations.indices.map(request)
  }

  /// The value of the first operation's file as the second sees it, where the file is removed once it was read.
  fileprivate func reads(_ file: ResultFile, removing path: String?) async throws -> JSONValue {
    state.instances[0].result = .file(file)
    state.files.areNeeded = true
    await readFiles(1)
    if let path { try FileManager.default.removeItem(atPath: path) }
    defer { state.files.readings[1] = nil }
    guard case .command(let templates) = state.pipeline.operations[1].action else { return .null }
    return try templates[0].evaluate(in: contexts(1))
  }
}
