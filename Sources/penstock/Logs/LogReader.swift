import Glibc
import PipelineService
import RunHistory
import Workspace

/// Reads the logs of a run, and follows them while it goes on.
struct LogReader {
  let history: History
  let run: RunID
  let selection: LogSelection
  let printer: LogPrinter
  /// How many lines to begin with, of each log that is there at the beginning; nil for all.
  let tail: Int?

  /// Whoever waits looks at least this often, as a host that dies does not tell.
  private static let longestWait: Int32 = 1000

  func read(following: Bool) {
    var offsets: [LogSource: Int64] = [:]
    let changes = following ? ChangeWait() : nil
    var subscriptions = changes.flatMap { changes in try? history.followAttempts { changes.end() } } ?? []
    defer { subscriptions.forEach { $0.cancel() } }
    var followed: Set<RunID> = []
    // What is left out is of the time before: a log that comes up while it follows is new from its first line.
    var isBeginning = true
    while true {
      // Asked before reading: what is written until the run has ended is read after that.
      let isOver = (try? history.run(run))??.state.isFinal ?? true
      let sources = selection.sources(of: run, in: history)
      for source in sources {
        let run = source.file.run
        if let changes, !followed.contains(run), let logs = history.followLogs(of: run, { changes.end() }) {
          subscriptions.append(logs)
          followed.insert(run)
        }
        readNew(source, &offsets, tail: isBeginning ? tail : nil)
        // What its program has not ended stands with the rest of it.
        if !following { printer.finish(source) }
        if TextOutput.standard.isGone { return }
      }
      TextOutput.standard.flush()
      isBeginning = false
      guard let changes, !isOver else { break }
      changes.wait(milliseconds: Self.longestWait)
      if TextOutput.standard.isGone { return }
    }
    for source in offsets.keys.sorted(by: { $0.file < $1.file }) { printer.finish(source) }
  }

  private func readNew(_ source: LogSource, _ offsets: inout [LogSource: Int64], tail: Int?) {
    guard let descriptor = try? source.file.open(in: history.workspace.directory).duplicate() else { return }
    defer { close(descriptor) }
    var offset = offsets[source] ?? tail.map { start(ofLast: $0, in: descriptor) } ?? 0
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while !TextOutput.standard.isGone {
      let count = chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, off_t(offset)) }
      guard count > 0 else { break }
      printer.print(chunk[..<count], from: source)
      offset += Int64(count)
    }
    offsets[source] = offset
  }

  /// Where the last lines of a file begin.
  private func start(ofLast lines: Int, in descriptor: Int32) -> Int64 {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return 0 }
    var end = Int64(status.st_size)
    guard lines > 0 else { return end }
    var left = lines
    var isLast = true
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while end > 0 {
      let length = min(Int64(chunk.count), end)
      let count = chunk.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, Int(length), off_t(end - length)) }
      guard count == length else { return 0 }
      for index in stride(from: count - 1, through: 0, by: -1) where chunk[index] == 0x0A {
        // The line feed at the very end closes the last line.
        if isLast, end == Int64(status.st_size), index == count - 1 { continue }
        left -= 1
        if left == 0 { return end - length + Int64(index) + 1 }
      }
      isLast = false
      end -= length
    }
    return 0
  }
}
