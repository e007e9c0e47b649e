extension SiteDefinition.Cluster {
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
