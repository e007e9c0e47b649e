import Glibc
import OperatingSystem
import RunHistory

/// The index of a run's logs, as this host writes it: a separate file, created when there is something to write. *On the event loop.*
///
/// No run depends on it: if it cannot be written, it ends there.
final class LogIndexFile {
  /// Creates the file; returns nil if that fails.
  private let create: () -> (path: String, descriptor: Int32)?
  private var path: String?
  private var descriptor: Int32 = -1
  private var isLost = false
  private var waiting: [LogGrowth] = []
  /// When it was last written.
  private(set) var flushed: ContinuousClock.Instant?

  /// `create` opens a new file for writing.
  init(create: @escaping () -> (path: String, descriptor: Int32)?) { self.create = create }

  deinit { close() }

  /// Whether something has not been written yet.
  var hasWaiting: Bool { !waiting.isEmpty }

  func append(_ growths: some Sequence<LogGrowth>) {
    if !isLost { waiting += growths }
  }

  /// Writes what has accumulated.
  func flush() {
    guard !waiting.isEmpty, !isLost else { return }
    flushed = .now
    var bytes: [UInt8] = []
    if descriptor < 0 {
      if let path {
        descriptor = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return lose() }
      } else {
        guard let created = create() else { return lose() }
        (path, descriptor) = (created.path, created.descriptor)
        bytes = LogIndexCoding.mark
      }
    }
    LogIndexCoding.write(waiting, to: &bytes)
    waiting.removeAll(keepingCapacity: true)
    // Truncation by a full disk ends the file for every reader.
    do throws(SystemError) { try SystemCall.writeAll(bytes, to: descriptor) } catch { lose() }
  }

  /// Closes the descriptor until there is something to write again.
  func rest() {
    flush()
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }

  /// Writes the rest. Nothing may be appended afterwards.
  func close() {
    flush()
    lose()
  }

  private func lose() {
    isLost = true
    waiting = []
    if descriptor >= 0 { Glibc.close(descriptor) }
    descriptor = -1
  }
}
