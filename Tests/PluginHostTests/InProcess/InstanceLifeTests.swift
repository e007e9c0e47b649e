import Glibc
import Testing
import Values

@testable import PluginHost

@Suite("The life of an instance in this process")
struct InstanceLifeTests {
  @Test("an operation may complete within its start, with its input")
  func roundTrip() throws {
    let plugin = try LoadedTestPlugin(TestPlugin.Source())
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start(["requirement": [1, "zwei", 3.5]])
    #expect(events.all == [.ended(["requirement": [1, "zwei", 3.5]])])
    instance.destroy()
    #expect(plugin.log.lines == [])
  }

  @Test("create receives the settings and the offer, and destroy is called once")
  func order() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.create = #"logs->log(host, id, PENSTOCK_INFO, settings, (penstock_text){NULL, 0});"#
        $0.start =
          #"logs->log(host, me->id, PENSTOCK_DEBUG, PENSTOCK_TEXT("start"), PENSTOCK_TEXT("{\"a\":1}"));"#
        $0.destroy = #"logs->log(host, me->id, PENSTOCK_WARNING, PENSTOCK_TEXT("destroy"), (penstock_text){NULL, 0});"#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(settings: ["from": "08:00"], events: events)
    instance.start([:])
    #expect(events.all == [.logged(.info, #"{"from":"08:00"}"#, nil), .logged(.debug, "start", ["a": 1])])
    instance.destroy()
    instance.destroy()
    // The instance's owner has released it: its further lines go to the host's log.
    #expect(plugin.log.lines == ["warning echo: destroy"])
    #expect(events.all.count == 2)
  }

  @Test("rejected settings end the instance with the plugin's reason, and nothing is destroyed")
  func refusedSettings() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.create = """
          free(me);
          instances->fail(host, id, PENSTOCK_TEXT("{\\"code\\": \\"bad-zone\\", \\"message\\": \\"no zone Mars\\"}"));
          return PENSTOCK_INVALID;
          """
        $0.destroy = "abort();"
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    #expect(events.all == [.failed("bad-zone", "no zone Mars")])
    instance.start([:])
    instance.stop(grace: .seconds(1))
    instance.destroy()
    #expect(events.all.count == 1)
  }

  @Test("a rejection without a reason names the offer")
  func refusedWithoutReason() throws {
    let plugin = try LoadedTestPlugin(TestPlugin.Source { $0.create = "free(me); return PENSTOCK_FAILED;" })
    let events = RecordedEvents()
    _ = try plugin.create(events: events)
    #expect(
      events.all == [
        .failed(
          "plugin-settings",
          "operation 'echo' of plugin 'echo' rejected its settings without a reason (status failed)")
      ])
  }

  @Test("an instance that is NULL ends as malformed")
  func nullInstance() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source { $0.create = "free(me); *instance = NULL; return PENSTOCK_OK;" })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.destroy()
    #expect(events.failure == "malformed-plugin")
    #expect(
      plugin.log.lines == [
        "warning echo: operation 'echo' of plugin 'echo' returned PENSTOCK_OK from 'create' without an instance"
      ])
  }

  @Test("start is called once, and not after the end")
  func startOnce() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.start = #"instances->progress(host, me->id, PENSTOCK_TEXT("{}"));"#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    instance.start([:])
    #expect(events.all == [.progressed([:])])
    instance.destroy()

    let other = RecordedEvents()
    let unstarted = try plugin.create(events: other)
    unstarted.stop(grace: .seconds(1))
    unstarted.start([:])
    #expect(other.all == [.ended(nil)])
    unstarted.destroy()
  }

  @Test("a closed plugin ends its instances, closes once and accepts no others")
  func closing() async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.start = ""
        $0.close = #"logs->log(host, 0, PENSTOCK_INFO, PENSTOCK_TEXT("closed"), (penstock_text){NULL, 0});"#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    instance.start([:])
    await plugin.connection.close()
    await plugin.connection.close()
    #expect(events.failure == "plugin-closed")
    #expect(plugin.log.lines == ["info echo: closed"])
    let late = RecordedEvents()
    _ = try plugin.create(events: late)
    #expect(late.failure == "plugin-closed")
  }

  @Test("closing does not wait forever for an instance that hangs")
  func closingHung() async throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.preamble = "#include <unistd.h>"
        $0.start = #"""
          logs->log(host, 0, PENSTOCK_INFO, PENSTOCK_TEXT("hangs"), (penstock_text){NULL, 0});
          char byte;
          if (read(atoi(me->settings.bytes + strlen("{\"pipe\":")), &byte, 1) != 1) abort();
          """#
      })
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    let events = RecordedEvents()
    let instance = try plugin.create(settings: ["pipe": .int(Int64(ends[0]))], events: events)
    let thread = TestThread { instance.start([:]) }
    await plugin.log.wait(for: "hangs")
    let closing = Task { await plugin.connection.close() }
    while plugin.clock.alarmCount == 0 { await Task.yield() }
    #expect(events.failure == "plugin-closed")
    plugin.clock.advance(by: .seconds(10))
    await closing.value
    #expect(
      plugin.log.lines.last
        == "error echo: plugin 'echo' could not be closed within 10s: 1 of its instances hang")
    write(ends[1], "x", 1)
    await thread.wait()
    close(ends[0])
    close(ends[1])
  }

  @Test("a retired plugin is closed when its last instance is destroyed")
  func retiring() throws {
    let plugin = try LoadedTestPlugin(
      TestPlugin.Source {
        $0.close = #"logs->log(host, 0, PENSTOCK_INFO, PENSTOCK_TEXT("closed"), (penstock_text){NULL, 0});"#
      })
    let events = RecordedEvents()
    let instance = try plugin.create(events: events)
    plugin.connection.retire()
    instance.start(["requirement": 1])
    #expect(events.all == [.ended(["requirement": 1])])
    #expect(plugin.log.lines == [])
    instance.destroy()
    #expect(plugin.log.lines == ["info echo: closed"])
  }

  @Test("the same file loaded twice has separate variables")
  func twice() throws {
    let source = TestPlugin.Source {
      $0.preamble = "static int count;"
      $0.start = """
        count++;
        instances->complete(host, me->id, (penstock_text){count == 1 ? "1" : "2", 1});
        """
    }
    let path = try TestPlugin.compile(source, name: "twice")
    for _ in 0..<3 {
      let connection = try InProcessConnection(PluginImage.open(path))
      let events = RecordedEvents()
      let instance = connection.create(connection.description.offers[0], settings: [:], access: .none, events: events)
      instance.start([:])
      #expect(events.all == [.ended(1)])
      instance.destroy()
    }
  }
}
