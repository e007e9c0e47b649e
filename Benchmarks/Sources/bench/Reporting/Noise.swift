/// Tells when a machine was too busy for its figures to mean much.
enum Noise {
  /// The floor does the same each time: if it is not the same each time, something else ran.
  static let allowedWidth = 0.1
  /// Less than this is the timer's and the scheduler's business, in seconds.
  static let negligible = 0.000_5

  /// What to say about a machine on which something else runs; nil if nothing does.
  static func warning(about surroundings: Surroundings) -> String? {
    guard surroundings.load > 0.5 else { return nil }
    return "warning: the load is \(surroundings.load): something else runs on this machine"
  }

  /// What to say about a figure of hosts whose floor does the same in each round; nil if it is quiet.
  static func warning(about figure: HostFigure) -> String? {
    guard figure.isFloorSteady, let spread = Spread(figure.floors) else { return nil }
    return warning(spread, of: "floor", in: figure.name)
  }

  /// What to say about the measurements of a workload; nil if they are quiet.
  static func warning(about result: WorkloadResult) -> String? {
    let series = result.floor ?? result.subject
    guard let spread = Spread(series.seconds), spread.p90 - spread.p10 > negligible else { return nil }
    return warning(spread, of: series.name, in: result.workload.name)
  }

  /// What to say about the times of a probe, each of which is the mean of many; nil if they are quiet, or none are times.
  static func warning(about result: ProbeResult) -> String? {
    for figure in result.probe.figures {
      switch figure.goal {
      case .added, .ratio, .time, .throughput:
        guard let spread = Spread(result.values(figure.floor ?? figure.subject)) else { continue }
        return warning(spread, of: figure.floor == nil ? result.probe.program : "floor", in: result.probe.name)
      case .addedCount, .bytes: continue
      }
    }
    return nil
  }

  private static func warning(_ spread: Spread, of contender: String, in workload: String) -> String? {
    guard spread.relativeWidth > allowedWidth else { return nil }
    return
      "warning: \(workload): noisy: the middle 80 % of \(contender) spread over "
      + "\(Numbers.fixed(spread.relativeWidth * 100, 0)) % of the median "
      + "(\(Numbers.time(spread.p10)) – \(Numbers.time(spread.p90))); measure again on an idle machine"
  }
}
