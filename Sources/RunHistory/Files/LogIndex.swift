import Glibc
import OperatingSystem

/// The times at which the lines of a run's logs were written, and the order of the two streams of an attempt: read from the index files that its
/// hosts kept with the logs.
///
/// Missing, truncated or damaged parts are treated as absent. The order is that of the host that ran the attempt, accurate to some milliseconds.
package final class LogIndex {
  /// A position in the order of the logs.
  package struct Mark: Sendable, Hashable {
    /// Increases with each growth of any log of the same host.
    package let sequence: Int
    package let time: RecordTime
  }

  private struct Growth {
    let size: Int64
    let mark: Mark
  }

  /// An index file, and how far it was read.
  private struct File {
    var offset: Int64 = 0
    var isOver = false
  }

  private let run: RunID
  private let workspace: String
  /// The requested logs; nil for all.
  private let logs: Set<LogName>?
  private var files: [String: File] = [:]
  private var growths: [LogName: [Growth]] = [:]
  private var count = 0

  /// The maximum number of growths, which take 200 MB of memory; more are skipped.
  private static let mostGrowths = 8 << 20
  private static let chunkSize = 1 << 20

  /// Reads the existing index files.
  ///
  /// - Parameters:
  ///   - run: The run.
  ///   - workspace: The directory of the workspace.
  ///   - logs: The paths of the requested logs, as in records. Default: all.
  package init(of run: RunID, in workspace: String, logs: [String]? = nil) {
    self.run = run
    self.workspace = workspace
    self.logs = logs.map { Set($0.compactMap { RunFilePath($0).flatMap { LogName($0.name) } }) }
    refresh()
  }

  /// Reads what has been written since.
  package func refresh() {
    for name in RunFilePath.names(of: run, in: workspace) where LogIndexCoding.isIndex(name) { read(name) }
  }

  /// Returns the position of a log when it first had at least `end` bytes, or nil if no index contains it.
  package func mark(of log: LogName, covering end: Int64) -> Mark? {
    guard let growths = growths[log] else { return nil }
    // The first one that is large enough.
    var (low, high) = (0, growths.count)
    while low < high {
      let middle = (low + high) / 2
      if growths[middle].size < end { low = middle + 1 } else { high = middle }
    }
    return low < growths.count ? growths[low].mark : nil
  }

  /// Whether anything is known about a log.
  package func knows(_ log: LogName) -> Bool { growths[log] != nil }

  private func read(_ name: String) {
    var file = files[name] ?? File()
    defer { files[name] = file }
    guard !file.isOver, let path = RunFilePath("runs/\(run.text)/\(name)"), let opened = try? path.open(in: workspace)
    else { return }
    var bytes: [UInt8] = []
    while !file.isOver {
      let start = bytes.count
      let offset = file.offset + Int64(start)
      bytes += [UInt8](repeating: 0, count: Self.chunkSize)
      let filled = bytes[start...].withUnsafeMutableBytes { buffer in
        (try? SystemCall.fill(buffer, from: opened.descriptor, at: offset)) ?? 0
      }
      bytes.removeLast(Self.chunkSize - filled)
      var content = bytes[...]
      if file.offset == 0 {
        guard content.count >= LogIndexCoding.mark.count else { return }
        guard content.starts(with: LogIndexCoding.mark) else {
          file.isOver = true
          return
        }
        content = content.dropFirst(LogIndexCoding.mark.count)
      }
      guard let done = LogIndexCoding.read(content, add) else {
        file.isOver = true
        return
      }
      file.offset += Int64(content.startIndex + done)
      bytes = Array(content.dropFirst(done))
      if filled < Self.chunkSize { return }
    }
  }

  private func add(_ growth: LogGrowth) {
    guard logs?.contains(growth.log) != false, count < Self.mostGrowths else { return }
    let mark = Mark(sequence: count, time: growth.time)
    count += 1
    var known = growths.removeValue(forKey: growth.log) ?? []
    // It was truncated, and rewritten from there.
    while let last = known.last, last.size > growth.size { known.removeLast() }
    if known.last?.size != growth.size { known.append(Growth(size: growth.size, mark: mark)) }
    growths[growth.log] = known
  }
}
