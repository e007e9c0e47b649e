extension SiteDefinition.Cluster {
  /// Returns what a job asks for beyond the limits of the site, in words; nil if it is within them. Only computed values can be beyond them here.
  package func excess(of demand: [ExecutorUse.Setting: String]) -> String? {
    for (setting, most) in limits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let amount = demand[setting].flatMap(ExecutorUse.amount), amount > most else { continue }
      let unit = setting == .memory ? " MiB" : setting == .time ? " minutes" : ""
      return "it asks for \(amount)\(unit) of '\(setting.rawValue)', but the limit of '\(name)' is \(most)\(unit)"
    }
    return nil
  }

  /// Returns what a job needs as options of `sbatch`, with the further options of the site. Values are single words, which no shell sees.
  package func submitOptions(_ demand: [ExecutorUse.Setting: String]) -> [String] {
    var submitted: [String] = []
    for setting in ExecutorUse.Setting.allCases {
      guard let value = demand[setting] else { continue }
      switch setting {
      case .cpus: submitted.append("--cpus-per-task=\(value)")
      case .memory: submitted.append("--mem=\(value)M")
      case .time: submitted.append("--time=\(value)")
      case .gpus: submitted.append("--gres=gpu:\(value)" + (demand[.gres].map { ",\($0)" } ?? ""))
      case .gres: if demand[.gpus] == nil { submitted.append("--gres=\(value)") }
      case .partition, .account, .qos, .constraint: submitted.append("--\(setting.rawValue)=\(value)")
      }
    }
    return submitted + options
  }
}
