import Foundation
import Glibc
import Testing

@testable import Pipelines

@Suite("A watch of paths") struct PathWatchTests {
  /// Holds a watch until somebody lets go of it. Touched on the loop alone.
  private final class Holder: @unchecked Sendable {
    // @unchecked: see above.
    var watch: PathWatch?
  }

  @Test("may be let go of while the loop has an event for it", .timeLimit(.minutes(1))) func release() async throws {
    let loop = try EventLoop()
    try loop.start()
    let path = NSTemporaryDirectory() + "penstock-path-\(UUID().uuidString)"
    let holder = Holder()
    let (ended, ending) = AsyncStream<Void>.makeStream()
    loop.execute {
      let watch = PathWatch(loop: loop)
      _ = watch.add(path) {}
      holder.watch = watch
      // Both are readable when the loop looks again, and the first to be told lets go of the second.
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

  @Test("looks from time to time at what the kernel refuses to watch", .timeLimit(.minutes(1)))
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
}
