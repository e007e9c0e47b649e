// The library `PipelineEngine`, where one process has many runs.

extension Catalogue {
  /// A probe of hosts by its name; nil if it is not one, or if its program is not there, having said so.
  func hostProbe(_ name: String, report: (String) -> Void) -> Probe? {
    guard Self.hostProbeNames.contains(name) else { return nil }
    guard let hosts else {
      report("\(name): left out, because the hosts program has not been built")
      return nil
    }
    func probe(_ argument: String, _ figure: Probe.Figure) -> Probe {
      Probe(name: name, program: "hosts", command: Command(hosts, [argument], in: scratch.path), figures: [figure])
    }
    return switch name {
    case "host-runs":
      probe(
        "runs",
        Probe.Figure(
          title: "1,000 runs of one value at once in one host", subject: "seconds",
          goal: .throughput(events: 1000, atLeast: 2000)))
    case "host-shared":
      probe(
        "shared",
        Probe.Figure(
          title: "1,000 runs of ten values at once, beside one of 10,000", subject: "seconds", floor: "floorSeconds",
          goal: .ratio(atMost: 1.25)))
    case "host-waiting":
      probe(
        "waiting",
        Probe.Figure(
          title: "what each of 1,000 runs keeps resident that wait", subject: "residentBytes",
          goal: .bytes(atMost: 65_536)))
    default:
      probe(
        "nested",
        Probe.Figure(
          title: "a nested /bin/true beside a sleeping sibling, and alone", subject: "seconds", floor: "floorSeconds",
          goal: .ratio(atMost: 1.2)))
    }
  }
}
