import Glibc

/// Hosts with a long queue.
extension HostMeasuring {
  /// How many runs go on at once where many are short.
  private static let places = 64

  private static let value = "operations: [{ name: a, value: 1 }]\n"
  private static let process = "operations: [{ name: a, command: [/bin/true] }]\n"

  func queuedValues() async throws -> [HostFigure] {
    let name = "host-values"
    // The run and its operation are inserted; what else is written is not counted.
    let measured = try await queued(name, Self.value) { ["inserts", "\(2 * sizes.runs)", $0 + "/rows.db"] }
    return [
      HostFigure(
        name: name, title: "\(sizes.runs) queued runs of one value, beside as many rows inserted", unit: .perSecond,
        target: 2000, values: measured.seconds, floors: measured.floors, events: sizes.runs,
        peakBytes: measured.peakBytes, isFloorSteady: true)
    ]
  }

  func queuedProcesses() async throws -> [HostFigure] {
    let name = "host-processes"
    let measured = try await queued(name, Self.process) { _ in ["spawn", "\(sizes.runs)", "2", "--", "/bin/true"] }
    func figure(_ title: String, _ unit: Row.Unit, _ target: Double) -> HostFigure {
      HostFigure(
        name: name, title: title, unit: unit, target: target, values: measured.seconds, floors: measured.floors,
        events: sizes.runs, peakBytes: measured.peakBytes, isFloorSteady: true)
    }
    return [
      figure("\(sizes.runs) queued runs of /bin/true", .perSecond, 1000),
      figure("the same, beside as many processes, 2 at a time", .ratio, 3),
    ]
  }

  /// From the first one's beginning to the last one's end, as recorded; and the floor, in turns.
  private func queued(
    _ name: String, _ pipeline: String, floor: (_ directory: String) -> [String]
  ) async throws -> (seconds: [Double], floors: [Double], peakBytes: Int) {
    var (seconds, floors, peak): ([Double], [Double], Int) = ([], [], 0)
    for round in 0..<sizes.rounds {
      let site = try servedSite(
        "\(name)/\(round)", keys: "limits: { runs: \(Self.places) }\n", pipelines: ["one": pipeline])
      try HostQueue(site: site, tool: tool).fill("one", count: sizes.runs)
      scratch.settle()
      floors.append(
        try await stopwatch.time(
          Command(self.floors + "/floor", floor(site.directory), in: site.directory)
        ).seconds)
      let host = try host(of: site)
      seconds.append(try duration(of: sizes.runs, "one", in: host))
      peak = max(peak, host.usage.peakBytes)
      try host.stop()
    }
    return (seconds, floors, peak)
  }

  /// Waits for the end of that many runs, and returns how long they took from the beginning of the first to the end of the last.
  private func duration(of count: Int, _ pipeline: String, in host: ServedHost) throws -> Double {
    let history = try HostHistory(of: host)
    try history.wait(
      until: "SELECT NOT EXISTS (SELECT 1 FROM queue_entry WHERE pipeline = '\(pipeline)')", is: 1)
    try history.wait(
      until: "SELECT count(*) FROM run_record WHERE pipeline = '\(pipeline)' AND state = 'succeeded'", is: count,
      seconds: 30)
    let query = "SELECT (max(ended_at) - min(started_at)) / 1000000.0 FROM run_record WHERE pipeline = '\(pipeline)'"
    return try history.number(query)
  }

  /// The same short runs in a host that has nothing else to do, and in one in which many runs wait or sleep.
  func beside() throws -> [HostFigure] {
    var (seconds, floors, peak): ([Double], [Double], Int) = ([], [], 0)
    for round in 0..<sizes.rounds {
      floors.append(try short("\(round)/alone", beside: 0).seconds)
      let measured = try short("\(round)/beside", beside: sizes.others)
      seconds.append(measured.seconds)
      peak = max(peak, measured.peakBytes)
    }
    return [
      HostFigure(
        name: "host-beside",
        title: "\(sizes.short) runs of /bin/true beside \(sizes.others) that wait or sleep, and alone", unit: .ratio,
        target: 1.2, values: seconds, floors: floors, peakBytes: peak, isFloorSteady: true)
    ]
  }

  private func short(_ name: String, beside others: Int) throws -> (seconds: Double, peakBytes: Int) {
    let site = try servedSite(
      "host-beside/\(name)",
      keys: "limits: { runs: \(others + Self.places) }\nqueues: { short: { runs: \(Self.places) } }\n",
      pipelines: [
        "short": "queue: short\n" + Self.process,
        "waiting": "operations: [{ name: a, wait: 1h }]\n",
        "sleeping": "operations: [{ name: a, command: [/bin/sleep, '3600'] }]\n",
      ])
    let queue = HostQueue(site: site, tool: tool)
    try tool.ask(["pause", "short"], of: site)
    try queue.fill("waiting", count: others / 2)
    try queue.fill("sleeping", count: others - others / 2)
    try queue.fill("short", count: sizes.short)
    let host = try host(of: site)
    let history = try HostHistory(of: host)
    try history.wait(
      until: """
        SELECT count(*) FROM operation_record o JOIN run_record r ON r.number = o.key >> 32
        WHERE r.pipeline <> 'short' AND o.state IN ('waiting', 'running')
        """, is: others)
    // Until what runs listen for, half a second after their start, is there, too.
    sleep(2)
    try tool.ask(["unpause", "short"], of: site)
    let seconds = try duration(of: sizes.short, "short", in: host)
    let peak = host.usage.peakBytes
    try host.stop()
    return (seconds, peak)
  }

  /// A queue of which one run goes on at a time, with many runs and with hardly more than are begun.
  func backlog() throws -> [HostFigure] {
    let few = try stretch("few", queued: sizes.begun + 100)
    let many = try stretch("many", queued: sizes.queued)
    let name = "host-backlog"
    return [
      HostFigure(
        name: name, title: "anonymous memory with \(sizes.queued) queued runs, beside \(sizes.begun + 100)",
        unit: .addedMemory, target: 10e6, values: [Double(many.usage.anonymousBytes)],
        floors: [Double(few.usage.anonymousBytes)], peakBytes: many.usage.peakBytes),
      HostFigure(
        name: name, title: "from one's end to the next one's beginning", unit: .ratio, target: 1.2,
        values: [many.gap], floors: [few.gap], peakBytes: many.usage.peakBytes),
    ]
  }

  private func stretch(_ name: String, queued: Int) throws -> (usage: ProcessUsage, gap: Double) {
    let site = try servedSite("host-backlog/\(name)", keys: "limits: { runs: 1 }\n", pipelines: ["one": Self.value])
    try HostQueue(site: site, tool: tool).fill("one", count: queued)
    let host = try host(of: site)
    let history = try HostHistory(of: host)
    try history.wait(
      until: "SELECT \(queued) - count(*) FROM queue_entry", is: sizes.begun)
    let usage = host.usage
    try host.stop()
    let gaps = try history.numbers(
      """
      SELECT (started_at - lag(ended_at) OVER (ORDER BY started_at, number)) / 1000000.0 FROM
        (SELECT * FROM run_record WHERE state = 'succeeded' ORDER BY started_at, number LIMIT \(sizes.begun))
      """
    ).dropFirst()
    guard let gap = Spread(Array(gaps)) else { throw BenchError("no run of the queue began") }
    return (usage, gap.median)
  }
}
