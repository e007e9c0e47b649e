import Foundation
import Glibc
import Testing

@testable import PipelineEngine

@Suite("A watch of paths") struct PathWatchTests {
  /// Retains a watch until it is released. Accessed only on the event loop.
  private final class Holder: @unchecked Sendable {
    // @unchecked: see above.
    var watch: PathWatch?
  }

  @Test("may be released while the event loop has an event for it", .timeLimit(.minutes(10))) func release()
    async throws
  {
    let loop = try EventLoop()
    try loop.start()
    let path = NSTemporaryDirectory() + "penstock-path-\(UUID().uuidString)"
    let holder = Holder()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    loop.execute {
      let watch = PathWatch(loop: loop)
      _ = watch.add(path) {}
      holder.watch = watch
      // Both are readable at the next check, and the first handler releases the second.
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      let (readEnd, writeEnd) = (ends[0], ends[1])
      _ = try? loop.watch(readEnd) {
        holder.watch = nil
        var byte: UInt8 = 0
        read(readEnd, &byte, 1)
        loop.execute {
          close(readEnd)
          close(writeEnd)
          ending.finish()
        }
      }
      var byte: UInt8 = 0
      write(writeEnd, &byte, 1)
      close(creat(path, 0o600))
    }
    for await _ in ended {}
    loop.stop()
    unlink(path)
  }

  /// Calls back when it is released. Accessed only on the event loop.
  private final class Last {
    private let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
    deinit { body() }
  }

  @Test("lets an observer that retains another one be removed") func removal() async throws {
    let loop = try EventLoop()
    try loop.start()
    let path = NSTemporaryDirectory() + "penstock-path-\(UUID().uuidString)"
    let (ended, ending) = AsyncStream<Void>.makeStream()
    loop.execute {
      let watch = PathWatch(loop: loop)
      let other = watch.add(path) {}
      let last = Last {
        watch.remove(other)
        ending.finish()
      }
      let entry = watch.add(path) { withExtendedLifetime(last) {} }
      // After this, only the closure retains it.
      loop.execute { watch.remove(entry) }
    }
    for await _ in ended {}
    loop.stop()
  }

  @Test("polls what the kernel refuses to watch", .timeLimit(.minutes(10)))
  func refusal() async throws {
    let loop = try EventLoop()
    try loop.start()
    let path = NSTemporaryDirectory() + "penstock-path-\(UUID().uuidString)"
    let holder = Holder()
    let (changes, sink) = AsyncStream<Void>.makeStream()
    loop.execute {
      let watch = PathWatch(loop: loop, pollingInterval: .milliseconds(1)) { _, _, _ in
        errno = ENOSPC
        return -1
      }
      _ = watch.add(path) { sink.yield() }
      holder.watch = watch
      close(creat(path, 0o600))
    }
    var times = 0
    for await _ in changes {
      times += 1
      if times == 2 { break }
      unlink(path)
    }
    loop.execute { holder.watch = nil }
    loop.stop()
  }

  /// What happens until `out/ready` exists.
  private static let ways: [(before: String, then: [String])] = [
    ("mkdir out", ["touch out/ready"]),
    ("", ["mkdir out", "touch out/ready"]),
    ("mkdir out", ["rm -r out", "mkdir out", "touch out/ready"]),
    ("mkdir out", ["rm -r out; mkdir out; touch out/ready"]),
    ("mkdir out out.new; touch out.new/ready", ["mv out out.old; mv out.new out"]),
    ("mkdir r1 r2; touch r2/ready; ln -s r1 out", ["ln -sfn r2 out"]),
    ("mkdir -p r1 r2/sub; ln -s r1 link; ln -s link/sub out", ["ln -sfn r2 link", "touch r2/sub/ready"]),
    ("mkdir out; ln -s ../target out/ready", ["touch target"]),
    ("ln -s ./real out", ["mkdir real; touch real/ready"]),
    ("mkdir out real; ln -s \"$PWD/real/file\" out/ready", ["touch real/file"]),
  ]

  @Test("notices replaced directories and links on the way", .timeLimit(.minutes(10)), arguments: ways.indices)
  func replacements(index: Int) async throws {
    let way = Self.ways[index]
    let directory = NSTemporaryDirectory() + "penstock-path-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    func shell(_ script: String) {
      guard !script.isEmpty else { return }
      #expect(system("cd '\(directory)' && { \(script); }") == 0)
    }
    shell(way.before)
    let loop = try EventLoop()
    try loop.start()
    let holder = Holder()
    let (changes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let (begun, beginning) = AsyncStream<Void>.makeStream()
    loop.execute {
      let watch = PathWatch(loop: loop)
      _ = watch.add(directory + "/out/ready") { sink.yield() }
      holder.watch = watch
      beginning.finish()
    }
    for await _ in begun {}
    // Each step except the last only has to be survived, whenever it is noticed.
    for step in way.then { shell(step) }
    for await _ in changes where access(directory + "/out/ready", F_OK) == 0 { break }
    loop.execute { holder.watch = nil }
    loop.stop()
    try FileManager.default.removeItem(atPath: directory)
  }
}
