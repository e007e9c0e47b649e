import Glibc
import OperatingSystem
import RunHistory

/// The logs of an attempt whose process is running, as used by ``LogWatch``. *On the event loop.*
final class WatchedLogs: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  let files: LogFiles
  let index: LogIndexFile
  let directory: LogDirectory
  /// The growth noted by the masking thread; nil if the process writes to the files itself.
  let pumped: PumpedGrowths?
  let began = ContinuousClock.now
  /// Whether it writes so much that its files are measured periodically.
  var isFlooding = false
  var hasEnded = false
  /// Writes that are not part of a growth yet.
  var writes = LogWrites()
  /// Whether there are such writes.
  var isTouched = false
  /// The number of writes since `windowBegan`.
  var writesInWindow = 0
  var windowBegan: ContinuousClock.Instant
  /// Growths that are not in the index yet.
  var waiting: [LogGrowth] = []
  private var sizes = LogSizes()
  /// The sizes at the last measurement.
  private(set) var found = LogSizes()

  init(_ files: LogFiles, index: LogIndexFile, in directory: LogDirectory, pumped: PumpedGrowths?) {
    self.files = files
    self.index = index
    self.directory = directory
    self.pumped = pumped
    windowBegan = began
  }

  /// Whether its files are watched.
  var isWatched = false
  /// Whether the growth of its logs is known by any means.
  var isKnown: Bool { isWatched || isFlooding || pumped != nil }

  /// Measures the sizes of the logs.
  func measure() {
    let sizes = files.sizes()
    found = LogSizes(output: sizes.output, error: sizes.error)
  }

  /// Converts the writes to growths, now that the sizes after them are known. Returns by how many bytes the logs have grown.
  @discardableResult
  func settle(at time: RecordTime) -> Int64 {
    let (old, new) = (sizes, found)
    if old != new {
      waiting += writes.growths(from: old, to: new, content: content).map { growth in
        LogGrowth(log(isError: growth.isError).name, size: growth.size, time: time)
      }
    }
    sizes = new
    writes = LogWrites()
    isTouched = false
    return new.output - old.output + new.error - old.error
  }

  func log(isError: Bool) -> LogFile { isError ? files.errorFile : files.outputLog }

  private func content(isError: Bool, part: Range<Int64>) -> [UInt8]? {
    let descriptor = log(isError: isError).descriptor
    var bytes = [UInt8](repeating: 0, count: Int(part.upperBound - part.lowerBound))
    let count = bytes.withUnsafeMutableBytes { try? SystemCall.fill($0, from: descriptor, at: part.lowerBound) }
    return count == bytes.count ? bytes : nil
  }
}

/// The watches on the directory of a run and the logs in it. *On the event loop.*
///
/// They are removed when no process of the run has been running for a moment: while the kernel removes them, which takes some milliseconds, a process
/// with those files open cannot exit.
final class LogDirectory {
  let path: String
  /// Separates writes that would otherwise be merged into one event.
  var own: InotifyWatch?
  /// The watches of the files, by number.
  var files: [Int32: InotifyWatch] = [:]
  /// The number of running attempts.
  var running = 0
  /// How many of them write so much that individual writes are not to be reported.
  var flooding = 0

  init(_ path: String) { self.path = path }

  func endWatches() {
    own = nil
    files = [:]
  }
}
