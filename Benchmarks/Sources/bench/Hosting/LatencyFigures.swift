import Glibc

/// How long a host takes to do what is asked of it, or is due.
extension HostMeasuring {
  /// How often the pipelines run that are 100 runs a second together, in milliseconds: never many at the same instant for long.
  private static let periods = [79, 83, 89, 97, 101, 103, 107, 109, 113, 127]

  /// `penstock start` while others run, and how late the host's loop was meanwhile.
  func start() throws -> [HostFigure] {
    let name = "host-start"
    var pipelines = ["one": stamping("host-start", "\"${{ run.id }}\"")]
    for period in Self.periods {
      pipelines["load-\(period)"] = """
        controllers: [{ uses: interval, with: { every: \(period)ms } }]
        operations: [{ name: a, command: [/bin/true] }]

        """
    }
    let site = try site(name, keys: "limits: { runs: 64 }\n", pipelines: pipelines)
    let floors = try startsOfProcesses(site, count: sizes.starts)
    let host = try host(of: site)
    sleep(2)
    var asked: [Double] = []
    for number in 0..<sizes.starts {
      // In no step with the periods.
      usleep(30_000 + UInt32(number * 7919 % 20_000))
      asked.append(WallClock.seconds)
      try tool.ask(["start", "one", "--quiet"], of: site)
    }
    let history = try HostHistory(of: host)
    try history.wait(
      until: "SELECT count(*) FROM run_record WHERE pipeline = 'one' AND state = 'succeeded'", is: sizes.starts)
    let ran = try history.number(
      """
      SELECT count(*) / ((max(started_at) - min(started_at)) / 1000000.0) FROM run_record
      WHERE pipeline <> 'one' AND started_at IS NOT NULL
      """)
    let peak = host.usage.peakBytes
    try host.stop()
    let loop = try lateness(in: site, name, peakBytes: peak)
    let begun = Stamps(site.stamps).begun
    let from = "FROM occasion o JOIN run_record r ON r.number = o.run WHERE o.pipeline = 'one' ORDER BY o.number"
    let runs = try history.texts("SELECT r.id \(from)").map { begun[$0] ?? .infinity }
    let written = try history.numbers("SELECT o.asked_at / 1000000.0 \(from)")
    let recorded = try history.numbers("SELECT r.started_at / 1000000.0 \(from)")
    let load = "\(Int(ran.rounded())) runs/s beside"
    return HostFigure.latencies(
      name, "from the request's row to the process, \(load)", zip(runs, written).map { $0 - $1 }, floors: floors,
      median: 0.005, p99: 0.025, peakBytes: peak)
      + HostFigure.latencies(
        name, "of that, until the run begins", zip(recorded, written).map { $0 - $1 }, floors: [], median: nil,
        p99: nil, peakBytes: peak)
      + HostFigure.latencies(
        name, "from the start of `penstock start` to the process", zip(runs, asked).map { $0 - $1 }, floors: floors,
        median: nil, p99: nil, peakBytes: peak)
      + loop
  }

  /// What a host has told of its loop at its end.
  private func lateness(in site: HostSite, _ name: String, peakBytes: Int) throws -> [HostFigure] {
    let (turns, timers) = try HostLogLines(site.log).lateness()
    func figure(_ title: String, _ figures: HostLogLines.Figures) -> HostFigure {
      HostFigure(
        name: name, title: "\(title), 999 of 1,000", unit: .seconds, target: 0.02,
        values: [figures.median_ms / 1000], results: [figures.p999_ms / 1000], peakBytes: peakBytes)
    }
    return [
      figure("how long the loop was busy meanwhile before it looked again", turns),
      figure("how late its timers were", timers),
    ]
  }

  /// Pipelines that are due in one second: one after the other, and all at once.
  func instants() throws -> [HostFigure] {
    let name = "host-instant"
    let (spread, spreadFloors, peak) = try instants("apart", within: 1)
    let (together, togetherFloors, togetherPeak) = try instants("together", within: 0)
    return HostFigure.latencies(
      name, "from the instant to the process, \(sizes.instants) within one second", spread, floors: spreadFloors,
      median: 0.005, p99: 0.05, peakBytes: peak)
      + HostFigure.latencies(
        name, "the same, \(sizes.instants) at the same instant", together, floors: togetherFloors, median: nil,
        p99: 0.05, peakBytes: togetherPeak)
  }

  /// Those whose first and last instant are so many seconds apart.
  private func instants(
    _ name: String, within seconds: Double
  ) throws -> (latencies: [Double], floors: [Double], peakBytes: Int) {
    let path = "host-instant/\(name)"
    // Far enough for the host to be ready, and for its threads to have gone to sleep.
    let first = (Int(WallClock.seconds + 15) / 30 + 1) * 30_000
    let slot = Int(seconds * 1000) / sizes.instants
    let due = try (0..<sizes.instants).map { try Self.instant(in: first + $0 * slot, milliseconds: slot) }
    var pipelines: [String: String] = [:]
    for (number, due) in due.enumerated() {
      pipelines["p\(number)"] =
        "controllers: [{ uses: interval, with: { every: \(due.period)ms } }]\n" + stamping(path, "p\(number)")
    }
    let site = try site(path, keys: "limits: { runs: \(2 * sizes.instants) }\n", pipelines: pipelines)
    let floors = try startsOfProcesses(site, count: sizes.instants)
    let host = try host(of: site)
    guard WallClock.seconds * 1000 < Double(first) else { throw BenchError("the host was ready too late") }
    usleep(UInt32(max(0, (Double(first) / 1000 + seconds + 3 - WallClock.seconds) * 1e6)))
    let peak = host.usage.peakBytes
    try host.stop()
    let begun = Stamps(site.stamps).begun
    let latencies = due.enumerated().map { number, due in
      (begun["p\(number)"] ?? .infinity) - Double(due.instant) / 1000
    }
    guard latencies.allSatisfy(\.isFinite) else { throw BenchError("a pipeline that was due did not run") }
    return (latencies, floors, peak)
  }

  /// An instant in so many milliseconds, and a period that ends then: intervals are counted from 1970. No earlier one ends while the host runs.
  private static func instant(in first: Int, milliseconds: Int) throws -> (instant: Int, period: Int) {
    for period in 30_000..<600_000 {
      let instant = (first + period - 1) / period * period
      if instant < first + max(1, milliseconds) { return (instant, period) }
    }
    throw BenchError("no interval ends within \(milliseconds) ms after \(first)")
  }

  /// `penstock cancel` while many runs go on.
  func cancel() throws -> [HostFigure] {
    let name = "host-cancel"
    let site = try servedSite(
      name, keys: "limits: { runs: \(sizes.others) }\n",
      pipelines: ["one": stamping(name, "\"${{ run.id }}\"", waits: true)])
    let floors = try signals(site, count: sizes.cancels)
    try HostQueue(site: site, tool: tool).fill("one", count: sizes.others)
    let host = try host(of: site)
    let history = try HostHistory(of: host)
    try history.wait(until: "SELECT count(*) FROM run_record WHERE state = 'running'", is: sizes.others)
    while Stamps(site.stamps).begun.count < sizes.others { usleep(20_000) }
    sleep(2)
    var asked: [(run: String, time: Double)] = []
    for run in try history.texts("SELECT id FROM run_record ORDER BY number LIMIT \(sizes.cancels)") {
      asked.append((run, WallClock.seconds))
      try tool.ask(["cancel", run, "--quiet"], of: site)
      usleep(20_000)
    }
    try history.wait(until: "SELECT count(*) FROM run_record WHERE state = 'cancelled'", is: sizes.cancels)
    let peak = host.usage.peakBytes
    let terminated = Stamps(site.stamps).terminated
    try host.stop()
    let latencies = asked.map { (terminated[$0.run] ?? .infinity) - $0.time }
    guard latencies.allSatisfy(\.isFinite) else { throw BenchError("a run that was cancelled got no SIGTERM") }
    return HostFigure.latencies(
      name, "from the start of `penstock cancel` to SIGTERM, \(sizes.others) runs", latencies, floors: floors,
      median: nil, p99: 0.05, peakBytes: peak)
  }

  /// From before the start of `kill` to the signal.
  private func signals(_ site: HostSite, count: Int) throws -> [Double] {
    let file = site.directory + "/signals"
    return try (0..<count).map { number in
      let process = try ChildProcess(floors + "/stamp", [file, "\(number)", "wait"], output: site.output)
      while Stamps(file).begun["\(number)"] == nil { usleep(1000) }
      let began = WallClock.seconds
      try ChildProcess("/bin/kill", ["-TERM", "\(process.id)"], output: site.output).wait()
      process.wait()
      guard let time = Stamps(file).terminated["\(number)"] else { throw BenchError("stamp got no SIGTERM") }
      return time - began
    }
  }
}
