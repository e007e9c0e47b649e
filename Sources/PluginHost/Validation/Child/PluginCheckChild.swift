import CProcess
import Glibc
import OperatingSystem
import Values

/// The process that runs one check: loads the plugin, drives it, reports the result, and exits.
public enum PluginCheckChild {
  /// Runs the check that the arguments name, and ends the process.
  ///
  /// Call it on the main thread, before the process does anything else. Its messages go to standard output, and only ``PluginValidation`` understands them.
  ///
  /// - Parameter arguments: The arguments that ``PluginValidation`` adds to its ``PluginValidation/child``.
  public static func run(_ arguments: [String]) -> Never {
    endWithValidator()
    let channel = CheckChannel()
    let limited = CheckOrder(arguments).map { limit(memory: $0.memory) } ?? 0
    ProcessPicture.prepare()
    guard limited == 0 else {
      let reason = SystemError.text(of: limited)
      channel.tell(.result(.failed(["the process for the check cannot limit its memory: \(reason)"]), note: ""))
      _exit(2)
    }
    guard let order = CheckOrder(arguments) else {
      channel.tell(
        .result(.failed(["the process for the check was started with unknown arguments"]), note: ""))
      _exit(2)
    }
    let context = CheckContext(order: order, channel: channel)
    let outcome: PluginCheckResult.Outcome
    do throws(CheckInterruption) {
      try context.make()
      outcome = context.problems.isEmpty ? .passed : .failed(context.problems)
    } catch {
      switch error {
      case .failed(let problem): outcome = .failed(context.problems + [problem])
      case .skipped(let reason): outcome = context.problems.isEmpty ? .skipped(reason) : .failed(context.problems)
      }
    }
    channel.tell(.result(outcome, note: context.note))
    // Not `exit`: the handlers that the plugin registered are not part of the check.
    _exit(0)
  }

  /// Ends this process with the validator: otherwise a plugin that hangs would never end once the validator has been killed.
  private static func endWithValidator() {
    _ = penstock_die_with_parent()
    // The validator, the only reader of the messages, may have been killed before.
    var channel = pollfd(fd: 1, events: 0, revents: 0)
    if poll(&channel, 1, 0) > 0, channel.revents & Int16(POLLERR) != 0 { _exit(2) }
  }

  /// Limits the memory of this process without changing its limit of descriptors.
  private static func limit(memory: Int64) -> Int32 {
    guard let descriptors = ResourceLimit.soft(RLIMIT_NOFILE) else { return errno }
    return penstock_limit_process(memory, Int64(clamping: descriptors))
  }
}

/// The parameters of one check.
struct CheckOrder {
  var check = PluginCheck.entry
  var offer: String?
  var seed: UInt64 = 1
  var settings: [String: JSONValue] = [:]
  /// The time that `stop` gives, and that other calls may take.
  var grace = Duration.seconds(1)
  /// The number of bytes of memory that the plugin may use.
  var memory = ChildLaunch.defaultMemory
  /// The directory of the pipeline's files: an empty one that belongs to the check.
  var directory = ""
  var file = ""

  init?(_ arguments: [String]) {
    var rest = arguments[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { return nil }
      switch name {
      case "--check":
        guard let check = PluginCheck(rawValue: value) else { return nil }
        self.check = check
      case "--offer": offer = value
      case "--seed":
        guard let seed = UInt64(value) else { return nil }
        self.seed = seed
      case "--grace":
        guard let milliseconds = Int64(value) else { return nil }
        grace = .milliseconds(milliseconds)
      case "--memory":
        guard let bytes = Int64(value), bytes > 0 else { return nil }
        memory = bytes
      case "--directory": directory = value
      case "--settings":
        let parts = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let json = try? JSONValue.parse(String(parts[1])) else { return nil }
        settings[String(parts[0])] = json
      case "--": file = value
      default: return nil
      }
    }
    if file.isEmpty || directory.isEmpty { return nil }
  }
}

/// The connection to the validator: standard output, which the plugin does not get.
final class CheckChannel: Sendable {
  private let descriptor: Int32

  init() {
    descriptor = fcntl(1, F_DUPFD_CLOEXEC, 3)
    // The plugin's output goes to standard error.
    dup2(2, 1)
  }

  func tell(_ message: CheckMessage) {
    // If it cannot be written, the validator has ended.
    try? SystemCall.writeAll(Array(message.json.text.utf8) + [UInt8(ascii: "\n")], to: descriptor)
  }
}
