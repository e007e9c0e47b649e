// The library `Operations`, where what is measured takes a millionth of the start of a process.

extension Catalogue {
  /// A probe of stores by its name; nil if it is not one, or if its program is not there, having said so.
  func storeProbe(_ name: String, report: (String) -> Void) -> Probe? {
    guard Self.storeProbeNames.contains(name) else { return nil }
    guard let stores else {
      report("\(name): left out, because the stores program has not been built")
      return nil
    }
    func command(_ figure: String) -> Command { Command(stores, [figure], in: scratch.path) }
    return switch name {
    case "store-run":
      Probe(
        name: name, program: "stores", command: command("run"),
        figures: [
          Probe.Figure(
            title: "a run of an empty operation through a client's store", subject: "seconds", floor: "floorSeconds",
            goal: .added(atMostSeconds: 3e-6)),
          Probe.Figure(
            title: "its allocations", subject: "allocations", floor: "floorAllocations",
            goal: .addedCount(atMost: 10)),
        ])
    case "store-changes":
      Probe(
        name: name, program: "stores", command: command("changes"),
        figures: [
          Probe.Figure(
            title: "100,000 changes through a formula of depth 10 to 100 subscribers", subject: "seconds",
            goal: .throughput(events: 10_000_000, atLeast: 1_000_000))
        ])
    case "store-memory":
      Probe(
        name: name, program: "stores", command: command("memory"),
        figures: [
          Probe.Figure(
            title: "what each of 100,000 stores of a client keeps resident", subject: "residentBytes",
            goal: .bytes(atMost: 1024))
        ])
    default:
      Probe(
        name: name, program: "stores", command: command("idle"),
        figures: [
          Probe.Figure(
            title: "wake-ups within 10 s while nothing happens to 1,000 stores", subject: "wakeUps",
            floor: "floorWakeUps", goal: .addedCount(atMost: 0))
        ], isMeasuredOnce: true)
    }
  }
}
