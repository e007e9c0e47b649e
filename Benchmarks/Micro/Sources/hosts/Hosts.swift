// hosts FIGURE
//
// Measures one of the figures of a host with many runs and prints it as an object of JSON in one line, whose names the driver knows:
//
//     hosts runs        1,000 runs of one value at once
//     hosts shared      1,000 runs of ten values at once, beside one run of 10,000
//     hosts waiting     what each of 1,000 runs keeps resident that wait
//     hosts nested      a nested pipeline of one /bin/true beside a sleeping sibling, and alone
//
// The driver starts it once for each round.

import Foundation
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization

@main
struct Hosts {
  static func main() async throws {
    let figure = CommandLine.arguments.dropFirst().first
    let directory = NSTemporaryDirectory() + "penstock-hosts-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: directory) }
    // The end of a run that is nested in another is not waited for to reach the disk, and neither is it here.
    let host = try RunHost.open(workspace: directory, durability: figure == "nested" ? .process : .powerLoss)
    let figures: KeyValuePairs<String, Double>
    switch figure {
    case "runs": figures = ["seconds": try await seconds(of: 1000, try pipeline(values: 1), in: host)]
    case "shared": figures = try await shared(host)
    case "waiting": figures = try await waiting(host)
    case "nested": figures = try await nested(host)
    default: throw HostsError(description: "usage: hosts runs|shared|waiting|nested")
    }
    let named = figures.map { ($0, $1) } + [("peakBytes", try Double(kilobytes("VmHWM:") * 1024))]
    print("{" + named.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}")
    try await host.close()
  }

  // MARK: Runs at once

  private static func seconds(of count: Int, _ pipeline: PipelineDefinition, in host: RunHost) async throws -> Double {
    // The first run also sets up what all of them share; leave that out.
    _ = try await host.run(pipeline, options: RunOptions())
    return try await time {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<count {
          group.addTask {
            let outcome = try await host.run(pipeline, options: RunOptions())
            guard outcome.run.state == .succeeded else { throw HostsError(description: "a run \(outcome.run.state)") }
          }
        }
        try await group.waitForAll()
      }
    }
  }

  private static func shared(_ host: RunHost) async throws -> KeyValuePairs<String, Double> {
    let one = try await seconds(of: 1, try pipeline(values: 10_000), in: host)
    let many = try await seconds(of: 1000, try pipeline(values: 10), in: host)
    return ["seconds": many, "floorSeconds": one]
  }

  private static func waiting(_ host: RunHost) async throws -> KeyValuePairs<String, Double> {
    let count = 1000
    let pipeline = try pipeline("operations: [{ name: a, wait: 1h }, { name: b, needs: a, value: 1 }]")
    let (waits, wait) = AsyncStream<Void>.makeStream()
    @Sendable func begin() -> Task<Void, any Error> {
      Task {
        _ = try await host.run(pipeline, options: RunOptions()) { event in
          if case .operation(let operation) = event, operation.state == .waiting { wait.yield() }
        }
      }
    }
    var iterator = waits.makeAsyncIterator()
    var runs = [begin()]
    _ = await iterator.next()
    let before = try kilobytes("VmRSS:")
    for _ in 0..<count { runs.append(begin()) }
    for _ in 0..<count { _ = await iterator.next() }
    // Until what they listen for, half a second after their start, is there, too.
    try await Task.sleep(for: .seconds(1))
    let after = try kilobytes("VmRSS:")
    for run in runs { run.cancel() }
    for run in runs { try await run.value }
    return ["residentBytes": Double(after - before) * 1024 / Double(count)]
  }

  // MARK: Nested pipelines

  private static func nested(_ host: RunHost) async throws -> KeyValuePairs<String, Double> {
    RunHost.adoptOrphans()
    let outer = try pipeline(
      "operations: [{ name: a, pipeline: inner.yaml }]",
      nested: ["inner.yaml": "operations: [{ name: b, command: [/bin/true] }]"])
    let sibling = try pipeline("operations: [{ name: s, command: [/bin/sleep, '600'] }]")
    func times() async throws -> [Double] {
      var times: [Double] = []
      for _ in 0..<10 {
        times.append(try await time { _ = try await host.run(outer, options: RunOptions()) })
      }
      return times
    }
    _ = try await times()
    var (alone, beside): ([Double], [Double]) = ([], [])
    // In turns, so that both meet the same machine.
    for _ in 0..<40 {
      alone += try await times()
      let (begun, begin) = AsyncStream<Void>.makeStream()
      let sleeper = Task {
        try await host.run(sibling, options: RunOptions()) { event in
          if case .attempt = event { begin.yield() }
        }
      }
      for await _ in begun { break }
      beside += try await times()
      sleeper.cancel()
      _ = try await sleeper.value
    }
    return ["seconds": median(beside), "floorSeconds": median(alone)]
  }

  // MARK: Helpers

  private static func pipeline(values: Int) throws -> PipelineDefinition {
    try pipeline("operations:\n" + (0..<values).map { "  - { name: v\($0), value: \($0) }\n" }.joined())
  }

  private static func pipeline(_ text: String, nested: [String: String] = [:]) throws -> PipelineDefinition {
    let files = Dictionary(uniqueKeysWithValues: nested.map { ("/tmp/\($0.key)", $0.value) })
    let loaded = PipelineLoader.load(text: text, path: "/tmp/hosts.yaml", nested: files)
    guard let pipeline = loaded.pipeline else { throw HostsError(description: "\(loaded.diagnostics)") }
    return pipeline
  }

  private static func time(_ body: () async throws -> Void) async throws -> Double {
    let start = ContinuousClock.now
    try await body()
    return start.duration(to: .now) / .seconds(1)
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

  private static func kilobytes(_ name: String) throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    guard let number = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
      throw HostsError(description: "the kernel does not tell \(name)")
    }
    return number
  }
}

/// Why nothing could be measured.
struct HostsError: Error, CustomStringConvertible {
  let description: String
}
