import Glibc
import OperatingSystem
import PluginHost
import RunHistory

/// The log of a plugin's attempt: its standard error, which no process writes. *On the loop.*
final class PluginLog: PluginAttemptObserver, @unchecked Sendable {
  // @unchecked: touched only on the loop.

  private let logs: LogFilePool
  private unowned let engine: RunEngine
  private let ordinal: Int
  private var file: LogFile?
  /// The descriptor of the open file; -1 while there is none.
  private var descriptor: Int32 = -1
  var attempt: PluginAttempt?
  /// Progress that has not been reported yet, and the timer that delays its report.
  var progress: PluginProgress?
  var timer: EventLoop.Token?
  private(set) var isClosed = false
  /// Whether something could not be written, and that was told.
  private var isIncomplete = false

  init(engine: isolated RunEngine, ordinal: Int) {
    self.engine = engine
    self.ordinal = ordinal
    logs = engine.logs
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// The attempt has something to take. The engine is there as long as the log is open.
  func hasNews() {
    if !isClosed { engine.assumeIsolated { $0.pluginTold(ordinal, self) } }
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
      engine.assumeIsolated { engine in
        engine.state.instances[ordinal].attempt?.standardError = file?.relative
      }
    }
    var text = ""
    for line in lines {
      text += line.utf8.contains(0x0A) ? line.replacing("\n", with: "\n  ") : line
      text += "\n"
    }
    do throws(SystemError) {
      try SystemCall.writeAll(Array(text.utf8), to: descriptor)
    } catch {
      isCut(.file(file?.path.string ?? "", error.number))
    }
  }

  /// The log misses something. The operation does not depend on it; whoever reads the log has to know.
  private func isCut(_ error: EngineError) {
    guard !isIncomplete else { return }
    isIncomplete = true
    engine.assumeIsolated { engine in
      engine.observer.emit(
        .notice(engine.state.id, "the log of '\(engine.state.instances[ordinal].name)' is incomplete: \(error)"))
    }
  }

  func close() {
    isClosed = true
    attempt = nil
    file = nil
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
    if let timer { engine.services.loop.cancelTimer(timer) }
    timer = nil
  }
}
