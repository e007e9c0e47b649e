import OperatingSystem
import Values

extension CheckContext {
  func threads() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    let probe = try instance(plugin, offer)
    probe.destroy()
    let settings = Array(goodSettings(offer).text.utf8)
    let input = goodInput(offer)
    let gate = CheckMonitor()
    // Accessed only with the gate locked.
    nonisolated(unsafe) var running = 4
    nonisolated(unsafe) var late = 0
    let grace = order.grace
    doing("50 instances on each of 4 threads")
    let delays = (0..<200).map { _ in Int64.random(in: 0...500, using: &random) }
    for thread in 0..<4 {
      try? SystemThread.detach("penstock-check", blocking: .all) {
        for round in 0..<50 {
          guard case .made(let instance) = plugin.create(offer, settings: settings) else { continue }
          instance.start(input)
          CheckContext.pause(.microseconds(delays[thread * 50 + round]))
          if round % 3 != 0 {
            instance.stop(grace: grace)
            if !instance.ends(within: grace + Self.allowance) { gate.locked { late += 1 } }
          }
          instance.destroy()
        }
        gate.locked {
          running -= 1
          gate.wakeAll()
        }
      }
    }
    gate.locked { gate.wait { running == 0 } }
    if late > 0 {
      problem(
        "\(late) of 200 instances on several threads did not end within the \(grace.wholeMilliseconds) ms that stop allowed"
      )
    }
    sleep(.milliseconds(100))
  }

  func growth() throws(CheckInterruption) {
    let (plugin, offer) = try opened()
    let count = 10_000
    let warmUp = 1000
    let clock = ContinuousClock()
    let deadline = clock.now + .seconds(45)
    doing("the first of 10,000 instances")
    var made = 0
    try cycle(plugin, offer, warmUp, &made, until: deadline)
    let before = Consumption.now()
    doing("10,000 instances")
    let measured = made
    try cycle(plugin, offer, (count - warmUp) / 2, &made, until: deadline)
    let middle = Consumption.now()
    try cycle(plugin, offer, (count - warmUp) / 2, &made, until: deadline)
    let instances = made - measured
    guard instances > 0 else {
      note = "\(made) instances in 45 s, too few to detect leaks"
      return
    }
    // Resources that are released a moment later are not kept.
    var after = Consumption.now()
    var problems = after.growth(since: before, middle, instances: instances)
    for _ in 0..<20 where !problems.isEmpty {
      sleep(.milliseconds(100))
      after = Consumption.now()
      problems = after.growth(since: before, middle, instances: instances)
    }
    for text in problems { problem(text) }
    note = made == count ? "" : "\(made) instances in 45 s"
  }

  private func cycle(
    _ plugin: DrivenPlugin, _ offer: PluginOffer, _ count: Int, _ made: inout Int,
    until deadline: ContinuousClock.Instant
  ) throws(CheckInterruption) {
    let input = goodInput(offer)
    for round in 0..<count {
      if ContinuousClock().now > deadline { return }
      let instance = try instance(plugin, offer)
      made += 1
      // Take turns among all ways to end an instance.
      switch round % 4 {
      case 0: break
      case 1: instance.start(input)
      default:
        instance.start(input)
        instance.stop(grace: order.grace)
        _ = instance.ends(within: order.grace + Self.allowance)
      }
      instance.destroy()
    }
  }

  private static func pause(_ time: Duration) {
    let gate = CheckMonitor()
    gate.locked { gate.wait(atMost: time) { false } }
  }
}

/// The resources that the process uses.
private struct Consumption {
  let heap, resident, descriptors, threads: Int

  static func now() -> Consumption {
    Consumption(
      heap: ProcessPicture.heapBytes(), resident: ProcessPicture.residentBytes(),
      descriptors: ProcessPicture.openDescriptors().count, threads: ProcessPicture.currentThreads().count)
  }

  /// Returns a sentence for each resource that grew with the number of instances.
  ///
  /// The smallest block that `malloc` returns takes 32 bytes. An eighth of that per instance, in each half of the instances, is a leak on some of
  /// the ways to the end rather than noise: a table that doubles does so only once. Mapped memory grows by pages. Pools of threads and descriptors
  /// may grow, but not with every instance.
  func growth(since former: Consumption, _ middle: Consumption, instances: Int) -> [String] {
    var problems: [String] = []
    let heapGrowth = heap - former.heap
    if min(middle.heap - former.heap, heap - middle.heap) > 4 * instances / 2 {
      problems.append("it leaks \(heapGrowth / instances) bytes of memory for each of \(instances) destroyed instances")
    } else if resident - former.resident > max(1024 * instances, 8 << 20) {
      problems.append(
        "it leaks \((resident - former.resident) / instances) bytes of mapped memory for each of \(instances) destroyed "
          + "instances"
      )
    }
    if descriptors - former.descriptors > 16 {
      problems.append("it leaks \(descriptors - former.descriptors) descriptors of \(instances) destroyed instances")
    }
    if threads - former.threads > 16 {
      problems.append("it leaks \(threads - former.threads) threads of \(instances) destroyed instances")
    }
    return problems
  }
}
