import CProcess
import Glibc
import PipelineService
import RunHistory

/// Reads the logs of a run, and follows them while it goes on.
struct LogReader {
  let history: History
  let run: RunID
  let selection: LogSelection
  let printer: LogPrinter
  /// How many lines to begin with, of each log that is there at the beginning; nil for all.
  let tail: Int?

  /// Whoever waits looks at least this often, since a notification can be missed.
  private static let longestWait: Int32 = 1000

  func read(following: Bool) {
    var offsets: [LogSource: Int64] = [:]
    let watch = following ? LogWatch(workspace: history.workspace.directory) : nil
    defer { watch?.end() }
    // What is left out is of the time before: a log that comes up while it follows is new from its first line.
    var isBeginning = true
    while true {
      // Asked before reading: what is written until the run has ended is read after that.
      let isOver = (try? history.run(run))??.state.isFinal ?? true
      let sources = selection.sources(of: run, in: history)
      for source in sources {
        watch?.add(directory: "\(history.workspace.directory)/runs/\(source.file.run)")
        readNew(source, &offsets, tail: isBeginning ? tail : nil)
        if TextOutput.standard.isGone { return }
      }
      TextOutput.standard.flush()
      isBeginning = false
      guard let watch, !isOver else { break }
      watch.wait(milliseconds: Self.longestWait)
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

/// Waits until something may have been written: to the database, to the notification file, or to a log.
final class LogWatch {
  private let descriptor: Int32
  private var directories: Set<String> = []

  init(workspace: String) {
    descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    add(directory: workspace)
  }

  func add(directory: String) {
    guard descriptor >= 0, directories.insert(directory).inserted else { return }
    inotify_add_watch(descriptor, directory, UInt32(IN_MODIFY | IN_CREATE))
  }

  /// Returns when something was written, when nobody reads our output any more, or after the time.
  func wait(milliseconds: Int32) {
    var waits = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      // A pipe whose reader has gone reports an error without being asked.
      pollfd(fd: TextOutput.standard.descriptor, events: 0, revents: 0),
    ]
    poll(&waits, 2, milliseconds)
    if waits[1].revents & Int16(POLLERR | POLLHUP) != 0 {
      TextOutput.standard.giveUp()
      return
    }
    // A burst of writes is read in one go.
    usleep(20_000)
    var chunk = [UInt8](repeating: 0, count: 4096)
    while chunk.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) > 0 {}
  }

  func end() {
    if descriptor >= 0 { close(descriptor) }
  }
}
