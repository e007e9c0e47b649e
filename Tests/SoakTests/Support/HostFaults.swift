import Foundation
import Subprocess
import Synchronization

/// The library that is loaded into hosts to cause faults at chosen points: `Tests/HostFaults/HostFaults.c`, compiled once.
struct HostFaults {
  private let library: String
  private let scratch: Scratch

  /// The one that all tests share.
  static var shared: HostFaults { get async throws { try await compilation.value } }

  private static let compilation = Task {
    var source = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { source.deleteLastPathComponent() }
    let scratch = try Scratch()
    let outcome = try await Subprocess.run(
      .name("cc"),
      arguments: [
        "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-o", scratch("faults.so"),
        source.appendingPathComponent("HostFaults/HostFaults.c").path, "-ldl", "-pthread",
      ], input: .none, output: .string(limit: 1 << 16), error: .combinedWithOutput)
    guard outcome.terminationStatus.isSuccess else { throw CompilationError(text: outcome.standardOutput) }
    return HostFaults(library: scratch("faults.so"), scratch: scratch)
  }

  struct CompilationError: Error { let text: String }

  /// Returns a tool whose hosts are killed as the file at `control` says: right before the call with that number, counted since the file appeared,
  /// that changes something in the workspace. With `commits`, only the last write of each transaction counts, not those before it, which have the
  /// same effect; with `any`, other commands are killed as well.
  func kill(_ tool: Tool, control: String, commits: Bool, any: Bool = false) -> Tool {
    var tool = tool
    tool.environment["LD_PRELOAD"] = library
    tool.environment["PENSTOCK_FAULT_PREFIX"] = tool.workspacePath
    tool.environment["PENSTOCK_FAULT_CONTROL"] = control
    if commits { tool.environment["PENSTOCK_FAULT_COMMITS"] = "1" }
    if any { tool.environment["PENSTOCK_FAULT_ANY"] = "1" }
    return tool
  }

  /// Returns a tool that uses another wall clock.
  func setClock(of tool: Tool, to clock: SettableClock) -> Tool {
    var tool = tool
    tool.environment["LD_PRELOAD"] = library
    tool.environment["PENSTOCK_FAULT_CLOCK"] = clock.path
    return tool
  }
}

/// A wall clock that a test can set, for processes that are started with it: ``HostFaults/setClock(of:to:)``.
final class SettableClock: Sendable {
  let path: String
  private let ahead = Mutex(Duration.zero)

  init(_ scratch: Scratch) throws {
    path = try scratch.write([UInt8](repeating: 0, count: 8), to: "clock")
  }

  /// How far it is ahead of the system's clock.
  var offset: Duration { ahead.withLock { $0 } }

  /// Sets it forward or back.
  func step(by duration: Duration) throws {
    let offset = ahead.withLock { ahead in
      ahead += duration
      return ahead
    }
    let (seconds, attoseconds) = offset.components
    let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    defer { try? file.close() }
    // Writes all bytes at once, which readers of the mapped file see immediately.
    try file.write(contentsOf: withUnsafeBytes(of: nanoseconds.littleEndian) { Data($0) })
  }

  /// The time that it shows.
  var now: Date { Date(timeIntervalSinceNow: offset / .seconds(1)) }
}
