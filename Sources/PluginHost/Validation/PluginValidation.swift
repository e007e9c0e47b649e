import Values

/// Drives a shared object through the whole contract, and reports which rules it keeps.
///
/// Each check runs in its own process, which loads only this plugin: a plugin that crashes, hangs or leaks fails that check and no other. The
/// process is ``PluginCheckChild``.
public struct PluginValidation: Sendable {
  /// The shared object.
  public var file: String
  /// The program and arguments that call ``PluginCheckChild/run(_:)`` with the arguments appended to them.
  public var child: [String]
  /// The seed of the random delays.
  public var seed: UInt64
  /// The settings of offers that cannot be created with sample values, by id; those under the empty id are for all others.
  public var settings: [String: JSONValue]
  /// The checks to run: their names, ids of offers, or `offer/check`. Empty for all.
  public var only: [String]

  /// How long one check may take in total; nil is one minute, and two for the 10,000 instances.
  public var patience: Duration?

  /// How long a plugin may take for `open`, `close` and `destroy`, and from `stop` to the end; one second by default.
  public var grace = Duration.seconds(1)

  /// The number of bytes of memory that the plugin may use in each check, including shared memory and files in memory; 512 MiB by default.
  public var memory: Int64 = ChildLaunch.defaultMemory

  /// The names of the environment variables that the plugin sees in addition to `PATH`, `HOME`, `LANG`, `TZ` and `TMPDIR`. It does not see the others, which
  /// may contain secrets.
  public var environment: [String] = []

  /// Creates a validation of `file`.
  public init(
    file: String, child: [String], seed: UInt64 = 1, settings: [String: JSONValue] = [:], only: [String] = []
  ) {
    self.file = file
    self.child = child
    self.seed = seed
    self.settings = settings
    self.only = only
  }

  /// Runs the checks, one after the other. Blocks the calling thread, which must not belong to the cooperative pool.
  ///
  /// - Parameter tell: Called with each result.
  /// - Returns: All results. If the plugin cannot be loaded or described, the checks that depend on that are missing.
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
    // The other checks depend on these two, so they always run; their failure is reported even if they were not requested.
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

  /// Deletes the directories of the checks in progress. For a process that is about to end; the checks end with it.
  public static func cleanUp() { ScratchDirectory.removeAll() }

  /// Whether `only` selects the check.
  private func wants(_ check: PluginCheck, _ offer: String?) -> Bool {
    guard !only.isEmpty else { return true }
    return only.contains { wanted in
      wanted == check.rawValue || (offer != nil && (wanted == offer || wanted == "\(offer ?? "")/\(check.rawValue)"))
    }
  }
}
