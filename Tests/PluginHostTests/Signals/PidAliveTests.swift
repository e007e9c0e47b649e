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

  /// Waits until the value told last is this one, and returns the reason.
  @discardableResult
  private func becomes(_ value: Bool?, _ part: String = "") async -> String {
    let told = await events.wait { events in
      guard case .changed(let last, let reason) = events.last else { return false }
      return last == value && reason.contains(part)
    }
    guard case .changed(_, let reason) = told.last else { return "" }
    return reason
  }

  @Test(
    "What is no pid of a process is not satisfied", arguments: ["0", "-1", "99999999999999999999", "12x", "", "\u{0}1"])
  func noPid(_ text: String) async throws {
    let instance = try watch(try scratch.write(text, to: "app.pid"))
    await becomes(false, "does not begin with the number of a process")
    instance.destroy()
  }

  @Test("A FIFO is not waited for")
  func fifo() async throws {
    #expect(mkfifo(scratch("app.pid"), 0o600) == 0)
    let instance = try watch(scratch("app.pid"))
    await becomes(false, "does not begin with the number of a process")
    instance.destroy()
  }
}
