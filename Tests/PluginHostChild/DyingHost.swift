import Glibc
import PluginHost
import Values

/// A host that starts an operation in a child, prints what that tells, and waits to be killed.
enum DyingHost {
  private final class File: ChildLaunch.File {
    let descriptor: Int32
    init(_ path: String) { descriptor = open(path, O_RDONLY | O_CLOEXEC) }
    deinit { close(descriptor) }
  }

  private final class Events: PluginInstanceEvents {
    func ended(_ outcome: Result<JSONValue?, PluginFailure>) { say("ended: \(outcome)") }
    func progressed(_ progress: JSONValue) { say(progress["message"]?.stringValue ?? "?") }
    func yielded(_ signal: PluginSignal) {}
    func changed(_ isSatisfied: Bool?, reason: String) {}
    func logged(_ level: PluginLogLevel, _ message: String, _ fields: JSONValue?) {}

    private func say(_ text: String) {
      let line = Array("\(text)\n".utf8)
      _ = write(1, line, line.count)
    }
  }

  /// Starts the plugin's first offer with `input` as its requirement.
  static func run(_ path: String, _ input: String) throws {
    let launch = ChildLaunch(command: ["/proc/self/exe"], name: "dies", path: path, file: File(path))
    let connection = try IsolatedConnection.open(launch)
    guard let offer = connection.description.offers.first else { exit(1) }
    let instance = connection.create(offer, settings: [:], access: .none, events: Events())
    instance.start(["requirement": .string(input)])
    while true { pause() }
  }
}
