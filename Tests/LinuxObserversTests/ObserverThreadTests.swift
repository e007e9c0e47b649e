import Glibc
import Synchronization
import Testing

@testable import LinuxObservers
@testable import Operations

@Suite("Observer thread", .timeLimit(.minutes(10)))
struct ObserverThreadTests {
  @Test("All observers share one thread, which ends with the last subscription and can start again")
  func life() async {
    await #expect(processExitsWith: .exitCode(7)) {
      guard observerThreadCount() == 0 else { exit(1) }
      for _ in 0..<3 {
        let subscriptions = [
          NetlinkObserver.shared.subscribe { _ in }, NetlinkObserver().subscribe { _ in },
          TerminalActivityObserver.shared.subscribe { _ in }, PressureStallSource().subscribe { _ in },
        ]
        while observerThreadCount() < 1 { await Task.yield() }
        guard observerThreadCount() == 1 else { exit(2) }
        for subscription in subscriptions { subscription.cancel() }
        guard !ObserverThread.shared.isRunning else { exit(3) }
        while observerThreadCount() > 0 { await Task.yield() }
      }
      exit(7)
    }
  }

  @Test("A handler may cancel its own subscription, and with it the thread", .timeLimit(.minutes(10)))
  func endInside() async throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let (reading, writing) = (try Descriptor(ends[0], from: "pipe"), try Descriptor(ends[1], from: "pipe"))
    let (calls, continuation) = AsyncStream<Void>.makeStream()
    let own = Mutex<OperationSubscription?>(nil)
    let subscription = try ObserverThread.shared.watch(reading, for: 1) { _ in
      own.withLock { $0 }?.cancel()
      continuation.yield()
    }
    own.withLock { $0 = subscription }
    write(writing.number, "!", 1)
    var told = calls.makeAsyncIterator()
    _ = await told.next()
    continuation.finish()
    #expect(await told.next() == nil)
  }
}

/// Returns the number of threads of this process that have the name of the observers' thread.
func observerThreadCount() -> Int {
  guard let directory = opendir("/proc/self/task") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while let entry = readdir(directory) {
    let thread = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { continue }
    defer { fclose(file) }
    var name = [UInt8](repeating: 0, count: 32)
    let length = fread(&name, 1, name.count, file)
    if String(decoding: name.prefix(length), as: UTF8.self).hasPrefix("penstock-observ") { count += 1 }
  }
  return count
}
