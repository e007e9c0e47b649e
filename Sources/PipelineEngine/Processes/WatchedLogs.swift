import Glibc
import OperatingSystem
import RunHistory

/// The logs of an attempt whose process runs, as a ``LogWatch`` has them. *On the loop.*
final class WatchedLogs: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  let files: LogFiles
  let index: LogIndexFile
  let directory: LogDirectory
  /// What the masking thread notes; nil where the process writes to the files itself.
  let pumped: PumpedGrowths?
  let began = ContinuousClock.now
  /// Whether it writes so much that its files are looked at from time to time.
  var isFlooding = false
  var hasEnded = false
  /// Writes that no growth tells of yet.
  var writes = LogWrites()
  /// Whether there are such.
  var isTouched = false
  /// Writes since `windowBegan`.
  var writesInWindow = 0
  var windowBegan: ContinuousClock.Instant
  /// What the index does not have yet.
  var waiting: [LogGrowth] = []
  private var sizes = LogSizes()
  /// As they were measured last.
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
  /// Whether anything tells how its logs grow.
  var isKnown: Bool { isWatched || isFlooding || pumped != nil }

  /// Looks how large the logs are.
  func measure() {
    let sizes = files.sizes()
    found = LogSizes(output: sizes.output, error: sizes.error)
  }

  /// Takes the writes, now that the sizes after them are known. Returns by how many bytes the logs have grown.
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

/// The watches on the directory of a run and the logs in it. *On the loop.*
///
/// They end when no process of the run has run for a moment: while the kernel ends them, which takes some milliseconds, a process that had them cannot end.
final class LogDirectory {
  let path: String
  /// Keeps writes apart that would be one event otherwise.
  var own: InotifyWatch?
  /// By their numbers.
  var files: [Int32: InotifyWatch] = [:]
  /// How many attempts run.
  var running = 0
  /// How many of them write so much that nothing is to be told of each write.
  var flooding = 0

  init(_ path: String) { self.path = path }

  func endWatches() {
    own = nil
    files = [:]
  }
}
