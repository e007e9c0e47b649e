import Glibc
import OperatingSystem
import PluginHost
import RunHistory

/// The log of a plugin's attempt: its standard error, which is not written by a process. *On the event loop.*
final class PluginLog: PluginAttemptObserver, @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  private let logs: LogFilePool
  private unowned let run: Run
  private let ordinal: Int
  private var file: LogFile?
  /// The descriptor of the open file; -1 if there is none.
  private var descriptor: Int32 = -1
  /// How much was written, in bytes.
  private var size: Int64 = 0
  var attempt: PluginAttempt?
  /// Progress that has not been reported yet, and the timer that delays its report.
  private var progress: PluginProgress?
  private var timer: EventLoop.Token?
  private(set) var isClosed = false
  /// Whether a failure to write has been reported.
  private var isIncomplete = false

  init(run: Run, ordinal: Int) {
    self.run = run
    self.ordinal = ordinal
    logs = run.logs
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Notes that the attempt has something to take. The run exists as long as the log is open.
  func hasNews() { takeNews() }

  /// Takes what the instance has logged, and its progress.
  func takeNews(isLast: Bool = false) {
    guard !isClosed, let attempt else { return }
    let (lines, progress) = attempt.take()
    let masker = run.state.given.masker
    if !lines.isEmpty { write(lines.map { masker.mask($0) }) }
    if var progress, !isLast {
      progress.message = progress.message.map { masker.mask($0) }
      self.progress = progress
      if timer == nil { tellProgress() }
    }
    if isLast { close() }
  }

  /// Reports the latest progress, and the next one at least a tenth of a second later.
  private func tellProgress() {
    guard let progress, !isClosed else { return timer = nil }
    self.progress = nil
    run.observer.emit(.progress(run.id, ordinal: ordinal, progress))
    timer = run.services.loop.schedule(after: .milliseconds(100)) { [weak self] in self?.tellProgress() }
  }

  func write(_ lines: [String]) {
    if file == nil {
      guard !isIncomplete else { return }
      // An operation whose log cannot be opened still runs.
      do throws(EngineError) {
        let file = try logs.takeError()
        self.file = file
        descriptor = open(file.path.pointer, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(file.path.string, errno) }
      } catch {
        return isCut(error)
      }
      run.state.instances[ordinal].attempt?.standardError = file?.relative
    }
    var text = ""
    for line in lines {
      text += line.utf8.contains(0x0A) ? line.replacing("\n", with: "\n  ") : line
      text += "\n"
    }
    do throws(SystemError) {
      let bytes = Array(text.utf8)
      try SystemCall.writeAll(bytes, to: descriptor)
      size += Int64(bytes.count)
      guard let file else { return }
      run.services.executors.local.logWatch.append(
        LogGrowth(file.name, size: size, time: run.services.now()), to: logs.index)
    } catch {
      isCut(.file(file?.path.string ?? "", error.number))
    }
  }

  /// Reports that the log is incomplete. The operation does not depend on it, but readers of the log have to know.
  private func isCut(_ error: EngineError) {
    guard !isIncomplete else { return }
    isIncomplete = true
    run.observer.emit(.notice(run.id, "the log of '\(run.state.instances[ordinal].name)' is incomplete: \(error)"))
  }

  func close() {
    isClosed = true
    attempt = nil
    file = nil
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    if let timer { run.services.loop.cancelTimer(timer) }
    timer = nil
  }
}
