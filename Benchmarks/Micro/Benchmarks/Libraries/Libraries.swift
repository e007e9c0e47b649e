// What the inner parts of Penstock take by themselves: to see which of them moved when a workload of the table did.

import Benchmark
import Operations
import PipelineLanguage
import Values
import WorkloadFiles

let benchmarks: @Sendable () -> Void = {
  Benchmark.defaultConfiguration = .init(
    metrics: [.wallClock, .throughput], warmupIterations: 3, scalingFactor: .kilo, maxDuration: .seconds(2))
  expressions()
  json()
  retries()
  files()
}

private func expressions() {
  let text = "contains(results.fetch[0].tag, params.prefix) && format('{0}/{1}', params.base, results.count) || 'none'"
  let contexts = ObjectContexts([
    "params": .object(["prefix": .string("v"), "base": .string("/srv/data")]),
    "results": .object(["fetch": .array([.object(["tag": .string("v1.2")])]), "count": .int(17)]),
  ])
  Benchmark("expression: parse") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try Expression.parse(text)) }
  }
  Benchmark("expression: evaluate") { benchmark in
    let expression = try Expression.parse(text)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(try expression.evaluate(in: contexts)) }
  }
}

private func json() {
  Benchmark("JSON: parse 200 bytes") { benchmark in
    for _ in benchmark.scaledIterations { blackHole(try JSONValue.parse(PipelineFiles.object)) }
  }
  Benchmark("JSON: write 200 bytes") { benchmark in
    let value = try JSONValue.parse(PipelineFiles.object)
    benchmark.startMeasurement()
    for _ in benchmark.scaledIterations { blackHole(value.text) }
  }
}

/// An operation that is done at once, so that what is around it shows.
private struct Answer: OperationRequest {
  func run(
    isolation: isolated (any Actor)?, in context: OperationContext, with continuation: OperationContinuation<Int, Never>
  ) async throws(Never) -> Int {
    42
  }
}

private func retries() {
  Benchmark("operation: bare") { benchmark in
    let runner = OperationRunner(Answer())
    for _ in benchmark.scaledIterations { blackHole(await runner.run()) }
  }
  Benchmark("operation: with a retry that is not needed") { benchmark in
    let runner = OperationRunner(Answer().retry(limit: 3))
    for _ in benchmark.scaledIterations { blackHole(try await runner.run()) }
  }
}

private func files() {
  let text = PipelineFiles.mixture(count: 10_000)
  let configuration = Benchmark.Configuration(
    metrics: [.wallClock, .peakMemoryResident], warmupIterations: 1, scalingFactor: .one, maxDuration: .seconds(5))
  Benchmark("10,000 operations: read YAML", configuration: configuration) { _ in
    blackHole(YAMLReader.read(SourceText(path: "mixture.yaml", text: text)).root)
  }
  Benchmark("10,000 operations: load and check", configuration: configuration) { _ in
    blackHole(PipelineLoader.load(text: text, path: "mixture.yaml").pipeline)
  }
}
