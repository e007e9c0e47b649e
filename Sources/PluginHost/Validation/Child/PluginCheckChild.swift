import CProcess
import Glibc
import OperatingSystem
import Values

/// The process in which one check is made: loads the plugin, drives it, tells what came of it, and ends.
public enum PluginCheckChild {
  /// Makes the check that the arguments name, and ends the process.
  ///
  /// To be called on the first thread, before the process does anything else; what it tells goes to standard output,
  /// and only
  /// ``PluginValidation`` understands it.
  ///
  /// - Parameter arguments: Those that ``PluginValidation`` adds to its ``PluginValidation/child``.
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
        .result(.failed(["the process for the check was called with arguments that it does not know"]), note: ""))
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
    // Not `exit`: what the plugin registered to run at the end is not what was checked.
    _exit(0)
  }

  /// Nobody would end a plugin that hangs, once the validator has been killed.
  private static func endWithValidator() {
    _ = penstock_die_with_parent()
    // It may have been killed before; nobody else reads what is told.
    var channel = pollfd(fd: 1, events: 0, revents: 0)
    if poll(&channel, 1, 0) > 0, channel.revents & Int16(POLLERR) != 0 { _exit(2) }
  }

  /// Bounds the memory of this process, and leaves its descriptors as they are.
  private static func limit(memory: Int64) -> Int32 {
    var descriptors = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return errno }
    return penstock_limit_process(memory, Int64(clamping: descriptors.rlim_cur))
  }
}

/// What one process is to check.
struct CheckOrder {
  var check = PluginCheck.entry
  var offer: String?
  var seed: UInt64 = 1
  var settings: [String: JSONValue] = [:]
  /// How long `stop` gives, and other calls may take.
  var grace = Duration.seconds(1)
  /// The bytes of memory that the plugin may have.
  var memory = ChildLaunch.defaultMemory
  /// Where the files of the pipeline would be: an empty directory of the check's own.
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

/// The way to the validator: standard output, which the plugin does not get.
final class CheckChannel: Sendable {
  private let descriptor: Int32

  init() {
    descriptor = fcntl(1, F_DUPFD_CLOEXEC, 3)
    // What the plugin prints is not for us.
    dup2(2, 1)
  }

  func tell(_ message: CheckMessage) {
    // Where it cannot be written, the validator has gone.
    try? SystemCall.writeAll(Array(message.json.text.utf8) + [UInt8(ascii: "\n")], to: descriptor)
  }
}
