import Foundation
import Subprocess
import Synchronization
import Testing

/// The built `penstock`, run on one workspace.
struct Tool: Sendable {
  /// How one command ended.
  struct Ending: Sendable {
    var code: Int32?
    var signal: Int32?
    var output: String
    var error: String
    /// Whether it had to be killed because it did not end in time.
    var overran = false

    /// For the comment of an expectation.
    var summary: Comment {
      "exit code \(code.map(String.init) ?? "none"), signal \(signal.map(String.init) ?? "none")\(overran ? ", killed after the limit" : "")\n\(output.suffix(2000))\n\(error.suffix(2000))"
    }
  }

  /// The program next to the test bundle: both are products of the same build.
  static let program: String = {
    if let given = ProcessInfo.processInfo.environment["PENSTOCK_TOOL"] { return given }
    let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return (bundle as NSString).deletingLastPathComponent + "/penstock"
  }()

  /// No command of these tests takes longer, unless it hangs.
  static let patience = Duration.seconds(120)

  /// The working directory of the tool, which also contains `workspace`.
  var scratch: Scratch
  var workspace = "space"
  var environment: [String: String] = [:]
  /// Shell commands that run before the tool replaces the shell: limits, redirections.
  var preparation: String?
  var limit = Tool.patience
  /// Whether the tool leads its own session, as a terminal's shell does.
  var leadsSession = false

  /// The absolute path of the workspace.
  var workspacePath: String { workspace.hasPrefix("/") ? workspace : scratch(workspace) }

  /// Runs a command to its end. `meanwhile` runs concurrently and may send it signals.
  func run(
    _ arguments: String...,
    meanwhile: (@Sendable (_ pid: Int32, _ send: @Sendable (Signal) -> Void) async throws -> Void)? = nil
  ) async throws -> Ending {
    try await run(arguments, meanwhile: meanwhile)
  }

  /// Runs a command to its end. `meanwhile` runs concurrently and may send it signals.
  func run(
    _ arguments: [String],
    meanwhile: (@Sendable (_ pid: Int32, _ send: @Sendable (Signal) -> Void) async throws -> Void)? = nil
  ) async throws -> Ending {
    var command = [Self.program] + arguments
    if let preparation { command = ["/bin/sh", "-c", "\(preparation)\nexec \"$@\"", "sh"] + command }
    var values: [Environment.Key: String?] = ["PENSTOCK_WORKSPACE": workspacePath, "NO_COLOR": "1"]
    for (name, value) in environment { if let key = Environment.Key(rawValue: name) { values[key] = value } }
    var options = PlatformOptions()
    options.createSession = leadsSession
    let guardian = Guardian(limit: limit)
    defer { guardian.retire() }
    let outcome = try await Subprocess.run(
      .path(.init(command[0])), arguments: Arguments(Array(command.dropFirst())),
      environment: .inherit.updating(values),
      workingDirectory: .init(scratch.path), platformOptions: options, input: .none, output: .bytes(limit: 64 << 20),
      error: .bytes(limit: 16 << 20)
    ) { execution in
      let send: @Sendable (Signal) -> Void = { signal in try? execution.send(signal: signal) }
      guardian.watch(send)
      try await meanwhile?(execution.processIdentifier.value, send)
    }
    var ending = Ending(
      output: String(decoding: outcome.standardOutput, as: UTF8.self),
      error: String(decoding: outcome.standardError, as: UTF8.self), overran: guardian.hasStruck)
    switch outcome.terminationStatus {
    case .exited(let code): ending.code = code
    case .signaled(let signal): ending.signal = signal
    }
    return ending
  }

  /// Runs a command, and kills it after `moment` unless it has ended by then; nil lets it run to its end.
  func run(_ arguments: [String], killedAfter moment: Duration?) async throws -> Ending {
    let began = ContinuousClock.now
    return try await run(arguments) { pid, send in
      guard let due = moment.map({ began + $0 }) else { return }
      while ContinuousClock.now < due {
        guard RunningProcesses.isRunning(pid) else { return }
        try await Task.sleep(until: min(due, .now + .milliseconds(2)))
      }
      send(.kill)
    }
  }
}

/// Kills a process that does not end in time.
private final class Guardian: Sendable {
  private let limit: Duration
  private let task = Mutex<Task<Void, Never>?>(nil)
  private let struck = Mutex(false)

  init(limit: Duration) { self.limit = limit }

  var hasStruck: Bool { struck.withLock { $0 } }

  func watch(_ send: @escaping @Sendable (Signal) -> Void) {
    let watching = Task {
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      struck.withLock { $0 = true }
      send(.kill)
    }
    task.withLock { $0 = watching }
  }

  func retire() { task.withLock { $0?.cancel() } }
}

/// Polls until `condition` holds; returns false if it does not within the limit.
func eventually(within limit: Duration = .seconds(20), _ condition: () throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + limit
  while ContinuousClock.now < deadline {
    if try condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return try condition()
}
