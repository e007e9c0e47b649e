import Foundation
import Testing
import Values

@testable import PluginHost

@Suite("signals.pid-alive")
struct PidAliveTests {
  private let scratch: Scratch
  private let plugin: SignalsPlugin
  private let events = RecordedEvents()

  init() throws {
    scratch = try Scratch()
    plugin = try SignalsPlugin()
  }

  private func watch(_ file: String, input: JSONValue = [:]) throws -> any PluginInstance {
    try plugin.start("signals.pid-alive", ["file": .string(file)], events, input: input)
  }

  /// Waits until the last reported value is this one, and returns the reason.
  @discardableResult
  private func becomes(_ value: Bool?, _ part: String = "") async -> String {
    let told = await events.wait { events in
      guard case .changed(let last, let reason) = events.last else { return false }
      // In Foundation, no text contains the empty one.
      return last == value && (part.isEmpty || reason.contains(part))
    }
    guard case .changed(_, let reason) = told.last else { return "" }
    return reason
  }

  @Test(
    "Text that is not a pid does not satisfy it", arguments: ["0", "-1", "99999999999999999999", "12x", "", "\u{0}1"])
  func noPid(_ text: String) async throws {
    let instance = try watch(try scratch.write(text, to: "app.pid"))
    await becomes(false, "does not begin with a process ID")
    instance.destroy()
  }

  @Test("It does not block on a FIFO")
  func fifo() async throws {
    #expect(mkfifo(scratch("app.pid"), 0o600) == 0)
    let instance = try watch(scratch("app.pid"))
    await becomes(false, "does not begin with a process ID")
    instance.destroy()
  }

  @Test("It is satisfied as long as the process lives", arguments: ["", "\n", " and more\n", "\r\n5\n"])
  func life(_ rest: String) async throws {
    let process = try TestProcess()
    let file = try scratch.write("\(process.pid)\(rest)", to: "app.pid")
    let instance = try watch(file)
    let lives = await becomes(true)
    #expect(lives == "process \(process.pid) of \(file) is running")
    process.end()
    let ended = await becomes(false)
    #expect(ended == "process \(process.pid) of \(file) is not running")
    #expect(events.all.count == 2)
    instance.destroy()
  }

  @Test("A zombie counts as ended")
  func zombie() async throws {
    let process = try TestProcess()
    let instance = try watch(try scratch.write("\(process.pid)", to: "app.pid"))
    await becomes(true)
    process.kill()
    await becomes(false, "is not running")
    instance.destroy()
    process.end()
  }

  @Test("It is not satisfied by a pid without a process")
  func stalePid() async throws {
    let process = try TestProcess()
    process.end()
    let instance = try watch(try scratch.write("\(process.pid)", to: "app.pid"))
    await becomes(false, "is not running")
    instance.destroy()
  }

  @Test("A process that began after the file was written is a different one, until the file is written again")
  func usedAgain() async throws {
    let process = try TestProcess()
    let file = try scratch.write("\(process.pid)", to: "app.pid")
    let hourAgo = timeval(tv_sec: time(nil) - 3600, tv_usec: 0)
    #expect(utimes(file, [hourAgo, hourAgo]) == 0)
    let instance = try watch(file)
    let reason = await becomes(false)
    #expect(reason == "process \(process.pid) is not the one that \(file) names: it started after the file was written")
    try scratch.write("\(process.pid)\n", to: "app.pid")
    await becomes(true)
    instance.destroy()
    process.end()
  }

  @Test("A file that is replaced or rewritten is followed to its new process")
  func replaced() async throws {
    let (first, second, third) = (try TestProcess(), try TestProcess(), try TestProcess())
    let file = try scratch.write("\(first.pid)", to: "app.pid")
    let instance = try watch(file)
    await becomes(true, "process \(first.pid) ")
    try scratch.write("\(second.pid)", to: "new.pid")
    #expect(rename(scratch("new.pid"), file) == 0)
    await becomes(true, "process \(second.pid) ")
    // The first process no longer matters.
    first.end()
    let descriptor = open(file, O_WRONLY)
    let text = Array("\(third.pid)\n".utf8)
    #expect(pwrite(descriptor, text, text.count, 0) == text.count)
    close(descriptor)
    await becomes(true, "process \(third.pid) ")
    second.end()
    third.end()
    await becomes(false, "process \(third.pid) ")
    #expect(
      !events.all.contains {
        if case .changed(false, let reason) = $0 { reason.contains("process \(first.pid)") } else { false }
      })
    instance.destroy()
  }

  @Test("A file that appears and disappears is noticed, along with its directories")
  func missing() async throws {
    let process = try TestProcess()
    let file = scratch("run/app/app.pid")
    let instance = try watch(file)
    let reason = await becomes(false)
    #expect(reason == "\(file) does not exist")
    try scratch.write("\(process.pid)", to: "run/app/app.pid")
    await becomes(true)
    #expect(unlink(file) == 0)
    await becomes(false, "does not exist")
    try scratch.write("\(process.pid)", to: "run/app/app.pid")
    await becomes(true)
    try FileManager.default.removeItem(atPath: scratch("run"))
    await becomes(false, "does not exist")
    instance.destroy()
    process.end()
  }

  @Test("Garbage in the file ends it, and a number starts it again")
  func garbage() async throws {
    let process = try TestProcess()
    let file = try scratch.write("\(process.pid)", to: "app.pid")
    let instance = try watch(file)
    await becomes(true)
    try scratch.write("no number", to: "app.pid")
    let reason = await becomes(false)
    // The file is truncated first and then written, and both changes may be noticed.
    #expect(reason == "\(file) does not begin with a process ID")
    try scratch.write("  \(process.pid)  ", to: "app.pid")
    await becomes(true)
    instance.destroy()
    process.end()
  }

  @Test("A relative path starts from the pipeline's directory, and a link leads to its file")
  func paths() async throws {
    let process = try TestProcess()
    try scratch.write("\(process.pid)", to: "real/app.pid")
    #expect(symlink("real/app.pid", scratch("link.pid")) == 0)
    let instance = try watch("link.pid", input: ["directory": .string(scratch.path)])
    await becomes(true, "process \(process.pid) of \(scratch("link.pid")) is running")
    process.end()
    await becomes(false)
    instance.destroy()
  }

  @Test("It ends when it is stopped, and reports nothing afterwards")
  func stop() async throws {
    let process = try TestProcess()
    let file = try scratch.write("\(process.pid)", to: "app.pid")
    let (other, otherEvents) = (try TestProcess(), RecordedEvents())
    let instance = try watch(file)
    await becomes(true)
    instance.stop(grace: .seconds(5))
    #expect(await events.waitForEnd() == .ended(nil))
    process.end()
    // An event of the first would have come before one of the second.
    let second = try plugin.start(
      "signals.pid-alive", ["file": .string(try scratch.write("\(other.pid)", to: "other.pid"))], otherEvents)
    await otherEvents.wait { !$0.isEmpty }
    #expect(events.all.count == 2)
    instance.destroy()
    second.destroy()
    await plugin.connection.close()
    other.end()
  }

  @Test("A hundred instances watch the same process, and each is notified of its end")
  func many() async throws {
    let process = try TestProcess()
    let file = try scratch.write("\(process.pid)", to: "app.pid")
    let all = try (0..<100).map { _ in
      let events = RecordedEvents()
      return (events, try plugin.start("signals.pid-alive", ["file": .string(file)], events))
    }
    for (events, _) in all { await events.wait { $0.count == 1 } }
    process.end()
    for (events, instance) in all {
      let told = await events.wait { $0.count == 2 }
      #expect(told.last == .changed(false, "process \(process.pid) of \(file) is not running"))
      instance.destroy()
    }
    await plugin.connection.close()
  }
}
