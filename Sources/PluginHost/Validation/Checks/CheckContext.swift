import Glibc
import Operations
import PluginABI
import Values

/// The reason why a check does not run to its end.
enum CheckInterruption: Error {
  case failed(String)
  case skipped(String)
}

/// A check in progress: its parameters, and the problems that it has found.
final class CheckContext {
  let order: CheckOrder
  let channel: CheckChannel?
  private var found: [String] = []
  private var host: StrictHost?
  var note = ""
  var random: OperationRandom

  init(order: CheckOrder, channel: CheckChannel?) {
    self.order = order
    self.channel = channel
    random = OperationRandom(seed: order.seed)
  }

  /// The problems that the check found and the host noted; at most 20.
  var problems: [String] { Array((found + (host?.broken ?? [])).prefix(20)) }

  func problem(_ text: String) { if !found.contains(text) { found.append(text) } }

  /// Reports the next step, in case it does not return.
  func doing(_ text: String) { channel?.tell(.doing(text)) }

  func make() throws(CheckInterruption) {
    switch order.check {
    case .entry: _ = try entry()
    case .description: try description()
    case .describe: try describe()
    case .capabilities: try capabilities()
    case .open: try open()
    case .services: try services()
    case .close: try close()
    case .guest: try guest()
    case .create: try create()
    case .run: try run()
    case .stop: try stop()
    case .destroy: try destroy()
    case .latency: try latency()
    case .settings: try settings()
    case .input: try input()
    case .instants: try instants()
    case .clock: try clock()
    case .threads: try threads()
    case .growth: try growth()
    }
  }

  // MARK: The beginning of most checks

  /// Returns the plugin, loaded and described, but not opened.
  func plugin(withheld: Set<String> = []) throws(CheckInterruption) -> DrivenPlugin {
    let entry = try entry()
    let description = try described(entry)
    let host = StrictHost(withheld: withheld)
    self.host = host
    return DrivenPlugin(entry: entry, host: host, description: description)
  }

  /// Returns the opened plugin, and the offer to check.
  func opened() throws(CheckInterruption) -> (DrivenPlugin, PluginOffer) {
    let plugin = try plugin()
    doing("open")
    try plugin.open()
    guard let offer = plugin.description.offers.first(where: { $0.id == order.offer }) else {
      throw .failed("there is no offer '\(order.offer ?? "")'")
    }
    return (plugin, offer)
  }

  /// Returns settings that the offer should accept.
  func goodSettings(_ offer: PluginOffer) -> JSONValue {
    SettingsSample.settings(of: offer, given: order.settings[offer.id] ?? order.settings[""])
  }

  func goodInput(_ offer: PluginOffer) -> [UInt8] {
    Array(SettingsSample.input(of: offer, directory: order.directory).text.utf8)
  }

  /// Returns an instance with valid settings.
  func instance(_ plugin: DrivenPlugin, _ offer: PluginOffer) throws(CheckInterruption) -> DrivenInstance {
    let settings = goodSettings(offer)
    switch plugin.create(offer, settings: Array(settings.text.utf8)) {
    case .made(let instance): return instance
    case .refused(.failed(let code, let message)):
      throw .skipped(
        "create rejected \(settings.text) with '\(code): \(message)'; give settings that it accepts: "
          + "--settings '\(offer.id)={…}'")
    case .refused: throw .failed("create rejected \(settings.text) without a reason")
    }
  }

  /// Stops a started instance, waits for its end and destroys it.
  func finish(_ instance: DrivenInstance, _ moment: String = "") {
    instance.stop(grace: order.grace)
    if !instance.ends(within: order.grace + Self.allowance) {
      problem("it did not end within the \(order.grace.wholeMilliseconds) ms that stop allowed\(moment)")
    }
    instance.destroy()
  }

  /// The tolerance of time limits: the plugin is to be checked, not the machine's load.
  static let allowance = Duration.milliseconds(250)

  /// Reports calls of `function` that took longer than the generous limit.
  func judge(_ function: String, _ plugin: DrivenPlugin) {
    for time in plugin.times(of: function) where time > order.grace {
      problem(
        "\(function) took \(time.wholeMilliseconds) ms, but at most \(order.grace.wholeMilliseconds) are allowed")
    }
  }

  func sleep(_ time: Duration) {
    let (seconds, attoseconds) = time.components
    var rest = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    var left = timespec()
    while nanosleep(&rest, &left) < 0, errno == EINTR { rest = left }
  }

  /// Returns delays between two calls: none, small ones of each magnitude, and random ones.
  func delays() -> [Duration] {
    [.zero, .microseconds(10), .microseconds(100), .milliseconds(1), .milliseconds(5), .milliseconds(20)]
      + (0..<6).map { _ in .microseconds(Int64.random(in: 0...20_000, using: &random)) }
  }
}
