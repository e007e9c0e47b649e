import Testing

@testable import PipelineLanguage

@Suite("Keys for a host") struct SchedulingKeyTests {
  private func found(_ lines: String) -> [String] {
    findings("\(lines)\noperations: [{ name: x, value: 1 }]\n")
  }

  private func scheduling(_ lines: String) throws -> PipelineScheduling {
    try pipeline("\(lines)\noperations: [{ name: x, value: 1 }]\n").scheduling
  }

  @Test("have defaults") func absent() throws {
    #expect(try scheduling("name: a") == PipelineScheduling())
    #expect(PipelineScheduling() == PipelineScheduling(queue: nil, priority: 0, onRestart: nil, startWithin: nil))
  }

  @Test("are read") func present() throws {
    #expect(
      try scheduling("queue: heavy-1\npriority: -7\non_restart: leave\nstart_within: 1h30m")
        == PipelineScheduling(queue: "heavy-1", priority: -7, onRestart: .leave, startWithin: .seconds(5400)))
  }

  @Test("have limits", arguments: [-1_000_000, 0, 1_000_000]) func bounds(priority: Int) throws {
    #expect(try scheduling("priority: \(priority)").priority == priority)
  }

  @Test("accept each policy for interrupted runs", arguments: RestartPolicy.allCases)
  func policies(policy: RestartPolicy) throws {
    #expect(try scheduling("on_restart: \(policy.rawValue)").onRestart == policy)
  }

  @Test("yield errors with their places if they are invalid") func mistakes() {
    let rule = "it may contain letters, digits, '_' and '-', at most 100, the first a letter or '_'"
    #expect(found("queue: 1st") == ["1:8 invalid-name '1st' cannot be a queue's name: \(rule)"])
    #expect(found("queue: [a]") == ["1:8 wrong-form 'queue' needs a text, found a list"])
    #expect(found("queue: '${{ params.q }}'").first?.hasPrefix("1:9 expression-not-allowed 'queue'") == true)
    #expect(found("queue: \(String(repeating: "q", count: 101))").first?.hasPrefix("1:8 invalid-name") == true)
    let outside = "out-of-range 'priority' must be from -1000000 to 1000000, found"
    #expect(found("priority: 1000001") == ["1:11 \(outside) 1000001"])
    #expect(found("priority: -1000001") == ["1:11 \(outside) -1000001"])
    #expect(found("priority: 1.5") == ["1:11 wrong-form 'priority' needs a whole number, found '1.5'"])
    #expect(
      found("on_restart: resumed")
        == ["1:13 unknown-word 'on_restart' is one of resume, fail, leave, found 'resumed' (did you mean 'resume'?)"])
    #expect(found("start_within: 0s").first?.hasPrefix("1:15 out-of-range 'start_within'") == true)
    #expect(
      found("start_within: 5")
        == [
          "1:15 invalid-duration 'start_within' needs a duration with its unit, found '5' (for seconds write '5s')"
        ])
    #expect(
      found("queu: a\nprioritty: 1\non_restarts: fail\nstartwithin: 1s") == [
        "1:1 unknown-key a pipeline has no key 'queu' (did you mean 'queue'?)",
        "2:1 unknown-key a pipeline has no key 'prioritty' (did you mean 'priority'?)",
        "3:1 unknown-key a pipeline has no key 'on_restarts' (did you mean 'on_restart'?)",
        "4:1 unknown-key a pipeline has no key 'startwithin' (did you mean 'start_within'?)",
      ])
  }

  @Test("belong at the top of a file, not in an operation") func places() {
    #expect(
      findings(inOperation: "run: ls", "priority: 1", "queue: a") == [
        "4:5 misplaced-key 'priority' belongs at the top of the file: runs wait in queues, operations do not (the order in the file decides among operations that are ready)",
        "5:5 misplaced-key 'queue' belongs at the top of the file: runs wait in queues, operations do not (limit how many operations run at once with 'resources')",
      ])
  }

  @Test("have the same limits in the schema") func schema() throws {
    let priority = try #require(PipelineSchema.jsonSchema()["properties"]?["priority"])
    #expect(priority["minimum"] == -1_000_000 && priority["maximum"] == 1_000_000)
    #expect(PipelineSchema.jsonSchema()["properties"]?["on_restart"]?["enum"] == ["resume", "fail", "leave"])
  }
}
