import Foundation
import Testing
import Values

@testable import PluginHost

/// Signals belong to the whole process: one test at a time, with signals that nothing else uses.
@Suite("signals.on", .serialized)
struct SignalsOnTests {
  private func reruns(_ events: [RecordedEvents.Event]) -> [JSONValue] {
    events.compactMap { if case .yielded(.rerun(let event)) = $0 { event } else { nil } }
  }

  @Test("A signal to the process requests a run, and names the sender")
  func rerun() async throws {
    let events = RecordedEvents()
    let instance = try SignalsPlugin().start("signals.on", ["signal": "USR1"], events)
    kill(getpid(), SIGUSR1)
    let told = reruns(await events.wait { !$0.isEmpty })
    let pid = Int64(getpid())
    #expect(
      told == [
        [
          "reason": .string("signal USR1 from process \(pid)"), "signal": "USR1",
          "sender": ["pid": .int(pid), "uid": .int(Int64(getuid()))],
        ]
      ])
    instance.stop(grace: .seconds(5))
    #expect(await events.waitForEnd() == .ended(nil))
    instance.destroy()
  }

  // The kernel chooses a thread of the process for each, so of two at the same moment, either may be the first.
  @Test("Real-time signals are all passed on, with their values")
  func realTime() async throws {
    let events = RecordedEvents()
    let instance = try SignalsPlugin().start("signals.on", ["signal": "RTMIN+7"], events)
    let number = __libc_current_sigrtmin() + 7
    for value in 1...50 { #expect(sigqueue(getpid(), number, sigval(sival_int: Int32(value))) == 0) }
    let told = reruns(await events.wait { $0.count >= 50 })
    #expect(told.compactMap { $0["value"]?.intValue }.sorted() == (1...50).map(Int64.init))
    #expect(told[0]["signal"] == "RTMIN+7")
    instance.destroy()
  }

  @Test("Two controllers receive the same signal, each until it is stopped, and then the old handling is restored")
  func twoControllers() async throws {
    let plugin = try SignalsPlugin()
    var before = sigaction()
    sigaction(SIGUSR2, nil, &before)
    let (first, second) = (RecordedEvents(), RecordedEvents())
    let one = try plugin.start("signals.on", ["signal": "USR2"], first)
    let other = try plugin.start("signals.on", ["signal": "USR2"], second)
    kill(getpid(), SIGUSR2)
    await first.wait { !$0.isEmpty }
    await second.wait { !$0.isEmpty }
    one.stop(grace: .seconds(5))
    #expect(await first.waitForEnd() == .ended(nil))
    kill(getpid(), SIGUSR2)
    await second.wait { $0.count == 2 }
    #expect(reruns(first.all).count == 1)
    one.destroy()
    other.destroy()
    var after = sigaction()
    sigaction(SIGUSR2, nil, &after)
    #expect(Self.handler(after) == Self.handler(before))
  }

  @Test("A previous handler of the process is still called, and is restored in the end")
  func chain() async throws {
    let number = __libc_current_sigrtmin() + 9
    var ours = sigaction()
    ours.__sigaction_handler.sa_handler = { _ in handled.pointee += 1 }
    var former = sigaction()
    sigaction(number, &ours, &former)
    defer { sigaction(number, &former, nil) }
    let events = RecordedEvents()
    let instance = try SignalsPlugin().start("signals.on", ["signal": "RTMIN+9"], events)
    kill(getpid(), number)
    await events.wait { !$0.isEmpty }
    #expect(handled.pointee == 1)
    instance.destroy()
    var after = sigaction()
    sigaction(number, nil, &after)
    #expect(Self.handler(after) == Self.handler(ours))
  }

  @Test(
    "Signals with a meaning for hosts are refused, with a list of the usable ones",
    arguments: [
      "INT", "TERM", "KILL", "CHLD", "SEGV", "PIPE", "SIGUSR1", "usr1", "RTMIN", "RTMIN+31", "RTMIN+01", "RTMIN+", "10",
      "",
    ])
  func refused(_ name: String) throws {
    let events = RecordedEvents()
    let instance = try SignalsPlugin().start("signals.on", ["signal": .string(name)], events)
    let failure = try #require(events.failures.first)
    #expect(failure.code == "invalid-setting")
    #expect(failure.message.contains("'\(name)'") && failure.message.contains("USR1, USR2, HUP, WINCH"))
    instance.destroy()
  }

  @Test("The description lists exactly the signals that create accepts")
  func values() throws {
    let plugin = try SignalsPlugin()
    let offer = try #require(plugin.connection.description.offers.first { $0.id == "signals.on" })
    let values = try #require(offer.settings.first?.values)
    #expect(values.count == 4 + 31)
    for value in values {
      let events = RecordedEvents()
      let instance = plugin.connection.create(offer, settings: ["signal": value], access: .none, events: events)
      #expect(events.all == [])
      instance.destroy()
    }
  }

  private static func handler(_ action: sigaction) -> Int {
    action.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } ?? 0
  }
}

/// The number of calls of a test's handler. Written by a signal handler, read when it has returned.
nonisolated(unsafe) private let handled: UnsafeMutablePointer<Int32> = {
  let pointer = UnsafeMutablePointer<Int32>.allocate(capacity: 1)
  pointer.initialize(to: 0)
  return pointer
}()
