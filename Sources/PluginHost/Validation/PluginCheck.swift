/// One rule of the contract that the validator looks at. The raw value is what `--only` names.
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

  /// The rule as a sentence, shown with the name of the plugin or the offer before it.
  public var title: String {
    switch self {
    case .entry: "exports penstock_plugin, of a version that this host speaks"
    case .description: "describes itself as the contract asks for"
    case .describe: "gives the same description every time, and does nothing else"
    case .capabilities: "has four functions for every kind that it offers, and none for others"
    case .open: "opens in time"
    case .services: "opens or says no where the host has no services"
    case .close: "closes in time, and is silent afterwards"
    case .guest: "leaves the process as it was: directory, environment, signals, descriptors"
    case .create: "is created, and destroyed without a start"
    case .run: "runs to an end, and tells only what it may"
    case .stop: "ends exactly once, whenever it is stopped"
    case .destroy: "can be destroyed while it is busy, and is silent afterwards"
    case .latency: "returns from its functions in time"
    case .settings: "refuses or survives settings that make no sense"
    case .input: "survives input that makes no sense"
    case .instants: "says rightly which instants come, where it says that"
    case .clock: "survives a clock that jumps"
    case .threads: "serves several threads at once"
    case .growth: "keeps nothing of 10,000 instances"
    }
  }

  /// Whether it is made for each offer, not for the plugin as a whole.
  public var isOfOffer: Bool {
    switch self {
    case .entry, .description, .describe, .capabilities, .open, .services, .close: false
    case .guest, .create, .run, .stop, .destroy, .latency, .settings, .input, .instants, .clock, .threads, .growth: true
    }
  }

  /// How long it may take as a whole; then something has hung.
  var patience: Duration { self == .growth ? .seconds(120) : .seconds(60) }
}
