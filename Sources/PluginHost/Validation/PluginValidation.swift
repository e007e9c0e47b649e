import Values

/// Drives a shared object through the whole contract, and says which rules it keeps.
///
/// Every check is made in a process of its own, which loads the plugin alone: a plugin that crashes, hangs or leaks
/// fails a check,
/// and no more. That process is told by ``PluginCheckChild`` what to do.
public struct PluginValidation: Sendable {
  /// The shared object.
  public var file: String
  /// The program and arguments that call ``PluginCheckChild/run(_:)`` with the arguments that follow.
  public var child: [String]
  /// Decides about delays.
  public var seed: UInt64
  /// The settings of offers that cannot be created with made-up ones, by id; those under the empty id are for all
  /// others.
  public var settings: [String: JSONValue]
  /// Which checks to make, in order: their names, ids of offers, or `offer/check`. Empty is all.
  public var only: [String]

  /// How long one check may take as a whole; nil is a minute, and two for the 10,000 instances.
  public var patience: Duration?

  /// How long a plugin may take for `open`, `close` and `destroy`, and from `stop` to the end; a second.
  public var grace = Duration.seconds(1)

  /// The bytes of memory that the plugin may have in each check, shared memory and files in memory included; 512 MiB.
  public var memory: Int64 = ChildLaunch.defaultMemory

  /// A validation of `file`, not begun.
  public init(
    file: String, child: [String], seed: UInt64 = 1, settings: [String: JSONValue] = [:], only: [String] = []
  ) {
    self.file = file
    self.child = child
    self.seed = seed
    self.settings = settings
    self.only = only
  }

  /// Makes the checks, one after the other. Blocks the calling thread, which must not be one of the cooperative pool.
  ///
  /// - Parameter tell: Is told of each result as it comes.
  /// - Returns: All results. Where the plugin cannot be loaded or described, the checks that need that are missing.
  public func run(_ tell: (PluginCheckResult) -> Void = { _ in }) -> PluginCheckReport {
    let clock = ContinuousClock()
    let began = clock.now
    var results: [PluginCheckResult] = []
    func make(_ check: PluginCheck, _ offer: String?) -> CheckProcess.Answer {
      let answer = CheckProcess(validation: self, check: check, offer: offer).run()
      if wants(check, offer) {
        results.append(answer.result)
        tell(answer.result)
      }
      return answer
    }
    var plugin: String?
    var offers: [String] = []
    func report() -> PluginCheckReport {
      PluginCheckReport(file: file, plugin: plugin, seed: seed, results: results, duration: clock.now - began)
    }
    // What the others need is looked at also where nobody asked; it is told then if it is the reason that nothing else
    // can be.
    for check in [PluginCheck.entry, .description] {
      let answer = make(check, nil)
      if case .failed = answer.result.outcome {
        if !wants(check, nil) { results.append(answer.result); tell(answer.result) }
        return report()
      }
      plugin = answer.plugin ?? plugin
      offers = answer.offers
    }
    for check in PluginCheck.allCases where !check.isOfOffer && check != .entry && check != .description {
      if wants(check, nil) { _ = make(check, nil) }
    }
    for offer in offers {
      var cannotBeCreated: String?
      for check in PluginCheck.allCases where check.isOfOffer && wants(check, offer) {
        if let reason = cannotBeCreated, check != .settings {
          let result = PluginCheckResult(
            check: check, offer: offer, outcome: .skipped(reason), note: "", duration: .zero)
          results.append(result)
          tell(result)
          continue
        }
        if case .skipped(let reason) = make(check, offer).result.outcome { cannotBeCreated = reason }
      }
    }
    return report()
  }

  /// Whether `only` lets the check be made.
  private func wants(_ check: PluginCheck, _ offer: String?) -> Bool {
    guard !only.isEmpty else { return true }
    return only.contains { wanted in
      wanted == check.rawValue || (offer != nil && (wanted == offer || wanted == "\(offer ?? "")/\(check.rawValue)"))
    }
  }
}
