import Testing
import Values

@testable import PluginHost

@Suite("Replacing the file of an isolated plugin")
struct TakingOverTests {
  /// Returns a plugin whose operation waits for a stop, and whose specification reports its version.
  private func source(
    _ version: String, id: String = "clockwork", _ change: (inout TestPlugin.Source) -> Void = { _ in }
  )
    -> TestPlugin.Source
  {
    TestPlugin.Source(id: id) {
      $0.version = version
      $0.offers = [
        #"{"kind": "operation", "id": "\#(id)", "summary": "Waits"}"#,
        #"{"kind": "specification", "id": "\#(id).version", "summary": "Tells"}"#,
      ]
      $0.preamble = "#include <signal.h>"
      $0.start = """
        if (strstr(me->offer, "version")) specifications->changed(host, me->id, 1, PENSTOCK_TEXT("\(version)"));
        else instances->progress(host, me->id, PENSTOCK_TEXT("{\\"message\\": \\"\(version)\\"}"));
        """
      $0.stop = #"instances->complete(host, me->id, PENSTOCK_TEXT("\"\#(version)\""));"#
      change(&$0)
    }
  }

  private func launch(_ source: TestPlugin.Source) throws -> ChildLaunch {
    try IsolatedTestPlugin.launch(TestPlugin.compile(source), name: source.id)
  }

  @Test("operations end where they run, specifications continue in the new child, and new instances use it")
  func replace() async throws {
    let plugin = try IsolatedTestPlugin(source("1"))
    let (running, specification, next) = (RecordedEvents(), RecordedEvents(), RecordedEvents())
    let operation = try plugin.start("clockwork", events: running)
    try plugin.start("clockwork.version", events: specification)
    await running.wait { !$0.isEmpty }
    await specification.wait { !$0.isEmpty }
    try plugin.connection.replace(with: launch(source("2")))
    #expect(plugin.connection.description.version == "2")
    await specification.wait { $0.count == 2 }
    #expect(specification.all == [.changed(true, "1"), .changed(true, "2")])
    let nextOperation = try plugin.start("clockwork", events: next)
    await next.wait { !$0.isEmpty }
    #expect(next.all == [.progressed(["message": "2"])])
    operation.stop(grace: .seconds(5))
    let end = await running.waitForEnd()
    #expect(end == .ended("1"))
    nextOperation.stop(grace: .seconds(5))
    let nextEnd = await next.waitForEnd()
    #expect(nextEnd == .ended("2"))
    await plugin.connection.close()
    #expect(plugin.log.lines == [])
  }

  @Test("a file that cannot be loaded, or is another plugin, changes nothing")
  func refused() async throws {
    let plugin = try IsolatedTestPlugin(source("1"))
    let specification = RecordedEvents()
    try plugin.start("clockwork.version", events: specification)
    await specification.wait { !$0.isEmpty }
    let crash = #expect(throws: PluginError.self) {
      try plugin.connection.replace(with: launch(source("3") { $0.open = "raise(SIGSEGV);" }))
    }
    #expect(crash?.code == .crashed)
    let other = #expect(throws: PluginError.self) {
      try plugin.connection.replace(with: launch(source("4", id: "other")))
    }
    #expect(other?.code == .notFound)
    #expect(other?.message.contains("contained the plugin 'clockwork' and now contains 'other'") == true)
    #expect(plugin.connection.description.version == "1")
    #expect(specification.all == [.changed(true, "1")])
    let events = RecordedEvents()
    try plugin.start("clockwork", events: events)
    await events.wait { !$0.isEmpty }
    #expect(events.all == [.progressed(["message": "1"])])
    await plugin.connection.close()
  }

  @Test("an instance started while another file is loaded still gets its result")
  func meanwhile() async throws {
    let plugin = try IsolatedTestPlugin(source("1"))
    let path = try launch(source("2"))
    async let replaced: Void = plugin.connection.replace(with: path)
    var all: [RecordedEvents] = []
    for _ in 0..<200 {
      let events = RecordedEvents()
      try plugin.start("clockwork", events: events).stop(grace: .seconds(5))
      all.append(events)
    }
    try await replaced
    for events in all {
      let end = await events.waitForEnd()
      #expect(end == .ended("1") || end == .ended("2"))
    }
    await plugin.connection.close()
  }

  @Test("a retired connection ends its child with the last instance")
  func retire() async throws {
    let plugin = try IsolatedTestPlugin(source("1"))
    let events = RecordedEvents()
    let operation = try plugin.start("clockwork", events: events)
    plugin.connection.retire()
    operation.stop(grace: .seconds(5))
    let end = await events.waitForEnd()
    #expect(end == .ended("1"))
    let late = RecordedEvents()
    try plugin.start("clockwork", events: late)
    let lateEnd = await late.waitForEnd()
    #expect(lateEnd == .failed("plugin-closed", "plugin 'clockwork' does not accept new instances: it is being closed"))
    operation.destroy()
    await plugin.connection.close()
  }
}
