import Testing

@testable import PipelineLanguage

@Suite("The order of exclusive names")
struct ExclusiveOrderTests {
  /// Returns the findings for operations in `main.yaml` and pipelines in files beside it.
  private func findings(_ operations: String..., files: [String: String] = [:]) -> [String] {
    let main = "operations:\n" + operations.map { "  - { \($0) }\n" }.joined()
    let both = ["one.yaml": "operations: [{ name: i, exclusive: L1, run: ls }]"]
      .merging(["two.yaml": "operations: [{ name: i, exclusive: L2, run: ls }]"]) { $1 }.merging(files) { $1 }
    let nested = Dictionary(uniqueKeysWithValues: both.map { ("/p/" + $0.key, $0.value) })
    return PipelineLoader.load(text: main, path: "/p/main.yaml", nested: nested).diagnostics.map(shown)
  }

  @Test("two names in opposite orders yield a warning")
  func oppositeOrders() {
    #expect(
      findings("name: a, exclusive: L1, pipeline: two.yaml", "name: b, exclusive: L2, pipeline: one.yaml") == [
        "3:27 warning exclusive-order 'b/i' takes 'L1' while 'b' holds 'L2', and 'a/i' takes 'L2' while 'a' holds 'L1': they can wait for each other for ever (take them in the same order everywhere)"
      ])
  }

  @Test("opposite orders are found at any depth, and in nested handlers")
  func depth() {
    let files = [
      "middle.yaml": "operations: [{ name: m, exclusive: L2, pipeline: last.yaml }]",
      "last.yaml": "operations: [{ name: n, value: 1 }]\nafter: { always: [{ name: h, exclusive: L1, run: ls }] }",
    ]
    #expect(
      findings("name: a, exclusive: L1, pipeline: two.yaml", "name: b, pipeline: middle.yaml", files: files) == [
        "3:13 warning exclusive-order 'b/m/h' takes 'L1' while 'b/m' holds 'L2', and 'a/i' takes 'L2' while 'a' holds 'L1': they can wait for each other for ever (take them in the same order everywhere)"
      ])
  }

  @Test("items of a loop may wait for each other, unless they run one at a time")
  func loops() {
    let files = [
      "crossed.yaml":
        "operations: [{ name: x, exclusive: L1, pipeline: two.yaml }, { name: y, exclusive: L2, pipeline: one.yaml, needs: x }]"
    ]
    let found = findings("name: p, for_each: [1, 2], pipeline: crossed.yaml", files: files)
    #expect(found.count == 1 && found.allSatisfy { $0.contains("exclusive-order 'p/") })
    #expect(
      findings("name: p, for_each: { in: [1, 2], concurrency: 1 }, pipeline: crossed.yaml", files: files).isEmpty)
  }

  @Test(
    "operations that cannot wait for each other yield no warning",
    arguments: [
      // The same order.
      ["name: a, exclusive: L1, pipeline: two.yaml", "name: b, exclusive: L1, pipeline: two.yaml"],
      // One after the other.
      [
        "name: a, exclusive: L1, pipeline: two.yaml", "name: b, exclusive: L2, pipeline: one.yaml, needs: c",
        "name: c, needs: a, run: ls",
      ],
      ["name: a, exclusive: L1, pipeline: two.yaml, needs: b", "name: b, exclusive: L2, pipeline: one.yaml"],
      // A third name held around both.
      ["name: a, exclusive: G, pipeline: down.yaml", "name: b, exclusive: G, pipeline: up.yaml"],
      // A computed name.
      ["name: a, exclusive: L1, pipeline: two.yaml", "name: b, exclusive: \"${{ 'L2' }}\", pipeline: one.yaml"],
      // A name that is already held.
      ["name: a, exclusive: L1, pipeline: one.yaml", "name: b, exclusive: L1, pipeline: down.yaml"],
      // Names with no others inside.
      ["name: a, exclusive: L1, run: ls", "name: b, exclusive: L2, run: ls"],
    ])
  func noWarning(operations: [String]) {
    let files = [
      "down.yaml": "operations: [{ name: d, exclusive: L1, pipeline: two.yaml }]",
      "up.yaml": "operations: [{ name: u, exclusive: L2, pipeline: one.yaml }]",
    ]
    #expect(
      findings(operations[0], operations[1], operations.count > 2 ? operations[2] : "name: x, run: ls", files: files)
        == [])
  }

  /// Returns the findings for operations on a host with `resources`; `top` is the text above the operations.
  private func hostFindings(_ resources: String, top: String = "", _ operations: String...) throws -> [String] {
    let host = try #require(HostDefinition.load(text: "resources: \(resources)", path: "/p/host.yaml").host)
    let main = top + "operations:\n" + operations.map { "  - { \($0) }\n" }.joined()
    let nested = [
      "name": "operations: [{ name: i, exclusive: L, run: ls }]",
      "gpu": "operations: [{ name: i, resources: { gpu: 1 }, run: ls }]",
      "licence": "operations: [{ name: i, resources: { licence: 1 }, run: ls }]",
    ]
    return PipelineLoader.load(
      text: main, path: "/p/main.yaml",
      nested: Dictionary(uniqueKeysWithValues: nested.map { ("/p/\($0.key).yaml", $0.value) }), host: .host(host)
    ).diagnostics.map(shown)
  }

  @Test("a name and a host resource, or two resources, in opposite orders yield a warning")
  func resources() throws {
    let end = "they can wait for each other for ever (take them in the same order everywhere)"
    #expect(
      try hostFindings(
        "{ gpu: 1 }", "name: a, exclusive: L, pipeline: gpu.yaml", "name: b, resources: { gpu: 1 }, pipeline: name.yaml"
      )
        == [
          "3:13 warning exclusive-order 'b/i' takes 'L' while 'b' holds the resource 'gpu', and 'a/i' takes the resource 'gpu' while 'a' holds 'L': \(end)"
        ])
    let both = [
      "name: a, resources: { gpu: 1 }, pipeline: licence.yaml",
      "name: b, resources: { licence: 1 }, pipeline: gpu.yaml",
    ]
    #expect(
      try hostFindings("{ gpu: 1, licence: 1 }", both[0], both[1]) == [
        "3:13 warning exclusive-order 'b/i' takes the resource 'gpu' while 'b' holds the resource 'licence', and 'a/i' takes the resource 'licence' while 'a' holds the resource 'gpu': \(end)"
      ])
    // The capacity of one of them suffices for both.
    #expect(try hostFindings("{ gpu: 2, licence: 1 }", both[0], both[1]) == [])
    // Things that are taken at once are not waited for while another is held.
    #expect(
      try hostFindings(
        "{ gpu: 1 }", "name: a, exclusive: L, resources: { gpu: 1 }, run: ls",
        "name: b, resources: { gpu: 1 }, pipeline: name.yaml") == [])
  }

  @Test("an operation takes its next attempt's resources while it holds its name")
  func retries() throws {
    let end = "they can wait for each other for ever (take them in the same order everywhere)"
    #expect(
      try hostFindings(
        "{ gpu: 1 }", "name: a, exclusive: L, resources: { gpu: 1 }, run: ls, retry: { limit: 1 }",
        "name: b, resources: { gpu: 1 }, pipeline: name.yaml") == [
          "3:13 warning exclusive-order 'b/i' takes 'L' while 'b' holds the resource 'gpu', and 'a' takes the resource 'gpu' for its next attempt while it holds 'L': \(end)"
        ])
    // The same for a resource of the pipeline, and for the only slot of a run.
    let retrying = "name: a, exclusive: L, run: ls, repeat: { limit: 2 }"
    let own = try hostFindings(
      "{}", top: "resources: { disk: 1 }\n", retrying + ", resources: { disk: 1 }",
      "name: b, resources: { disk: 1 }, pipeline: name.yaml")
    #expect(own.count == 1)
    #expect(own.first?.contains("'b/i' takes 'L' while 'b' holds the resource 'disk', and 'a' takes") == true)
    #expect(
      try hostFindings("{}", top: "concurrency: 1\n", retrying, "name: b, pipeline: name.yaml") == [
        "4:13 warning exclusive-order 'b/i' takes 'L' while 'b' holds a slot of `concurrency`, and 'a' takes a slot of `concurrency` for its next attempt while it holds 'L': \(end)"
      ])
    #expect(try hostFindings("{}", top: "concurrency: 2\n", retrying, "name: b, pipeline: name.yaml") == [])
  }

  @Test("of very many operations with the same two names, one is reported")
  func many() {
    let operations = (0..<2_000).map { index in
      let isUp = index % 2 == 0
      return "  - { name: n\(index), exclusive: \(isUp ? "L1" : "L2"), pipeline: \(isUp ? "two" : "one").yaml }\n"
    }
    let files = ["one", "two"].enumerated().map { offset, name in
      ("/p/\(name).yaml", "operations: [{ name: i, exclusive: L\(offset + 1), run: ls }]")
    }
    let found = PipelineLoader.load(
      text: "operations:\n" + operations.joined(), path: "/p/main.yaml", nested: Dictionary(uniqueKeysWithValues: files)
    )
    #expect(found.isValid)
    #expect(found.diagnostics.count == 1)
  }
}
