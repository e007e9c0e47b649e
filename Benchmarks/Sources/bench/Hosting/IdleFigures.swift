import Glibc

/// A host that has nothing to do, beside one that has no pipelines.
extension HostMeasuring {
  func idle() throws -> [HostFigure] {
    var (news, olds, floors): ([Double], [Double], [Double]) = ([], [], [])
    for round in 0..<sizes.rounds {
      let empty = try site("idle/\(round)/empty", pipelines: [:])
      let served = try site("idle/\(round)/served", pipelines: try idlePipelines())
      let hosts = [try host(of: empty), try host(of: served)]
      floors.append(hosts[0].readySeconds)
      news.append(hosts[1].readySeconds)
      for host in hosts { try host.stop() }
      let again = try host(of: served)
      olds.append(again.readySeconds)
      try again.stop()
    }
    let empty = try host(of: try site("idle/empty", pipelines: [:]))
    let served = try host(of: try site("idle/served", pipelines: try idlePipelines()))
    report("host-idle: waiting \(sizes.settle) s, and looking for \(sizes.window) s")
    sleep(UInt32(sizes.settle))
    let before = (empty.usage, served.usage)
    sleep(UInt32(sizes.window))
    let after = (empty.usage, served.usage)
    for host in [empty, served] { try host.stop() }

    let peak = after.1.peakBytes
    func start(_ words: String, _ values: [Double]) -> HostFigure {
      HostFigure(
        name: "host-idle", title: "from the start to READY with \(sizes.pipelines) pipelines, \(words)", unit: .seconds,
        target: 1.5, values: values, floors: floors, peakBytes: peak)
    }
    func figure(_ words: String, _ unit: Row.Unit, _ target: Double, _ figure: (ProcessUsage) -> Double) -> HostFigure {
      HostFigure(
        name: "host-idle", title: words, unit: unit, target: target, values: [figure(after.1)],
        floors: [figure(after.0)], peakBytes: peak)
    }
    func rate(
      _ words: String, _ unit: Row.Unit, _ target: Double, _ figure: (ProcessUsage) -> Double
    ) -> HostFigure {
      let window = Double(sizes.window)
      return HostFigure(
        name: "host-idle", title: words, unit: unit, target: target,
        values: [(figure(after.1) - figure(before.1)) / window],
        floors: [(figure(after.0) - figure(before.0)) / window], peakBytes: peak)
    }
    return [
      figure("anonymous memory, \(sizes.pipelines) pipelines, after \(sizes.settle) s", .memory, 60e6) {
        Double($0.anonymousBytes)
      },
      rate("processor time", .processor, 0.001) { $0.processorSeconds },
      rate("wake-ups a second", .count, 2) { Double($0.wakeUps) },
      figure("threads", .count, 24) { Double($0.threads) },
      figure("descriptors", .count, 64) { Double($0.descriptors) },
      start("new workspace", news),
      start("workspace exists", olds),
    ]
  }

  /// Pipelines of five operations, each due once a day, at a time of its own that is hours away.
  private func idlePipelines() throws -> [String: String] {
    let hour = Int(WallClock.seconds) / 3600 % 24
    return Dictionary(
      uniqueKeysWithValues: (0..<sizes.pipelines).map { number in
        let due = (hour + 3 + number / 60 % 18) % 24
        return (
          "p\(number)",
          """
          controllers: [{ uses: cron, with: { schedule: "\(number % 60) \(due) * * *", zone: UTC } }]
          operations:
            - { name: a, value: 1 }
            - { name: b, value: "${{ results.a }}" }
            - { name: c, run: "true" }
            - { name: d, run: "true", needs: c }
            - { name: e, run: "true", needs: d }

          """
        )
      })
  }
}
