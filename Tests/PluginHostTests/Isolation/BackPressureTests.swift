import Foundation
import Synchronization
import Testing
import Values

@testable import PluginHost

/// A child that does not read must neither block its host nor make it buffer more than the limits.
@Suite("Children that do not read")
struct BackPressureTests {
  private static let reads = TestPlugin.Source(id: "reads") {
    $0.preamble = """
      #include <stdio.h>
      #include <fcntl.h>
      #include <signal.h>
      #include <unistd.h>
      #include <stdatomic.h>
      static _Atomic int answers, good;
      static void answered(void *context, penstock_status status, penstock_text value) {
        test_instance *me = context;
        if (status == PENSTOCK_OK && value.length == 100002) good++;
        if (++answers == 100) {
          char text[20];
          int length = snprintf(text, sizeof text, "%d", (int)good);
          instances->complete(host, me->id, (penstock_text){text, (size_t)length});
        }
      }
      """
    $0.start = """
      if (says(input, "hang")) {
        instances->progress(host, me->id, PENSTOCK_TEXT("{}"));
        // Not only this thread: the child must not tell that it hangs before its host has found that out.
        for (;;) raise(SIGSTOP);
      }
      if (says(input, "ask")) {
        // From within `start`, where the thread that reads is, until somebody opens the FIFO.
        const penstock_workspace_service *workspace = host->service(host, PENSTOCK_WORKSPACE);
        for (int i = 0; i < 100; i++) workspace->get(host, me->id, PENSTOCK_TEXT("large"), answered, me);
        const char *from = strchr(me->settings.bytes, '/');
        char *path = copy((penstock_text){from, strlen(from)});
        *strchr(path, '"') = 0;
        close(open(path, O_WRONLY));
        free(path);
        return;
      }
      if (says(input, "flood")) {
        // Requests of an instance that there is not, each of which is answered at once.
        unsigned char frames[26 * 1000] = {0};
        for (int i = 0; i < 1000; i++) {
          unsigned char *frame = frames + 26 * i;
          frame[0] = 13; frame[4] = 76; frame[13] = 99; frame[21] = 1;
        }
        while (write(3, frames, sizeof frames) > 0) continue;
        return;
      }
      instances->complete(host, me->id, input);
      """
  }

  private let clock = WatchedClock()

  private func plugin(_ room: OutgoingQueue.Room) throws -> IsolatedTestPlugin {
    try IsolatedTestPlugin(Self.reads, clock: clock) { $0.room = room }
  }

  private func room(_ limit: Int, most: Int = .max) -> OutgoingQueue.Room {
    var room = OutgoingQueue.Room()
    room.limit = limit
    room.most = most
    return room
  }

  @Test("new instances are rejected at once, with a reason, when too many bytes are waiting")
  func instances() async throws {
    let plugin = try plugin(room(1 << 20))
    let hanging = RecordedEvents()
    try plugin.start(input: ["requirement": "hang"], events: hanging)
    await hanging.wait { !$0.isEmpty }
    let large = JSONValue.string(String(repeating: "x", count: 100_000))
    var started: [RecordedEvents] = []
    // The socket takes some, the queue ten and one more, and the rest is refused although nothing has been read.
    for _ in 0..<30 {
      let events = RecordedEvents()
      try plugin.start(input: ["requirement": large], events: events)
      started.append(events)
    }
    _ = await started[29].waitForEnd()
    #expect(
      started[29].all == [
        .failed("plugin-unresponsive", "plugin 'reads' does not read its input: more than 1 MiB are waiting")
      ])
    let waiting = started.filter { $0.all.isEmpty }.count
    #expect(waiting >= 11 && waiting < 20)
    // The child is found to hang, like any other, and the waiting instances end too.
    for _ in 1...3 {
      await clock.begins(.seconds(5))
      clock.advance(by: .seconds(5))
    }
    for events in started { #expect(await events.waitForEnd() != nil) }
    #expect(started[0].failure == "plugin-unresponsive")
    await plugin.connection.close()
  }

  @Test("questions wait while the child does not read their answers, and are all answered once it does")
  func questions() async throws {
    let scratch = try Scratch()
    let fifo = scratch("go")
    try #require(mkfifo(fifo, 0o600) == 0)
    let plugin = try plugin(room(1 << 20))
    let storage = CountedStorage(.string(String(repeating: "y", count: 100_000)))
    let events = RecordedEvents()
    try plugin.start(
      settings: ["path": .string(fifo)], input: ["requirement": "ask"], access: PluginAccess(storage: storage),
      events: events)
    // More than 1 MiB of answers is waiting, so no more are prepared.
    await storage.wait(for: 11)
    for _ in 0..<1000 { await Task.yield() }
    #expect(storage.count <= 11 + OpenQuestions.mostRunning + 8)
    await TestThread { close(open(fifo, O_RDONLY)) }.wait()
    let end = await events.waitForEnd()
    #expect(end == .ended(100))
    #expect(storage.mostAtATime <= OpenQuestions.mostRunning)
    await plugin.connection.close()
  }

  @Test("a child that asks endlessly and reads no answer is ended")
  func flood() async throws {
    let plugin = try plugin(room(1 << 20, most: 2 << 20))
    let events = RecordedEvents()
    try plugin.start(input: ["requirement": "flood"], events: events)
    let end = await events.waitForEnd()
    #expect(
      end
        == .failed(
          "plugin-unresponsive",
          "plugin 'reads' does not read its input: 1 MiB are waiting while it ran 'reads'"))
    await plugin.connection.close()
  }

  @Test("a queue keeps the order of bytes that it could not write, and frees those that it wrote")
  func queue() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    var queue = OutgoingQueue()
    var sent: [UInt8] = []
    for number in 0..<100 {
      let message = [UInt8](repeating: UInt8(number), count: 30_000)
      queue.write(message, to: ends[0])
      sent += message
    }
    #expect(queue.count > 1 << 20)
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 50_000)
    while received.count < sent.count {
      let count = read(ends[1], &buffer, buffer.count)
      try #require(count > 0)
      received += buffer[..<count]
      queue.writeMore(to: ends[0])
    }
    #expect(received == sent)
    #expect(queue.count == 0)
  }
}

/// A storage with one value that counts requests.
private final class CountedStorage: PluginStorage {
  private struct State {
    var count = 0
    var atATime = 0
    var mostAtATime = 0
    var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  private let value: JSONValue
  private let state = Mutex(State())

  init(_ value: JSONValue) { self.value = value }

  var count: Int { state.withLock { $0.count } }
  var mostAtATime: Int { state.withLock { $0.mostAtATime } }

  func wait(for count: Int) async {
    await withCheckedContinuation { continuation in
      let isReached = state.withLock { state in
        if state.count < count { state.waiting.append((count, continuation)) }
        return state.count >= count
      }
      if isReached { continuation.resume() }
    }
  }

  func value(of key: String) async throws(PluginAccessError) -> JSONValue {
    let ready = state.withLock { state in
      state.count += 1
      state.atATime += 1
      state.mostAtATime = max(state.mostAtATime, state.atATime)
      let ready = state.waiting.filter { $0.count <= state.count }
      let count = state.count
      state.waiting.removeAll { $0.count <= count }
      return ready
    }
    for waiter in ready { waiter.continuation.resume() }
    await Task.yield()
    state.withLock { $0.atATime -= 1 }
    return value
  }

  func set(_ value: JSONValue?, for key: String) async throws(PluginAccessError) { throw .unavailable }
  func keys(beginningWith prefix: String) async throws(PluginAccessError) -> [String] { throw .unavailable }
}
