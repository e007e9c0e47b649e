import Testing

@testable import PipelineLanguage

@Suite("What a pipeline requires of a host") struct HostCheckTests {
  private static let host = """
    queues:
      heavy: { runs: 1 }
    resources: { gpu: 2, licence: 3 }
    """

  private func host(_ text: String = host) throws -> HostDefinition {
    try #require(HostDefinition.load(text: text, path: "host.yaml").host)
  }

  /// Returns a finding with the place and text of its note.
  private func shownWithNote(_ finding: Diagnostic) -> String {
    let note = finding.note.map { " – \($0.file):\($0.range.start.line):\($0.range.start.column) \($0.message)" } ?? ""
    return shown(finding) + note
  }

  private func found(_ text: String, nested: [String: String] = [:], host: HostDefinition) -> [String] {
    PipelineLoader.load(text: text, path: "/p/test.yaml", nested: nested, host: .host(host)).diagnostics
      .map(shownWithNote)
  }

  @Test("exists, or is an error with both places") func places() throws {
    let text = """
      queue: heavi
      resources: { memory: 4 }
      operations:
        - { name: a, run: ls, resources: { gpu: 2, memory: 4 } }
        - { name: b, run: ls, resources: { gpu: 3, gpus: 1, disk: 1 } }
      after:
        always: [{ name: c, run: ls, resources: { licence: 4 } }]
      """
    #expect(
      found(text, host: try host())
        == [
          "1:8 unknown-queue the host has no queue 'heavi' (did you mean 'heavy'?) – host.yaml:1:1 the queues are default, heavy",
          "5:43 out-of-range operation 'b' needs 3 of 'gpu', but the host has only 2 (lower it, or raise 'gpu' in the host's file) – host.yaml:3:14 the host has 2 of 'gpu'",
          "5:46 unknown-resource neither the pipeline nor the host declares a resource 'gpus' (did you mean 'gpu'?) – host.yaml:3:1 the host has gpu, licence",
          "5:55 unknown-resource neither the pipeline nor the host declares a resource 'disk' (declare it in the pipeline for each run, or in the host's file for all: 'resources: {disk: 1}') – host.yaml:3:1 the host has gpu, licence",
          "7:54 out-of-range operation 'c' needs 4 of 'licence', but the host has only 3 (lower it, or raise 'licence' in the host's file) – host.yaml:3:14 the host has 3 of 'licence'",
        ].map { $0.replacing("host.yaml:3:14 the host has 3", with: "host.yaml:3:22 the host has 3") })
  }

  @Test("cannot be a terminal, in any condition") func terminals() throws {
    let text = """
      specifications: { here: foreground || connected }
      operations:
        - { name: a, run: ls, run_when: here }
        - { name: b, run: ls, retry: { limit: 1, early: [foreground] } }
      """
    #expect(
      found(text, host: try host())
        == ["1:25", "4:52"].map {
          "\($0) misplaced-specification 'foreground' asks for a terminal, and a host has none (remove it; to wait for a person, use an operation with 'approve')"
        })
    #expect(PipelineLoader.load(text: text, path: "/p/test.yaml").isValid)
    #expect(PipelineLoader.load(text: text, path: "/p/test.yaml", host: .unchecked).isValid)
  }

  @Test(
    "is reported at the start of a file without such declarations, and without a note if there is no file")
  func nothingDeclared() throws {
    let text = "queue: heavy\noperations: [{ name: a, run: ls, resources: { gpu: 1 } }]"
    let empty = found(text, host: try host("drain: 1s"))
    #expect(
      empty.map { $0.split(separator: "–").last.map(String.init) } == [
        " host.yaml:1:1 the only queue is default", " host.yaml:1:1 the host has no resources",
      ])
    #expect(found(text, host: HostDefinition()).allSatisfy { !$0.contains("–") })
  }

  @Test("may be a resource that only the host declares, with no further limit per run") func hostResource() throws {
    let text = """
      queue: heavy
      resources: { memory: 4 }
      operations:
        - { name: a, run: ls, resources: { gpu: 1, memory: 1 } }
        - { name: b, run: ls, resources: { licence: 3, gpu: 2 } }
      """
    let result = PipelineLoader.load(text: text, path: "test.yaml", host: .host(try host()))
    let pipeline = try #require(result.pipeline)
    #expect(result.diagnostics.isEmpty)
    #expect(pipeline.resources.map(\.name) == ["memory", "gpu", "licence"])
    #expect(pipeline.resources.map(\.capacity) == [4, .max, .max])
    #expect(pipeline.operations[0].resources.map(\.resource) == [1, 0])
    #expect(pipeline.operations[1].resources.map(\.resource) == [2, 1])
    #expect(
      findings(text).map { $0.prefix(21) } == [
        "4:38 unknown-resource", "5:38 unknown-resource", "5:50 unknown-resource",
      ])
  }

  @Test("is not checked for recorded pipelines, or if the host is unknown") func trust() throws {
    let text = "queue: heavy\noperations: [{ name: a, run: ls, resources: { gpu: 7 } }]"
    for result in [
      PipelineLoader.load(text: text, path: "a.yaml", host: .unchecked),
      PipelineLoader.load(text: text, path: "a.yaml", isRecorded: true),
    ] {
      #expect(result.diagnostics.isEmpty)
      #expect(result.pipeline?.resources.map(\.name) == ["gpu"])
      #expect(result.pipeline?.operations[0].resources.map(\.amount) == [7])
    }
  }

  @Test("is checked again for a pipeline loaded with an earlier file of the host") func reload() throws {
    let text = "queue: heavy\noperations: [{ name: a, run: ls, resources: { gpu: 2 } }]"
    let pipeline = try #require(
      PipelineLoader.load(text: text, path: "test.yaml", host: .host(try host())).pipeline)
    #expect(try host().findings(in: pipeline) == [])
    #expect(
      try host("queues: { heavy: {} }\nresources: { gpu: 1 }").findings(in: pipeline).map(\.code) == ["out-of-range"])
    let without = try host("drain: 1s").findings(in: pipeline)
    #expect(without.map(\.code) == ["unknown-queue", "unknown-resource"])
    #expect(without.allSatisfy { $0.file == "test.yaml" })
  }

  @Test("is checked in its nested pipelines, whose queues are ignored") func nested() throws {
    let files = [
      "/p/inner.yaml": "queue: nowhere\noperations: [{ name: x, run: ls, resources: { gpu: 3, disk: 1 } }]\n"
    ]
    let text = "operations: [{ name: a, pipeline: inner.yaml }, { name: b, pipeline: inner.yaml }]"
    let expected = [
      "2:52 out-of-range operation 'x' needs 3 of 'gpu', but the host has only 2 (lower it, or raise 'gpu' in the host's file) – host.yaml:3:14 the host has 2 of 'gpu'",
      "2:55 unknown-resource neither the pipeline nor the host declares a resource 'disk' (declare it in the pipeline for each run, or in the host's file for all: 'resources: {disk: 1}') – host.yaml:3:1 the host has gpu, licence",
    ]
    #expect(found(text, nested: files, host: try host()) == expected)
    let pipeline = try #require(
      PipelineLoader.load(text: text, path: "/p/test.yaml", nested: files, host: .unchecked).pipeline)
    #expect(try host().findings(in: pipeline).map(shownWithNote) == expected)
  }

  @Test("is limited by what an operation holds around its nested pipeline") func held() throws {
    let files = [
      "/p/inner.yaml": "operations: [{ name: x, pipeline: deep.yaml, resources: { gpu: 1 } }]\n",
      "/p/deep.yaml": "operations: [{ name: y, run: ls, resources: { gpu: 1 } }]\n",
    ]
    #expect(found("operations: [{ name: a, pipeline: inner.yaml }]", nested: files, host: try host()).isEmpty)
    #expect(
      found("operations: [{ name: a, pipeline: inner.yaml, resources: { gpu: 1 } }]", nested: files, host: try host())
        == [
          "1:65 out-of-range operation 'a' holds 1 of 'gpu' while the pipeline that it runs needs 2, but the host has only 2 (leave it to the operations of that pipeline) – host.yaml:3:14 the host has 2 of 'gpu'"
        ])
    // Resources of each run are not shared with the outer pipeline.
    let own = ["/p/inner.yaml": "resources: { m: 1 }\noperations: [{ name: x, run: ls, resources: { m: 1 } }]\n"]
    #expect(
      found(
        "resources: { m: 1 }\noperations: [{ name: a, pipeline: inner.yaml, resources: { m: 1 } }]", nested: own,
        host: try host()
      ).isEmpty)
  }

  @Test("is reported at its place in a template") func template() throws {
    let files = ["/p/shared.yaml": "templates:\n  train:\n    run: ls\n    resources: { gpu: 5 }\n"]
    let text = "include: shared.yaml\noperations: [{ name: a, extends: train }]"
    let result = PipelineLoader.load(text: text, path: "/p/test.yaml", nested: files, host: .host(try host()))
    #expect(result.diagnostics.map(\.file) == ["/p/shared.yaml"])
    #expect(result.diagnostics.map(shown).first?.hasPrefix("4:23 out-of-range operation 'a' needs 5 of 'gpu'") == true)
  }

  @Test("may be as large as an integer can be") func largest() throws {
    let files = ["/p/inner.yaml": "operations: [{ name: x, run: ls, resources: { gpu: \(Int.max) } }]\n"]
    let text = "operations: [{ name: a, pipeline: inner.yaml, resources: { gpu: \(Int.max) } }]"
    #expect(found(text, nested: files, host: try host()).count == 2)
  }
}
