import Foundation
import Synchronization
import Testing
import Values

@testable import PluginHost

@Suite("Loading plugins by their ids")
struct LoadingByIDTests {
  private func version(_ number: Int) -> TestPlugin.Source {
    TestPlugin.Source(id: "versioned") {
      $0.version = "1.0.\(number)"
      $0.start = #"if (input.length > 2) instances->complete(host, me->id, PENSTOCK_TEXT("\#(number)"));"#
      $0.close = #"logs->log(host, 0, PENSTOCK_INFO, PENSTOCK_TEXT("closed \#(number)"), (penstock_text){NULL, 0});"#
    }
  }

  private func result(of plugin: Plugin) -> RecordedEvents.Event? {
    let events = RecordedEvents()
    guard let offer = plugin.description.offers.first else { return nil }
    let instance = plugin.create(offer, settings: [:], events: events)
    instance.start(["attempt": 1])
    instance.destroy()
    return events.all.first
  }

  @Test("a plugin is found by its id or an offer's, and loaded once")
  func loadedOnce() throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    #expect(try hosted.host.plugin("versioned.other") === plugin)
    #expect(plugin.isolation == .host)
    #expect(plugin.sha256.count == 64)
    #expect(hosted.host.plugins.map(\.id) == ["versioned"])
    #expect(result(of: plugin) == .ended(1))
  }

  @Test("without room for a plugin's descriptors none is loaded, the plugin is not blamed, and loaded plugins stay")
  func withoutRoom() throws {
    let hasRoom = Mutex(false)
    let hosted = try HostedTestPlugin(version(1), hasRoom: { hasRoom.withLock { $0 } })
    let refusal = #expect(throws: PluginError.self) { try hosted.host.pluginOrFormer("versioned", PluginReference()) }
    #expect(refusal?.isShortage == true)
    #expect(refusal?.message.contains("raise the limit on open files") == true)
    // A plugin that cannot be found now may exist, too.
    let absence = #expect(throws: PluginError.self) { try hosted.host.pluginOrFormer("other", PluginReference()) }
    #expect(absence?.code == .notFound && absence?.isShortage == true)
    hasRoom.withLock { $0 = true }
    let plugin = try hosted.host.pluginOrFormer("versioned", PluginReference())
    hasRoom.withLock { $0 = false }
    #expect(try hosted.host.pluginOrFormer("versioned", PluginReference()) === plugin)
    #expect(result(of: plugin) == .ended(1))
  }

  @Test("a changed file is loaded beside the old code, which runs until its last instance has ended")
  func reload() throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    let offer = try #require(plugin.description.offers.first)
    let old = RecordedEvents()
    let running = plugin.create(offer, settings: [:], events: old)
    try hosted.install(version(2))
    #expect(result(of: plugin) == .ended(1))
    #expect(try hosted.host.plugin("versioned") === plugin)
    #expect(plugin.description.version == "1.0.2")
    #expect(result(of: plugin) == .ended(2))
    running.start(["attempt": 1])
    #expect(old.all == [.ended(1)])
    #expect(!hosted.log.lines.contains { $0.contains("closed") })
    running.destroy()
    #expect(hosted.log.lines.last == "info versioned: closed 1")
  }

  @Test("reloading finds changed files, and plugins with broken files keep running")
  func reloadChanged() throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    #expect(hosted.host.reloadChanged().reloaded.isEmpty)
    let path = try hosted.install(version(3))
    #expect(hosted.host.reloadChanged().reloaded.map(\.id) == ["versioned"])
    #expect(result(of: plugin) == .ended(3))
    try FileManager.default.removeItem(atPath: path)
    try Data("no plugin".utf8).write(to: URL(fileURLWithPath: path))
    let (reloaded, errors) = hosted.host.reloadChanged()
    #expect(reloaded.isEmpty)
    #expect(errors.count == 1)
    #expect(result(of: plugin) == .ended(3))
    #expect(throws: PluginError.self) { try hosted.host.plugin("versioned") }
    // A caller may keep using the loaded plugin, but only with the same pin, path and isolation.
    #expect(try hosted.host.pluginOrFormer("versioned", PluginReference()) === plugin)
    #expect(try hosted.host.pluginOrFormer("versioned", PluginReference(sha256: plugin.sha256)) === plugin)
    let others = [
      PluginReference(sha256: String(repeating: "0", count: 64)), PluginReference(path: "/nowhere/versioned.so"),
      PluginReference(isolation: plugin.isolation == .host ? .process : .host),
    ]
    for other in others { #expect(throws: PluginError.self) { try hosted.host.pluginOrFormer("versioned", other) } }
    #expect(throws: PluginError.self) { try hosted.host.pluginOrFormer("other", PluginReference()) }
    try FileManager.default.removeItem(atPath: path)
    #expect(throws: PluginError.self) { try hosted.host.pluginOrFormer("versioned", PluginReference()) }
  }

  @Test("a file that was only touched is not reloaded")
  func touched() throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: "\(hosted.directory)/versioned.so")
    #expect(hosted.host.reloadChanged().reloaded.isEmpty)
    #expect(try hosted.host.plugin("versioned") === plugin)
    #expect(hosted.log.lines == [])
  }

  @Test("a pin that the loaded file does not match is refused")
  func pin() throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    #expect(try hosted.host.plugin("versioned", PluginReference(sha256: plugin.sha256)) === plugin)
    let error = #expect(throws: PluginError.self) {
      try hosted.host.plugin("versioned", PluginReference(sha256: String(repeating: "0", count: 64)))
    }
    #expect(error?.code == .hashMismatch)
  }

  @Test("a file with another plugin than the requested one is refused by name")
  func otherPlugin() throws {
    let hosted = try HostedTestPlugin(version(1))
    try FileManager.default.moveItem(
      atPath: "\(hosted.directory)/versioned.so", toPath: "\(hosted.directory)/renamed.so")
    let error = #expect(throws: PluginError.self) { try hosted.host.plugin("renamed") }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("is the plugin 'versioned', not 'renamed'") == true)
  }

  @Test("a file that is not standard is probed before it is loaded in the process")
  func probe() throws {
    let hosted = try HostedTestPlugin(version(1)) { connector in
      connector.probe = { file throws(PluginError) in throw PluginError(.crashed, "it crashes: \(file.file.id)") }
    }
    _ = try hosted.host.plugin("versioned")
    let path = "\(hosted.directory)/versioned.so"
    let error = #expect(throws: PluginError.self) {
      try PluginLoader(hosted.host.configuration, connector: hosted.connector).plugin(
        "versioned", PluginReference(path: path, isolation: .host))
    }
    #expect(error?.message == "it crashes: versioned")
  }

  @Test("a host that cannot probe a file loads it nevertheless, and reports that")
  func untried() throws {
    let hosted = try HostedTestPlugin(version(1))
    _ = try hosted.host.plugin(
      "versioned", PluginReference(path: "\(hosted.directory)/versioned.so", isolation: .host))
    #expect(hosted.log.lines.count == 1)
    #expect(
      hosted.log.lines.first?.hasPrefix(
        "warning versioned: loading '\(hosted.directory)/versioned.so' into this process untested: ") == true)
  }

  @Test("by default, only standard plugins run in the process")
  func isolation() throws {
    let hosted = try HostedTestPlugin(version(1)) { connector in
      connector.isolated = { file, _, _ throws(PluginError) in throw PluginError(.crashed, "isolated \(file.file.id)") }
    }
    #expect(try hosted.host.plugin("versioned").isolation == .host)
    for reference in [
      PluginReference(path: "\(hosted.directory)/versioned.so"), PluginReference(isolation: .process),
    ] {
      let error = #expect(throws: PluginError.self) { try hosted.host.plugin("versioned", reference) }
      #expect(error?.message == "isolated versioned")
    }
  }

  @Test("an unknown offer is refused with a suggestion")
  func unknownOffer() throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    let near = #expect(throws: PluginError.self) { try plugin.operation("versoned") }
    #expect(
      near?.message
        == "plugin 'versioned' (1.0.1) offers no operation 'versoned'; did you mean 'versioned'?")
    let kind = #expect(throws: PluginError.self) { try plugin.specification("versioned") }
    #expect(
      kind?.message == "plugin 'versioned' (1.0.1) offers no specification 'versioned'; 'versioned' is an operation")
    let settings = #expect(throws: PluginError.self) { try plugin.operation(settings: ["speed": 1]) }
    #expect(settings?.code == .settings)
  }

  @Test("a host that was shut down has ended its instances and loads nothing")
  func shutDown() async throws {
    let hosted = try HostedTestPlugin(version(1))
    let plugin = try hosted.host.plugin("versioned")
    let events = RecordedEvents()
    _ = plugin.create(try #require(plugin.description.offers.first), settings: [:], events: events)
    await hosted.host.shutDown()
    #expect(events.failure == "plugin-closed")
    #expect(hosted.log.lines == ["info versioned: closed 1"])
    let error = #expect(throws: PluginError.self) { try hosted.host.plugin("versioned") }
    #expect(error?.code == .closed)
  }
}
