import Operations
import Testing

@testable import PipelineEngine
@testable import PipelineLanguage
@testable import RunHistory

/// One pipeline, the fates of its jobs, and the expected outcome of its run. A case is written as text:
///
///     # what it shows
///     operations: …
///     ---
///     job x: exit 1 | prints [1,2] | hangs | preempted
///     a failed exit
///     => failed
///     commands: x y
///
/// `=== inner.yaml` is followed by the text of a nested pipeline. `---` is followed by the fates of jobs by the last argument of their commands, the
/// state of every operation, handler and item by ordinal, how the run ends (default `succeeded`), and, if the case is about them, the last arguments
/// of the jobs that were started, the delays in milliseconds, and the maximum number of concurrent jobs. `{N}` in a case whose name ends with `[1 2
/// 3]` stands for each of these, in which `_` stands for a space.
///
/// Each case is run by both doors of the executor, except for jobs that are not begun, which the fast path does not have.
struct EngineCase: CustomTestStringConvertible, Sendable {
  var name = ""
  var text = ""
  var nested: [String: String] = [:]
  var fates: [String: [ScriptedExecutor.Fate]] = [:]
  var states: [String] = []
  var outcome = "succeeded"
  var commands: String?
  var delays: String?
  var most: Int?
  var door = Door.handles

  var testDescription: String { "\(name), by \(door)" }

  static func read(_ text: String) -> [EngineCase] {
    var blocks: [(name: Substring, lines: [Substring])] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("# ") {
        blocks.append((line.dropFirst(2), []))
      } else {
        blocks[blocks.count - 1].lines.append(line)
      }
    }
    let cases = blocks.flatMap { block -> [EngineCase] in
      guard block.name.hasSuffix("]"), let open = block.name.firstIndex(of: "[") else {
        return [EngineCase(String(block.name), block.lines, "")]
      }
      return block.name[open...].dropFirst().dropLast().split(separator: " ").map {
        EngineCase("\(block.name[..<open])\($0)", block.lines, String($0).replacing("_", with: " "))
      }
    }
    return cases + cases.filter { !$0.needsHandles }.map { $0.through(.fast) }
  }

  private var needsHandles: Bool {
    fates.values.joined().contains { if case .notBegun = $0 { true } else { false } }
  }

  private func through(_ door: Door) -> EngineCase {
    var copy = self
    copy.door = door
    return copy
  }

  private init(_ name: String, _ lines: [Substring], _ value: String) {
    self.name = name
    var isExpectation = false
    var file: String?
    for line in lines.map({ String($0).replacing("{N}", with: value) }) {
      if line == "---" {
        isExpectation = true
      } else if isExpectation {
        expect(line)
      } else if line.hasPrefix("=== ") {
        file = String(line.dropFirst(4))
      } else if let file {
        nested[file, default: ""] += line + "\n"
      } else {
        text += line + "\n"
      }
    }
    if !text.contains("operations:") { text = "operations:\n" + text }
  }

  private mutating func expect(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    switch words.first {
    case "job":
      let parts = line.dropFirst(4).split(separator: ":", maxSplits: 1)
      fates[String(parts[0])] = parts[1].split(separator: "|").map(Self.fate)
    case "=>": outcome = words[1]
    case "commands:": commands = words.dropFirst().joined(separator: " ")
    case "delays:": delays = words.dropFirst().joined(separator: " ")
    case "most:": most = words.last.flatMap { Int($0) }
    default: states.append(line)
    }
  }

  private static func fate(_ text: Substring) -> ScriptedExecutor.Fate {
    let words = text.split(separator: " ")
    switch words.first {
    case "ok": return .exits(0)
    case "exit": return .exits(Int32(words[1]) ?? 0)
    case "signal": return .ends(.signal(Int32(words[1]) ?? 0))
    case "prints": return .prints(words.dropFirst().joined(separator: " "))
    case "hangs": return .hangs
    case "preempted": return .ends(.preempted(""))
    case "node-failed": return .ends(.nodeFailed("node"))
    case "out-of-memory": return .ends(.outOfMemory(""))
    case "lost": return .ends(.lost(""))
    case "not-begun": return .notBegun
    default: return .refused(OperationFailure(code: "no-such-fate", message: String(text)))
    }
  }

  /// Runs the pipeline in memory, and compares the outcome.
  func check() async throws {
    let executor = ScriptedExecutor(fates, by: door)
    let clock = SettableClock()
    let host = try EngineTestHost(executor: executor, clock: clock, isLent: true)
    let run = try await host.run(host.engine(text, nested: nested))
    #expect(run.states == states)
    #expect(run.outcome.run.state.rawValue == outcome)
    if let commands { #expect(executor.commands.joined(separator: " ") == commands) }
    if let delays {
      #expect(clock.delays.map { String($0.wholeMicroseconds / 1000) }.joined(separator: " ") == delays)
    }
    if let most { #expect(executor.mostAtOnce == most) }
    let counts = run.outcome.run.counts
    #expect(
      counts.succeeded + counts.failed + counts.skipped + counts.cancelled + counts.reused == counts.operations)
    #expect(executor.hangingCount.count == 0)
    #expect(executor.readyCount == 0)
    await host.close()
  }
}
