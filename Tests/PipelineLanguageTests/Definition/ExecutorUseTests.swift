import Testing

@testable import PipelineLanguage

@Suite("What a job asks of its executor")
struct ExecutorUseTests {
  @Test(
    "a computed value is as Slurm takes it",
    arguments: [
      (ExecutorUse.Setting.cpus, "8", "8"), (.memory, "1GiB", "1024"), (.memory, "1B", "1"), (.time, "90s", "2"),
      (.gpus, "2", "2"), (.gpus, "a100:2", "a100:2"), (.partition, "long", "long"),
    ])
  func value(setting: ExecutorUse.Setting, text: String, value: String) {
    #expect(ExecutorUse.value(text, of: setting) == value)
  }

  @Test(
    "a computed value that is not one is rejected",
    arguments: [
      (ExecutorUse.Setting.cpus, "0"), (.cpus, "x"), (.memory, "8"), (.memory, "0GiB"), (.time, "0s"), (.time, "5"),
      (.gpus, "a:b:1"), (.gpus, ":1"), (.gpus, ""), (.partition, ""), (.constraint, "a b"),
    ])
  func noValue(setting: ExecutorUse.Setting, text: String) {
    #expect(ExecutorUse.value(text, of: setting) == nil)
  }

  @Test("values with expressions are merged with their settings, and evaluated in their places")
  func evaluated() throws {
    let result = PipelineLoader.load(
      text: """
        params: { n: { type: int, default: 1 } }
        executor: { use: cluster, cpus: "${{ params.n }}", memory: "${{ params.m }}", partition: main }
        operations: [{ name: a, executor: { memory: [1GiB, "${{ params.n }}GiB"] }, run: x }]
        """, path: "/p.yaml")
    #expect(result.diagnostics.count == 1)
    let valid = PipelineLoader.load(
      text: """
        params: { n: { type: int, default: 1 } }
        executor: { use: cluster, cpus: "${{ params.n }}", memory: 9GiB, partition: main }
        operations: [{ name: a, executor: { memory: [1GiB, "${{ params.n }}GiB"] }, run: x }]
        """, path: "/p.yaml")
    let use = try #require(valid.pipeline?.operations.first?.executor)
    let evaluated = use.evaluated { setting, template in "\(setting) \(template.text)" }
    #expect(evaluated.values[.cpus] == ["cpus ${{ params.n }}"])
    #expect(evaluated.values[.memory] == ["1024", "memory ${{ params.n }}GiB"])
    #expect(evaluated.values[.partition] == ["main"])
    #expect(evaluated.computed.isEmpty)
  }
}
