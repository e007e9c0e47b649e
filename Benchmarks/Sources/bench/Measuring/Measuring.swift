/// The measurements of one contender, by round.
struct Series: Sendable {
  let name: String
  var measurements: [Measurement] = []

  var seconds: [Double] { measurements.map(\.seconds) }
  var peakBytes: Int { measurements.map(\.peakBytes).max() ?? 0 }
}

/// All measurements of a workload. Measurements at the same index are of the same round.
struct WorkloadResult: Sendable {
  let workload: Workload
  var floor: Series?
  var subject: Series
  var peers: [Series]
  var innerSeconds: [Double] = []
}

/// Measures workloads: one uncounted round to warm up and to verify, and then rounds in which the contenders take turns.
struct Measuring: Sendable {
  /// Peers are there to compare with, not to be judged: that many rounds tell enough.
  static let peerRounds = 5

  let stopwatch: Stopwatch
  let scratch: Scratch
  /// Rounds for a workload whose factor is 1.
  let rounds: Int
  /// Told what happens, for people who wait.
  let report: @Sendable (String) -> Void

  func measure(_ workload: Workload) async throws -> WorkloadResult {
    var result = WorkloadResult(
      workload: workload, floor: workload.floor.map { Series(name: $0.name) },
      subject: Series(name: workload.subject.name), peers: workload.peers.map { Series(name: $0.name) })
    let total = rounds * workload.roundFactor
    report("\(workload.name): \(total) rounds")
    for round in 0...total {
      // The floor and the subject stay neighbours; every other round is in reverse, so that a drift cancels out.
      var order: [Place] = (workload.floor == nil ? [] : [.floor]) + [.subject]
      if round <= Self.peerRounds { order += workload.peers.indices.map { .peer($0) } }
      if round.isMultiple(of: 2) { order.reverse() }
      for place in order {
        let contender = contender(at: place, of: workload)
        let directory = try scratch.directory("\(workload.name)/\(round)/\(contender.name)")
        let command = try contender.prepare(directory)
        scratch.settle()
        let measurement = try await stopwatch.time(command)
        if round == 0 {
          try await contender.verify(directory)
          continue
        }
        switch place {
        case .floor: result.floor?.measurements.append(measurement)
        case .subject:
          result.subject.measurements.append(measurement)
          if let inner = workload.innerTime { result.innerSeconds.append(try await inner.read(directory)) }
        case .peer(let index): result.peers[index].measurements.append(measurement)
        }
      }
    }
    return result
  }

  private enum Place {
    case floor, subject
    case peer(Int)
  }

  private func contender(at place: Place, of workload: Workload) -> Contender {
    switch place {
    case .floor: workload.floor ?? workload.subject
    case .subject: workload.subject
    case .peer(let index): workload.peers[index]
    }
  }
}
