import Expressions
import Foundation
import Glibc
import Testing
import Values

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

@Suite("What expressions read from files", .timeLimit(.minutes(1))) struct FileReadingTests {
  @Test("long work runs on another thread than the event loop's, which continues afterwards")
  func beside() async throws {
    let host = try EngineTestHost()
    let threads = await Task(executorPreference: host.loop) {
      let before = pthread_self()
      let beside = await BlockingWork.run { pthread_self() }
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
        - { name: asked, approve: "${{ results.big }}", when: "hashFiles('when.c') == 'x'" }
        - { name: maybe, value: "${{ params.pattern && hashFiles('a.c') }}" }
        - name: later
          for_each: "${{ results.big.items }}"
          exclusive: "${{ hashFiles('name.c') }}"
          repeat: { limit: 2, until: "hashFiles('until.c') == results.later" }
          value: 1
      params: { pattern: { type: string, default: "x" } }
      """)
    let file = ResultFile(path: "/nowhere", size: 3, type: .json)
    let requests = await engine.requests(big: file)
    #expect(requests[2]?.results == [0: file])
    #expect(requests[2]?.patterns == [["a.c", "!b.c"]])
    #expect(requests[2]?.directory == host.directory)
    #expect(requests[3] == nil, "a process gets the file itself")
    #expect(requests[4] == nil)
    #expect(requests[5]?.results == [0: file])
    #expect(
      requests[6]?.patterns == [] && requests[6]?.templates.count == 1, "what may not be asked for is not read ahead")
    #expect(requests[7] == nil)
    let times: [(ReadingTime, Int)] = [(.condition, 5), (.items, 7), (.exclusive, 7), (.repetition, 7)]
    var others: [FileReadings.Request?] = []
    for (time, ordinal) in times { others.append(await engine.request(ordinal, for: time)) }
    #expect(others.map { $0?.patterns } == [[["when.c"]], [], [["name.c"]], [["until.c"]]])
    #expect(others.map { $0?.results } == [[:], [0: file], [:], [:]])
    let (item, request) = await engine.itemRequest(of: 7, file)
    #expect(request?.results == [item: file], "to an item, the loop is that item")
    await host.close()
  }

  @Test("an expression sees what was read, and a missing file fails it")
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

  /// Operations over a large result, each with whether its template takes long and can be evaluated off the event loop.
  private static let overLarge: [(template: String, isBeside: Bool)] = [
    ("${{ toJSON(results.big) }}", true), ("${{ length(results.big.items) }} of ${{ params.p }}", true),
    ("${{ results.big.items[params.n].name }}", false), ("${{ join(results.big.items.*.name, ',') }}", true),
    ("${{ contains(Results.BIG['text'], 'x') && run.pipeline || env }}", false),
    ("${{ contains(results.big.text, 'x') && run || 1 }}", true),
    ("${{ fromJSON(results.big.text) }}", true),
    ("${{ results.nobody || errors.big || results.big.text != '' }}", true),
    ("${{ success() && hashFiles('none') == '' && results.big.text }}", true),
    ("${{ env.A }} ${{ results.big.text }}", true),
    ("${{ results.big.text }}", false), ("${{ params.p }} and ${{ results.small }}", false),
  ]

  @Test("templates over large values are evaluated off the event loop, with the same result") func large() async throws
  {
    let host = try EngineTestHost()
    let operations = Self.overLarge.enumerated().map { number, row in
      "  - { name: op-\(number), value: \"\(row.template)\" }\n"
    }
    let engine = try host.engine(
      """
      params: { p: { type: string, default: q }, n: { type: int, default: 3 } }
      env: { A: b }
      operations:
        - { name: big, command: [x] }
        - { name: small, value: 1 }
        - { name: nobody, value: 1, when: "params.p != 'q'" }
      \(operations.joined())
      """)
    let items = (0..<9000).map { JSONValue.object(["name": .string("n\($0)")]) }
    let big = JSONValue.object(["text": .string(String(repeating: "x", count: 100_000)), "items": .array(items)])
    let found = await engine.evaluate(over: big, operations: 3..<(3 + operations.count))
    for (row, found) in zip(Self.overLarge, found) {
      #expect((found.beside != nil) == row.isBeside, "\(row.template)")
      if let beside = found.beside { #expect(beside == found.direct, "\(row.template)") }
      // The value evaluated beforehand is used, whatever has become of its parts.
      #expect(found.later == (row.isBeside ? found.direct : found.changed), "\(row.template)")
    }
    #expect(await engine.heldReadings == 0)
    await host.close()
  }

  @Test("a template with a large value sees variables that are injected or set", arguments: [10, 20_000])
  func largeBesideVariables(count: Int) async throws {
    let executor = ScriptedExecutor()
    let host = try EngineTestHost(executor: executor)
    let run = try await host.run(
      """
      env: { N: pipeline, P: pipeline, O: pipeline }
      params: { list: { type: json } }
      operations:
        - name: a
          inject: { N: injected }
          env: { O: own }
          command: [x, "${{ env.N }} ${{ env.O }} ${{ env.P }} ${{ length(params.list) }}"]
      """, parameters: ["list": .array(Array(repeating: 1, count: count))])
    #expect(run.states == ["a succeeded"])
    #expect(executor.commands == ["injected own pipeline \(count)"])
    await host.close()
  }

  @Test(
    "a condition over a large value is evaluated once, off the event loop",
    arguments: [ReadingTime.condition, .repetition])
  func largeCondition(time: ReadingTime) async throws {
    let host = try EngineTestHost()
    let condition = "length(results.big) == 20000"
    let engine = try host.engine(
      """
      operations:
        - { name: big, command: [x] }
        - { name: a, needs: big, when: "\(condition)", value: 1, repeat: { limit: 2, until: "\(condition)" } }
      """)
    #expect(try await engine.holds(over: .array(Array(repeating: 1, count: 20_000)), time))
    await host.close()
  }

  @Test("an evaluation that a cancellation has made outdated is repeated") func cancelledMeanwhile()
    async throws
  {
    let host = try EngineTestHost()
    let engine = try host.engine(
      """
      operations:
        - { name: big, command: [x] }
        - { name: a, needs: big, when: always(), value: "${{ cancelled() }} ${{ length(results.big) }}" }
      """)
    #expect(try await engine.valueAfterCancellation(over: .array(Array(repeating: 1, count: 20_000))) == "true 20000")
    #expect(await engine.heldReadings == 0)
    await host.close()
  }

  @Test("every operation sees its files and retains nothing that was read, even while it waits")
  func dropped() async throws {
    let executor = ScriptedExecutor()
    let host = try EngineTestHost(executor: executor)
    try Data("one".utf8).write(to: URL(fileURLWithPath: host.directory + "/source.c"))
    let hash = "hashFiles('source.c')"
    let length = "\(hash) && 'yes' || 'no'"
    let (questions, ask) = AsyncStream<Approval>.makeStream()
    let engine = try host.engine(
      """
      operations:
        - { name: condition, when: "\(hash) != ''", value: 1 }
        - { name: never, when: "\(hash) == ''", value: 1 }
        - { name: items, for_each: { in: ["${{ \(hash) }}", 2] }, when: "\(hash) != item", value: "${{ item }}" }
        - { name: exclusive, exclusive: "${{ \(length) }}", run: job }
        - { name: rounds, repeat: { limit: 3, until: "\(hash) != ''" }, value: 1 }
        - { name: nested, pipeline: inner.yaml, params: { p: "${{ \(length) }}" } }
        - { name: moment, wait: "${{ \(hash) && '1ms' }}" }
        - { name: asked, approve: "${{ \(length) }}" }
      """, nested: ["inner.yaml": "{ params: { p: string }, operations: [{ name: in, value: '${{ params.p }}' }] }"]
    ) { event in
      if case .approval(let question) = event { ask.yield(question) }
    }
    async let running = host.run(engine)
    for await question in questions {
      #expect(question.message == "yes")
      #expect(await engine.reads(7) == false)
      try await host.services.recorder.flush()
      _ = try host.services.history.answerApproval(
        engine.id, operation: question.operation, approved: true, note: nil, who: "ann")
      break
    }
    let run = try await running
    #expect(run.states.prefix(2) == ["condition succeeded", "never skipped condition"])
    #expect(run.outcome.results["items"] == [.null, 2])
    #expect(run.attempts.filter { $0.ordinal == 4 }.count == 1)
    #expect(run.outcome.results["nested"] == ["in": "yes"])
    #expect(await engine.heldReadings == 0)
    await host.close()
  }

  @Test("each attempt receives the hash of the files as they are when it begins") func attempts() async throws {
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
  fileprivate var heldReadings: Int { run.state.files.readings.count }
  fileprivate func reads(_ ordinal: Int) -> Bool { run.state.files.readings[ordinal] != nil }

  fileprivate func request(_ ordinal: Int, for time: ReadingTime) -> FileReadings.Request? {
    run.request(ordinal, for: time)
  }

  /// Returns what each operation would read if the first had left its result in a file and the second had a value.
  fileprivate func requests(big: ResultFile) -> [FileReadings.Request?] {
    run.state.instances[0].latest.result = .file(big)
    run.state.instances[1].latest.result = .value(1)
    run.state.files.areNeeded = true
    return run.state.pipeline.operations.indices.map { run.request($0, for: .attempt) }
  }

  /// Returns what an item whose own result is in a file would read for `until`.
  fileprivate func itemRequest(of loop: Int, _ file: ResultFile) -> (item: Int, request: FileReadings.Request?) {
    let item = run.state.addItem(of: loop, index: 0, value: 1)
    run.state.instances[item].latest.result = .file(file)
    return (item, run.request(item, for: .repetition))
  }

  /// Evaluates each operation's template with `big` as the result of the first operation: off the event loop, if that is where it is evaluated; on
  /// the event loop; on the event loop with another result; and as read earlier, after the result has changed.
  fileprivate func evaluate(over big: JSONValue, operations: Range<Int>) async -> [OverLarge] {
    var found: [OverLarge] = []
    for ordinal in operations {
      guard case .value(.template(let template)) = run.state.pipeline.operations[ordinal].action else { continue }
      func value() -> Result<JSONValue, ExpressionError> {
        Result { () throws(ExpressionError) in try template.evaluate(in: run.contexts(ordinal)) }
      }
      func settle(_ result: JSONValue) {
        run.state.instances[0].latest.result = .value(result)
        run.state.files.note(.value(result), of: 0)
      }
      var row = OverLarge()
      settle(["text": "y", "items": []])
      row.changed = value()
      settle(big)
      row.direct = value()
      try? await run.readFiles(ordinal)
      row.beside = run.state.files.readings[ordinal]?.values[template]
      settle(["text": "y", "items": []])
      row.later = value()
      run.dropReadings(ordinal)
      found.append(row)
    }
    return found
  }

  /// Whether the second operation's condition holds as evaluated when the first one had `big`, which it no longer has.
  fileprivate func holds(over big: JSONValue, _ time: ReadingTime) async throws -> Bool {
    let definition = run.state.pipeline.operations[1]
    guard let condition = time == .condition ? definition.condition : definition.repetition?.until else { return false }
    run.state.instances[0].latest.result = .value(big)
    run.state.files.note(.value(big), of: 0)
    try await run.readFiles(1, for: time)
    defer { run.dropReadings(1) }
    run.state.instances[0].latest.result = .value([])
    return try run.holds(condition, for: 1)
  }

  /// Returns the value of the second operation if the run is cancelled while it waits to evaluate it.
  fileprivate func valueAfterCancellation(over big: JSONValue) async throws -> JSONValue? {
    run.state.instances[0].latest.result = .value(big)
    run.state.files.note(.value(big), of: 0)
    let loop = run.services.loop
    loop.execute { self.assumeIsolated { $0.cancel(.requested) } }
    try await run.readFiles(1)
    defer { run.dropReadings(1) }
    guard case .value(.template(let template)) = run.state.pipeline.operations[1].action else { return nil }
    return try run.state.files.readings[1]?.values[template]?.get()
  }

  /// Returns the value in the first operation's file as the second sees it, after the file was read and removed.
  fileprivate func reads(_ file: ResultFile, removing path: String?) async throws -> JSONValue {
    run.state.instances[0].latest.result = .file(file)
    run.state.files.areNeeded = true
    try await run.readFiles(1)
    if let path { try FileManager.default.removeItem(atPath: path) }
    defer { run.dropReadings(1) }
    guard case .command(let templates) = run.state.pipeline.operations[1].action else { return .null }
    return try templates[0].evaluate(in: run.contexts(1))
  }
}

private struct OverLarge {
  typealias Value = Result<JSONValue, ExpressionError>
  var changed = Value.success(.null)
  var direct = Value.success(.null)
  var beside: Value?
  var later = Value.success(.null)
}
