// The library `PluginHost`, by itself.

extension Catalogue {
  /// A probe of plugins by its name; nil if it is not one, or if its program is not there, having said so.
  func pluginProbe(_ name: String, report: (String) -> Void) -> Probe? {
    guard Self.pluginProbeNames.contains(name) else { return nil }
    guard let plugins else {
      report("\(name): left out, because the plugins program has not been built")
      return nil
    }
    func probe(_ arguments: [String], _ figures: [Probe.Figure]) -> Probe {
      Probe(
        name: name, program: "plugins", command: Command(plugins, arguments, in: scratch.path), figures: figures,
        isMeasuredOnce: name == "plugin-idle")
    }
    return switch name {
    case "plugin-run":
      probe(
        ["run"],
        [
          Probe.Figure(
            title: "an operation of a plugin in this process, beside a direct call", subject: "seconds",
            floor: "floorSeconds", goal: .added(atMostSeconds: 5e-6))
        ])
    case "plugin-isolated":
      probe(
        ["isolated", tool.program],
        [
          Probe.Figure(
            title: "the same in a child host", subject: "seconds", floor: "floorSeconds",
            goal: .added(atMostSeconds: 60e-6))
        ])
    case "plugin-load":
      probe(
        ["load"],
        [
          Probe.Figure(
            title: "loading a plugin from its file", subject: "seconds", goal: .time(atMostSeconds: 5e-3))
        ])
    case "plugin-yield":
      probe(
        ["yield"],
        [
          Probe.Figure(
            title: "from a controller's rerun to the beginning of the run", subject: "seconds",
            goal: .time(atMostSeconds: 200e-6))
        ])
    default:
      probe(
        ["idle"],
        [
          Probe.Figure(
            title: "wake-ups within 10 s while nothing happens to 10,000 specifications of a plugin",
            subject: "wakeUps", floor: "floorWakeUps", goal: .addedCount(atMost: 0))
        ])
    }
  }
}
