import Glibc
import OperatingSystem
import RunHistory

/// Follows what the processes of a run write, and hands it on line by line.
///
/// Of an attempt that writes nothing the file is used again by a later one, whose lines would be taken for its own. So what is read is handed on only with the
/// next look, when it is known whether the attempt had ended by then.
final class OutputFollower {
  /// One file that is followed.
  private struct Source {
    let instance: Instance
    let name: String
    let isError: Bool
    let path: String
    var offset: Int64 = 0
    /// What was read at the last look, and is not handed on yet.
    var held: [UInt8] = []
    /// The beginning of a line whose end has not come.
    var partial: [UInt8] = []
  }

  private struct Instance: Hashable {
    let run: RunID
    let ordinal: Int
  }

  private let workspace: String
  private let onLine: (_ name: String, _ isError: Bool, _ line: String) -> Void
  private var sources: [Source] = []
  /// The latest attempt of each instance that has ended: its end is told again with the delay before the next one.
  private var ended: [Instance: Int] = [:]

  /// A line that goes on for longer is handed on in parts: a program may never end it.
  private static let longestLine = 1 << 16
  /// How much of a file is read at a look, so that one that is written without end does not keep the others waiting.
  private static let mostAtOnce = 1 << 20

  /// Follows nothing yet. `workspace` is the absolute path of the workspace; lines are handed on as they are to be shown.
  init(workspace: String, onLine: @escaping (_ name: String, _ isError: Bool, _ line: String) -> Void) {
    self.workspace = workspace
    self.onLine = onLine
  }

  /// Whether there is anything to look at from time to time.
  var isFollowing: Bool { !sources.isEmpty }

  /// The process of an attempt has begun.
  func begin(_ run: RunID, _ ordinal: Int, name: String, standardOutput: String, standardError: String) {
    let instance = Instance(run: run, ordinal: ordinal)
    sources.append(Source(instance: instance, name: name, isError: false, path: standardOutput))
    sources.append(Source(instance: instance, name: name, isError: true, path: standardError))
  }

  /// The attempt has ended: hands on the rest of what it wrote. Of one without a process, such as a plugin's, that is all.
  func end(_ attempt: AttemptRecord, name: String) {
    let instance = Instance(run: attempt.run, ordinal: attempt.ordinal)
    guard ended.updateValue(attempt.number, forKey: instance) != attempt.number else { return }
    for (path, isError) in [(attempt.standardOutput, false), (attempt.standardError, true)] {
      guard let path, !sources.contains(where: { $0.instance == instance && $0.path == path }) else { continue }
      sources.append(Source(instance: instance, name: name, isError: isError, path: path))
    }
    var rest: [Source] = []
    for var source in sources {
      guard source.instance == instance else {
        rest.append(source)
        continue
      }
      guard source.path == (source.isError ? attempt.standardError : attempt.standardOutput) else { continue }
      handOn(&source)
      while read(&source) { handOn(&source) }
      handOn(&source)
      if !source.partial.isEmpty { show(source.partial, of: source) }
    }
    sources = rest
  }

  /// Looks for what has been written since the last time.
  func look() {
    for index in sources.indices {
      handOn(&sources[index])
      _ = read(&sources[index])
    }
  }

  /// Reads the next piece; true where there is more.
  private func read(_ source: inout Source) -> Bool {
    guard let descriptor = try? RunFilePath.open(source.path, in: workspace).duplicate() else { return false }
    defer { close(descriptor) }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while source.held.count < Self.mostAtOnce {
      let offset = off_t(source.offset)
      let count = chunk.withUnsafeMutableBytes { buffer in
        SystemCall.retrying { pread(descriptor, buffer.baseAddress, buffer.count, offset) }
      }
      guard count > 0 else { return false }
      source.held += chunk[..<count]
      source.offset += Int64(count)
    }
    return true
  }

  private func handOn(_ source: inout Source) {
    guard !source.held.isEmpty else { return }
    var rest = (source.partial + source.held)[...]
    source.held = []
    while let end = rest.firstIndex(of: 0x0A) {
      show(rest[..<end], of: source)
      rest = rest[(end + 1)...]
    }
    while rest.count > Self.longestLine {
      show(rest.prefix(Self.longestLine), of: source)
      rest = rest.dropFirst(Self.longestLine)
    }
    source.partial = Array(rest)
  }

  private func show(_ line: some Collection<UInt8>, of source: Source) {
    onLine(source.name, source.isError, LogTail.visible(String(decoding: line, as: UTF8.self)))
  }
}
