// What `make install` installs, without symbols, as the package has it.

extension Catalogue {
  /// The probe of what is installed; nil if it is another one, or if its program is not there, having said so.
  func sizeProbe(_ name: String, report: (String) -> Void) -> Probe? {
    guard name == "installed-size" else { return nil }
    guard let installed else {
      report("\(name): left out, because the plugins have no release build")
      return nil
    }
    return Probe(
      name: name, program: "installed", command: Command(installed, [], in: scratch.path),
      figures: [
        Probe.Figure(
          title: "all files that are installed", subject: "allBytes", goal: .size(atMostMegabytes: 40)),
        Probe.Figure(
          title: "of these, the standard plugins", subject: "pluginBytes", goal: .size(atMostMegabytes: 10)),
      ], isMeasuredOnce: true)
  }
}
