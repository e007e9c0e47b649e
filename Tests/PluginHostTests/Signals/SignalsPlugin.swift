import Foundation
import Testing
import Values

@testable import PluginHost

/// The standard plugin `signals`, compiled for a test and loaded into its process.
struct SignalsPlugin {
  let connection: InProcessConnection

  init() throws {
    connection = try InProcessConnection(
      PluginImage.open(Self.compile(), isCopy: true), options: InProcessConnection.Options())
  }

  /// Starts an instance of an offer.
  func start(_ id: String, _ settings: JSONValue, _ events: RecordedEvents, input: JSONValue = [:]) throws
    -> any PluginInstance
  {
    let offer = try #require(connection.description.offers.first { $0.id == id })
    let instance = connection.create(offer, settings: settings, access: .none, events: events)
    instance.start(input)
    return instance
  }

  static func compile() throws -> String {
    var path = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { path.deleteLastPathComponent() }
    let folder = path.appendingPathComponent("Plugins/Signals").path
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }.sorted()
    return try TestPlugin.compile(
      source: "", name: "signals", flags: ["-D_GNU_SOURCE"] + sources.map { "\(folder)/\($0)" })
  }
}
