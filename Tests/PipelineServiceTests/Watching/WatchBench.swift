import Foundation
import Operations
import PipelineEngine
import PipelineLanguage
import RunHistory
import Synchronization
import Testing
import Workspace

@testable import PipelineService

/// Logs what a watched pipeline does, one line per event, for a test that reads the lines in order.
final class WatchLog: WatchObserver {
  let events = RunEventRange.ends
  private let (lines, sink) = AsyncStream<String>.makeStream()
  private let running = Mutex((now: 0, most: 0))
  private let end = Mutex((isWanted: false, interrupt: (@Sendable () -> Void)?.none))
  /// Called when a run has ended, before this is reported.
  private let beforeEnd: @Sendable () async -> Void

  init(beforeEnd: @escaping @Sendable () async -> Void = {}) {
    self.beforeEnd = beforeEnd
  }

  private let idling = Flag()

  private final class Flag: Sendable {
    private let value = Atomic(false)
    var isSet: Bool { value.load(ordering: .relaxed) }
    func set(_ isSet: Bool) { value.store(isSet, ordering: .relaxed) }
  }

  /// Whether it is idling, as permitted by the watch.
  var isIdle: Bool { idling.isSet }
  /// The maximum number of runs that were active at once.
  var mostAtOnce: Int { running.withLock(\.most) }

  /// Returns the next `count` lines.
  func next(_ count: Int) async -> [String] {
    var taken: [String] = []
    for await line in lines {
      taken.append(line)
      if taken.count == count { break }
    }
    return taken
  }

  /// Ends the watching, as Ctrl-C does: notifies the current listener, and any later one.
  func interrupt() {
    let interrupt = end.withLock { end in
      end.isWanted = true
      return end.interrupt
    }
    interrupt?()
  }

  private func hears(_ onInterruption: @escaping @Sendable () -> Void) {
    let isWanted = end.withLock { end in
      end.interrupt = onInterruption
      return end.isWanted
    }
    if isWanted { onInterruption() }
  }

  func show(
    _ pipeline: PipelineDefinition, onInterruption: @escaping @Sendable () -> Void,
    _ body: @escaping @Sendable (_ onEvent: @escaping @Sendable (RunEvent) -> Void) async throws -> RunOutcome
  ) async throws -> RunOutcome {
    hears(onInterruption)
    running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
    sink.yield("\(pipeline.name) begins")
    defer { running.withLock { $0.now -= 1 } }
    let outcome = try await body { _ in }
    await beforeEnd()
    return outcome
  }

  func idle(onInterruption: @escaping @Sendable () -> Void) throws -> @Sendable () async -> Void {
    hears(onInterruption)
    idling.set(true)
    return { [idling] in idling.set(false) }
  }

  func ended(_ run: RunRecord) {
    sink.yield("\(run.pipeline) \(run.state.rawValue)" + (run.controller.map { " for \($0)" } ?? ""))
  }

  func refused(_ error: any Error) { sink.yield("refused: \(error)") }

  func tell(_ notice: WatchNotice) {
    func names(_ files: [String]) -> String { files.map { ($0 as NSString).lastPathComponent }.joined(separator: ", ") }
    switch notice {
    case .changed(let path): sink.yield("\(names([path])) has changed")
    case .asked(let controller, let reason): sink.yield("\(controller) asks: \(reason ?? "")")
    case .conditionIsTrue(let condition): sink.yield("\(condition) is true")
    case .waiting(let files, let causes): sink.yield("waits for \(([names(files)] + causes).joined(separator: ", "))")
    case .waitingForCorrection(let files): sink.yield("waits for a correction of \(names(files))")
    }
  }
}

/// A pipeline file in its own directory, and a watch of it.
struct WatchBench {
  /// The reason why the file cannot be run.
  struct Findings: Error, CustomStringConvertible {
    let description: String
  }

  let directory = NSTemporaryDirectory() + "penstock-watch-\(UUID().uuidString)"
  let log: WatchLog
  private let session: WatchSession
  private let file: String

  init(
    _ text: String, log: WatchLog = WatchLog(), plugins: PluginSource = .none, startsNow: Bool = false
  ) throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    file = directory + "/test.yaml"
    self.log = log
    let service = try RunService(
      creatingAt: WorkspaceLocation(path: directory + "/workspace", origin: .option),
      RunService.Configuration(plugins: plugins, durability: .process, testing: TestingConditions()))
    let watched = WatchedFile(path: file, plugins: plugins) { result in
      guard let pipeline = result.pipeline else {
        throw Findings(description: result.diagnostics.map(\.code).joined(separator: ", "))
      }
      return try RunStart(of: pipeline, given: [], version: "test")
    }
    // Longer than a tick of the file system's clock (at most 10 ms), so that a file is read at a later time than it was written.
    session = WatchSession(
      service: service, file: watched, observer: log, startsNow: startsNow, settling: .milliseconds(25))
    try write(text)
  }

  /// Writes the file at a time that differs, by the clock of the file system, from events before and after it.
  func write(_ text: String) throws {
    Self.passMoment()
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    Self.passMoment()
  }

  /// Since Linux 6.13, a file whose times are read gets stamps from the fine-grained clock, which may even be ahead of the next tick if that is late.
  private static func passMoment() {
    var moment = timespec()
    clock_gettime(CLOCK_REALTIME, &moment)
    let now = Timestamp(seconds: Int64(moment.tv_sec), nanoseconds: Int64(moment.tv_nsec))
    while FileClock.now() <= now {}
  }

  func remove() throws { try FileManager.default.removeItem(atPath: file) }
  func create(_ name: String) { _ = FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil) }

  /// Watches during `body`, and checks that the watching ends when it is interrupted.
  func watch(_ body: () async throws -> Void) async throws {
    let watching = Task { try await session.run() }
    try await body()
    log.interrupt()
    try await watching.value
    try FileManager.default.removeItem(atPath: directory)
  }
}
