/// A rule of the contract that the validator checks. The raw value is the name for `--only`.
public enum PluginCheck: String, Sendable, Hashable, CaseIterable {
  case entry
  case description
  case describe
  case capabilities
  case open
  case services
  case close
  case guest
  case create
  case run
  case stop
  case destroy
  case latency
  case settings
  case input
  case instants
  case clock
  case threads
  case growth

  /// The rule as a sentence, whose subject is the plugin or the offer.
  public var title: String {
    switch self {
    case .entry: "exports penstock_plugin in a version that this host supports"
    case .description: "describes itself as the contract requires"
    case .describe: "returns the same description every time, and does nothing else"
    case .capabilities: "has four functions for every kind that it offers, and none for others"
    case .open: "opens in time"
    case .services: "opens or declines if the host has no services"
    case .close: "closes in time and is silent afterwards"
    case .guest: "does not change the process: directory, environment, signals, descriptors"
    case .create: "can be created, and destroyed without a start"
    case .run: "runs to an end and reports only what the contract allows"
    case .stop: "ends exactly once, whenever it is stopped"
    case .destroy: "can be destroyed while it is busy and is silent afterwards"
    case .latency: "returns from its functions in time"
    case .settings: "rejects or survives invalid settings"
    case .input: "survives invalid input"
    case .instants: "reports its next instants correctly, if it reports them"
    case .clock: "survives a clock that jumps"
    case .threads: "serves several threads at once"
    case .growth: "leaks nothing over 10,000 instances"
    }
  }

  /// Whether it is checked for each offer rather than for the plugin as a whole.
  public var isOfOffer: Bool {
    switch self {
    case .entry, .description, .describe, .capabilities, .open, .services, .close: false
    case .guest, .create, .run, .stop, .destroy, .latency, .settings, .input, .instants, .clock, .threads, .growth: true
    }
  }

  /// How long the check may take in total before it counts as hung.
  var patience: Duration { self == .growth ? .seconds(120) : .seconds(60) }
}
