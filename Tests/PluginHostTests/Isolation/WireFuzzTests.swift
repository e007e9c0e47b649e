import CProcess
import Foundation
import Glibc
import OperationsTesting
import Synchronization
import Testing
import Values

@testable import PluginHost

/// Mutated messages in both directions: 2,000 each in every test run, 100,000 with `PENSTOCK_SOAK=full`. `PENSTOCK_SOAK_SEED` selects others.
@Suite("Mutated messages between a host and its child host")
struct WireFuzzTests {
  private static let isFull = ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full"
  private static let count = isFull ? 100_000 : 2_000
  private static let seed =
    ProcessInfo.processInfo.environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? 20_261_122

  /// Corrupts one frame: its header, its payload, or its length.
  private static func spoil(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: bytes[place] = .random(in: 0...255, using: &random)
      case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
      case 2: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...9, using: &random)))
      case 3: bytes.insert(contentsOf: [0x22, 0x7B, 0x00, 0xFF].shuffled(using: &random), at: place)
      case 4 where bytes.count > Frame.headerSize: bytes[Int.random(in: 0..<Frame.headerSize, using: &random)] = 255
      default:
        // The payload alone, with a matching length, which gets furthest.
        guard bytes.count > Frame.headerSize else { break }
        bytes[Int.random(in: Frame.headerSize..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        let length = UInt32(bytes.count - Frame.headerSize)
        for index in 0..<4 { bytes[index] = UInt8(truncatingIfNeeded: length >> UInt32(8 * index)) }
      }
    }
    return bytes
  }

  @Test("decoders of both sides refuse them with a reason, or accept them")
  func decoders() {
    var random = SeededRandom(seed: Self.seed)
    let corpus = MessageTests.host.map(\.bytes) + MessageTests.child.map(\.bytes)
    var (refused, understood) = (0, 0)
    for _ in 0..<Self.count {
      let bytes = Self.spoil(corpus[Int.random(in: 0..<corpus.count, using: &random)], &random)
      var decoder = FrameDecoder()
      bytes.withUnsafeBytes { decoder.append($0) }
      do throws(WireError) {
        while let frame = try decoder.next() {
          do throws(WireError) { _ = try HostMessage(frame) } catch { _ = try ChildMessage(frame) }
          understood += 1
        }
      } catch {
        refused += 1
        if error.description.isEmpty { Issue.record("a refusal without a reason") }
      }
      #expect(decoder.pending <= bytes.count)
    }
    // Both outcomes must occur, or the mutations are of no use.
    #expect(refused > 0 && understood > 0)
  }

  @Test("a real child exits by itself and never by a signal, whatever its host sends")
  func child() throws {
    var random = SeededRandom(seed: Self.seed &+ 1)
    let path = try TestPlugin.compile(TestPlugin.Source(id: "fuzzed"))
    let file = try OpenFile(path)
    let hello = HostMessage.hello(ChildHello(path: path, memory: 512 << 20, descriptors: 64)).bytes
    let corpus = MessageTests.host.filter {
      if case .hello = $0 { false } else { $0 != .close }
    }.map(\.bytes)
    var sent = 0
    while sent < Self.count {
      let child = try RawChild(path: path, file: file)
      child.write(hello)
      // Its reader stops at the first invalid frame, so unchanged ones come first.
      var batch: [UInt8] = []
      for _ in 0..<200 where sent < Self.count {
        batch += Self.spoil(corpus[Int.random(in: 0..<corpus.count, using: &random)], &random)
        sent += 1
      }
      child.write(batch)
      let end = child.finish()
      // 0 is the end of the connection, 76 is an invalid message.
      #expect(end.signal == 0 && [0, 76].contains(end.exit_code), "seed \(Self.seed), after \(sent): \(end)")
    }
  }

  @Test("a host refuses the messages of a hostile child, fails the attempts, and survives")
  func host() async throws {
    var random = SeededRandom(seed: Self.seed &+ 2)
    // Each start of the operation makes the child itself send the given bytes, as a plugin that overwrites its host would.
    let source = TestPlugin.Source(id: "hostile") {
      $0.preamble = """
        #include <unistd.h>
        static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }
        """
      $0.start = """
        const char *next = memmem(input.bytes, input.length, "hex:", 4);
        if (!next) return;
        unsigned char bytes[1 << 16];
        size_t count = 0;
        for (next += 4; *next != '"' && count < sizeof bytes; next += 2) bytes[count++] = (unsigned char)(digit(next[0]) << 4 | digit(next[1]));
        if (write(3, bytes, count) < 0) _exit(1);
        _exit(0);
        """
    }
    let corpus = MessageTests.child.map(\.bytes)
    let clock = ImmediatePluginClock()
    let plugin = try IsolatedTestPlugin(source, clock: clock)
    var sent = 0
    while sent < Self.count {
      var batch: [UInt8] = []
      for _ in 0..<100 where sent < Self.count {
        batch += Self.spoil(corpus[Int.random(in: 0..<corpus.count, using: &random)], &random)
        sent += 1
      }
      let hexadecimal = batch.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      let events = RecordedEvents()
      try plugin.start(input: ["requirement": .string("hex:" + hexadecimal)], events: events)
      _ = await events.waitForEnd()
      #expect(events.ends.count == 1, "seed \(Self.seed), after \(sent)")
    }
    await plugin.connection.close()
  }
}

/// A child host to whose connection a test writes directly.
private struct RawChild {
  private let socket: Int32
  private let output: Int32
  private let descriptor: Int32

  init(path: String, file: OpenFile) throws {
    var ends: [Int32] = [-1, -1]
    guard penstock_socket_pair(&ends) == 0 else { throw TestPluginError(message: "no sockets") }
    output = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let launch = ChildLaunch(command: [IsolatedTestPlugin.program], name: "fuzzed", path: path, file: file)
    descriptor = try launch.spawn(socket: ends[1], output: output).descriptor
    close(ends[1])
    socket = ends[0]
  }

  func write(_ bytes: [UInt8]) {
    var offset = 0
    while offset < bytes.count {
      let count = bytes.withUnsafeBytes {
        send(socket, $0.baseAddress.map { $0 + offset }, bytes.count - offset, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      offset += count
    }
  }

  /// Closes the connection, and waits for the end.
  func finish() -> penstock_exit {
    shutdown(socket, Int32(SHUT_WR))
    // Read the child's messages so that it does not block on them.
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while recv(socket, &buffer, buffer.count, 0) > 0 {}
    var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&poller, 1, -1) < 1 {}
    var exit = penstock_exit()
    penstock_reap(descriptor, &exit)
    for descriptor in [socket, output, descriptor] { close(descriptor) }
    return exit
  }
}

/// A clock whose pauses end at once; limits of more than ten seconds and pings of children are never reached.
private final class ImmediatePluginClock: PluginClock {
  private let clock = SystemPluginClock.shared

  func now() -> Int64 { clock.now() }
  func monotonic() -> Int64 { clock.monotonic() }
  func wake(at instant: Int64, _ body: @escaping @Sendable () -> Void) -> PluginAlarm { clock.wake(at: instant, body) }
  func wake(after delay: Duration, _ body: @escaping @Sendable () -> Void) -> PluginAlarm {
    // Pauses before a start double from 100 ms and never equal a limit of ChildTimeLimits.
    let isPause = delay != .seconds(15) && delay != .seconds(5) && delay != .seconds(3) && delay != .seconds(1)
    return clock.wake(after: isPause ? .zero : delay, body)
  }
}
