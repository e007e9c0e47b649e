import Foundation
import Operations
import PluginHost
import Synchronization
import Values

enum RunFigure {
  /// In blocks that take turns, so that a slow moment hits both.
  static func measure(
    isolation: PluginReference.Isolation, childHost: [String], blocks: Int, runs: Int
  ) async throws -> Figures {
    let workbench = try Workbench("echo", PluginSources.echo, childHost: childHost)
    defer { workbench.remove() }
    let plugin = try workbench.host.plugin("echo", PluginReference(isolation: isolation))
    let operation = try plugin.operation(requirement: [1, 2, 3])
    let runner = OperationRunner(operation)
    guard try await runner.run() == ["requirement": [1, 2, 3], "attempt": 1] else {
      throw PluginsError(description: "the operation gave something else")
    }
    typealias Rounds = @convention(c) (Int32) -> Double
    guard let handle = dlopen("\(workbench.directory)/echo.so", RTLD_NOW),
      let rounds = dlsym(handle, "direct_rounds").map({ unsafeBitCast($0, to: Rounds.self) })
    else { throw PluginsError(description: "no direct calls") }
    // The first runs of a child are slower: it has yet to meet what it needs.
    for _ in 0..<runs { _ = try await runner.run() }
    var direct: [Double] = []
    var hosted: [Double] = []
    for _ in 0..<blocks {
      direct.append(rounds(Int32(max(runs, 500))))
      let begin = nanoseconds()
      for _ in 0..<runs { _ = try await runner.run() }
      hosted.append(Double(nanoseconds() - begin) / Double(runs))
    }
    return ["seconds": hosted.median / 1e9, "floorSeconds": direct.median / 1e9]
  }
}

enum LoadFigure {
  static func measure() throws -> Figures {
    let workbench = try Workbench("echo", PluginSources.echo)
    defer { workbench.remove() }
    var times: [Double] = []
    for number in 0..<100 {
      let directory = "\(workbench.directory)/\(number)"
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      try FileManager.default.copyItem(atPath: "\(workbench.directory)/echo.so", toPath: "\(directory)/echo.so")
      let host = Workbench.host(directory)
      let begin = nanoseconds()
      _ = try host.plugin("echo")
      times.append(Double(nanoseconds() - begin) / 1e9)
    }
    return ["seconds": times.median, "slowestSeconds": times.max() ?? 0]
  }
}

enum YieldFigure {
  private struct Ticked: QueryRequest, Hashable {
    func fetch(
      isolation: isolated (any Actor)?, in context: OperationContext,
      with continuation: OperationContinuation<Double, any Error>
    ) async throws -> Double {
      guard let at = context.pluginEvent?["at"]?.intValue else { return -1 }
      return Double(nanoseconds() - at)
    }
  }

  static func measure() async throws -> Figures {
    let workbench = try Workbench("ticker", PluginSources.ticker)
    defer { workbench.remove() }
    let controller: PluginController<QueryState<Double, any Error>> = try workbench.host.plugin("ticker").controller {
      _ in 0
    }
    let client = OperationClient()
    let store = client.store(for: Ticked().controlled(by: controller))
    let (results, told) = AsyncStream.makeStream(of: Double.self)
    let subscription = store.subscribe(
      with: OperationEventHandler(onResultReceived: { result, _ in
        if case .success(let time) = result, time >= 0 { told.yield(time) }
      }))
    var times: [Double] = []
    for await time in results {
      times.append(time / 1e9)
      if times.count == 2000 { break }
    }
    subscription.cancel()
    let sorted = times.sorted()
    return ["seconds": times.median, "p99Seconds": sorted[sorted.count * 99 / 100]]
  }
}

enum IdleFigure {
  private static let count = 10_000

  static func measure(seconds: UInt32) throws -> Figures {
    let workbench = try Workbench("steady", PluginSources.steady)
    defer { workbench.remove() }
    let plugin = try workbench.host.plugin("steady")
    let before = resident()
    let specifications = try (0..<count).map { _ in try plugin.specification() }
    guard specifications.allSatisfy(\.isKnown) else { throw PluginsError(description: "not all are known") }
    let bytes = Double(resident() - before) / Double(count)
    sleep(2)
    let (processor, switches) = usage()
    sleep(seconds)
    let (later, switchesLater) = usage()
    withExtendedLifetime(specifications) {}
    return [
      "processorSeconds": Double(later - processor) / 1e6, "wakeUps": Double(switchesLater - switches - 1),
      "floorWakeUps": 0, "bytesEach": bytes,
    ]
  }

  private static func usage() -> (Int, Int) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let time =
      (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000 + usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
    return (time, usage.ru_nvcsw)
  }

  private static func resident() -> Int {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return 0 }
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }
}
