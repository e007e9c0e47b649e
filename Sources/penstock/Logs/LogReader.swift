import Glibc
import PipelineLanguage
import PipelineService
import RunHistory
import Workspace

/// Reads the logs of a run, and follows them while it is active. The lines of an attempt are printed in the order in which they were written, as far as
/// that is known.
final class LogReader {
  private let history: History
  private let run: RunID
  private let selection: LogSelection
  private let printer: LogPrinter
  /// How many lines to print of each log that exists at the start; nil for all.
  private let tail: Int?
  private let isFollowing: Bool

  private var logs: [LogSource: LogLines] = [:]
  private var indexes: [RunID: LogIndex] = [:]
  /// The attempts that were shown in the last pass.
  private var shown: [LoggedAttempt] = []
  /// Since when a log has been holding back a line that is not yet in the index.
  private var held: [LogSource: ContinuousClock.Instant] = [:]

  /// The maximum wait in milliseconds before checking again: a host that dies sends no notification.
  private static let longestWait: Int32 = 1000
  /// How long to wait for an index that is briefly behind its logs.
  private static let patience = Duration.milliseconds(250)

  init(
    history: History, run: RunID, selection: LogSelection, printer: LogPrinter, tail: Int?, isFollowing: Bool
  ) {
    self.history = history
    self.run = run
    self.selection = selection
    self.printer = printer
    self.tail = tail
    self.isFollowing = isFollowing
  }

  func read() {
    let changes = isFollowing ? ChangeWait() : nil
    var subscriptions = changes.flatMap { changes in try? history.followAttempts { changes.end() } } ?? []
    defer { subscriptions.forEach { $0.cancel() } }
    var followed: Set<RunID> = []
    // `tail` only applies to earlier output: a log that appears later is printed from its first line.
    var isBeginning = true
    while true {
      // Checked before reading, so that everything written until the end of the run is read.
      let isOver = (try? history.run(run))??.state.isFinal ?? true
      let attempts = selection.attempts(of: run, in: history)
      if isFollowing { indexes.values.forEach { $0.refresh() } }
      for attempt in attempts {
        for run in attempt.sources.map(\.file.run) where changes != nil && !followed.contains(run) {
          guard let changes, let logs = history.followLogs(of: run, { changes.end() }) else { continue }
          subscriptions.append(logs)
          followed.insert(run)
        }
      }
      // These attempts have been superseded by later ones.
      let sources = Set(attempts.flatMap(\.sources))
      for former in shown where sources.isDisjoint(with: former.sources) {
        show(former, isOver: true, isBeginning: false)
      }
      shown = isFollowing ? attempts : []
      for attempt in attempts {
        show(attempt, isOver: isOver, isBeginning: isBeginning)
        if TextOutput.standard.isGone { return }
      }
      TextOutput.standard.flush()
      isBeginning = false
      guard let changes, !isOver else { return }
      changes.wait(milliseconds: held.isEmpty ? Self.longestWait : Int32(Self.patience / .milliseconds(1)))
      if TextOutput.standard.isGone { return }
    }
  }

  private func index(of run: RunID) -> LogIndex {
    if let known = indexes[run] { return known }
    let index = LogIndex(of: run, in: history.workspace.directory)
    indexes[run] = index
    return index
  }

  // MARK: One attempt

  /// A readable log of an attempt.
  private struct Opened {
    let source: LogSource
    let descriptor: Int32
    let isEmpty: Bool
  }

  private func show(_ attempt: LoggedAttempt, isOver: Bool, isBeginning: Bool) {
    if isOver || attempt.endedAt != nil { for source in attempt.sources { held[source] = nil } }
    let opened = attempt.sources.compactMap { source -> Opened? in
      guard let descriptor = try? source.file.open(in: history.workspace.directory).duplicate() else { return nil }
      var status = stat()
      let isKnown = fstat(descriptor, &status) == 0
      let isEmpty = !isKnown || status.st_size == 0
      if isKnown { beginAnew(source, size: Int64(status.st_size), attempt) }
      if logs[source] == nil {
        let start = isBeginning ? tail.map { LogTail.start(ofLast: $0, in: descriptor) } : nil
        logs[source] = LogLines(source, from: start ?? 0)
      }
      return Opened(source: source, descriptor: descriptor, isEmpty: isEmpty)
    }
    defer { for log in opened { close(log.descriptor) } }
    let written = opened.filter { !$0.isEmpty }
    if printer.takesBytes, written.count == 1, let only = written.first, !only.source.isBelow {
      return showBytes(of: only)
    }
    showLines(of: written, attempt, isOver: isOver)
  }

  /// Restarts a log that its process has truncated, as `> /dev/stderr` in a shell does. What was read before is printed first.
  private func beginAnew(_ source: LogSource, size: Int64, _ attempt: LoggedAttempt) {
    guard var lines = logs[source], lines.isTruncated(to: size) else { return }
    while let line = lines.next(in: -1, isOver: true) {
      printer.print(line, from: source, at: attempt.timeOfLines)
      lines.take()
    }
    logs[source] = LogLines(source, from: 0)
    held[source] = nil
    TextOutput.standard.flush()
    TextOutput.error.writeMessage(
      "penstock: '\(TerminalText.name(source.name, label: source.label))' has truncated its \(source.stream == .standardError ? "standard error" : "standard output"); what follows was written after that"
    )
  }

  /// Prints a log unchanged, because there is no second one to merge it with.
  private func showBytes(of log: Opened) {
    guard var lines = logs[log.source] else { return }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while !TextOutput.standard.isGone {
      let count = chunk.withUnsafeMutableBytes {
        pread(log.descriptor, $0.baseAddress, $0.count, off_t(lines.offset))
      }
      guard count > 0 else { break }
      printer.print(chunk[..<count], from: log.source)
      lines.skip(count)
    }
    logs[log.source] = lines
  }

  private func showLines(of written: [Opened], _ attempt: LoggedAttempt, isOver: Bool) {
    var lines = written.compactMap { logs[$0.source] }
    defer { for log in lines { logs[log.source] = log } }
    // For a single stream, the order is that of its file.
    let isAsked = written.count > 1 || printer.showsTimes
    let index = isAsked ? written.first.map { self.index(of: $0.source.file.run) } : nil
    let names = written.map(\.source.log)
    while !TextOutput.standard.isGone {
      var next: (position: Int, line: LogLines.Line, mark: LogIndex.Mark?)?
      for position in lines.indices {
        // Unterminated output waits for the rest of its line.
        let line = lines[position].next(in: written[position].descriptor, isOver: isOver || !isFollowing)
        guard let line else { continue }
        let mark = names[position].flatMap { index?.mark(of: $0, covering: line.end) }
        guard let other = next else {
          next = (position, line, mark)
          continue
        }
        // Lines that are not in the index come last, standard output first.
        guard let mark, other.mark.map({ mark.sequence < $0.sequence }) ?? true else { continue }
        next = (position, line, mark)
      }
      guard let next else { return }
      let source = lines[next.position].source
      if index != nil, isFollowing, !isOver, attempt.endedAt == nil {
        if next.mark != nil { held[source] = nil } else if holds(source) { return }
      }
      printer.print(next.line, from: source, at: next.mark?.time ?? attempt.timeOfLines)
      lines[next.position].take()
    }
  }

  /// Returns whether a line of a running process should wait for the index.
  private func holds(_ source: LogSource) -> Bool {
    let since = held[source] ?? .now
    held[source] = since
    return ContinuousClock.now - since < Self.patience
  }
}
