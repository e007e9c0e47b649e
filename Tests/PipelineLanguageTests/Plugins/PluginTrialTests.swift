import PluginHost
import Testing
import Values

@testable import PipelineLanguage

@Suite("Settings that only the plugin can judge")
struct PluginTrialTests {
  private static let settings: JSONValue = [
    ["name": "schedule", "type": "string", "summary": "x"], ["name": "zone", "type": "string", "summary": "x"],
    ["name": "limit", "type": "int", "summary": "x", "default": 3],
  ]

  private static func plugin(
    _ id: String = "clock", _ refusal: @escaping @Sendable (PluginOffer, JSONValue) -> PluginFailure?
  ) throws -> FakePlugin {
    try FakePlugin(
      id,
      offers: ["controller", "operation", "specification"].map {
        ["kind": .string($0), "id": .string("\(id).\($0)"), "settings": settings]
      }, refusal: refusal)
  }

  private static let work = "operations: [{ name: x, run: ls }]"

  @Test("literal settings are tried once each, with defaults, and settings with expressions are not")
  func tried() throws {
    let plugin = try Self.plugin { _, _ in nil }
    _ = try FakeCatalog([plugin]).pipeline(
      """
      params: { zone: { default: UTC } }
      specifications: { a: { uses: clock.specification, with: { zone: "${{ params.zone }}" } }, b: { uses: clock.specification } }
      automatic: a || b
      controllers:
        - { uses: clock.controller, with: { schedule: "1 * * * *", limit: 3 } }
        - { uses: clock.controller, with: { schedule: "1 * * * *" } }
      operations:
        - { name: x, uses: clock.operation, with: { limit: 5 } }
        - { name: y, uses: clock.operation, with: { zone: "${{ results.x }}" } }
      after: { failure: [{ name: z, uses: clock.operation, with: { limit: 6 } }] }
      """)
    #expect(
      plugin.checked.withLock { $0 } == [
        #"clock.specification {"limit":3}"#, #"clock.controller {"schedule":"1 * * * *","limit":3}"#,
        #"clock.operation {"limit":5}"#, #"clock.operation {"limit":6}"#,
      ])
  }

  @Test("the plugin's code and message are reported at the part, the setting or the 'with' concerned, all at once")
  func places() throws {
    let plugin = try Self.plugin { offer, settings in
      switch settings["limit"]?.intValue {
      case 1:
        PluginFailure(
          code: "invalid-schedule", message: "schedule: there is no minute 99",
          detail: ["setting": "schedule", "position": 3, "length": 2])
      case 2: PluginFailure(code: "no-zone", message: "there is no such zone", detail: ["setting": "zone"])
      case 4: PluginFailure(code: "contradiction", message: "these do not go together")
      default: PluginFailure(code: "invalid-limit", message: "limit: give one", detail: ["setting": "limit"])
      }
    }
    let found = FakeCatalog([plugin]).findings(
      """
      specifications: { a: { uses: clock.specification, with: { limit: 2, zone: Mars } } }
      automatic: a
      controllers:
        - { uses: clock.controller, with: { limit: 1, schedule: "5 99 * * *" } }
      operations:
        - { name: x, uses: clock.operation, with: { limit: 4 } }
        - { name: y, uses: clock.operation }
        - { name: z, uses: clock.operation, with: { limit: 1, schedule: "6 99" } }
      """)
    let advice = "('penstock plugins inspect clock' lists its settings)"
    #expect(
      found == [
        "1:75 no-zone the setting 'zone' of 'clock.specification' is invalid: there is no such zone \(advice)",
        "4:62 invalid-schedule the setting 'schedule' of 'clock.controller' is invalid: there is no minute 99 \(advice)",
        "6:39 contradiction the settings of 'clock.operation' are invalid: these do not go together \(advice)",
        "7:22 invalid-limit the settings of 'clock.operation' are invalid: limit: give one \(advice)",
        "8:70 invalid-schedule the setting 'schedule' of 'clock.operation' is invalid: there is no minute 99 \(advice)",
      ])
  }

  @Test("settings that the description rejects are not tried")
  func refused() throws {
    let plugin = try Self.plugin { _, _ in PluginFailure(code: "asked", message: "it was asked") }
    let found = FakeCatalog([plugin]).findings(
      "controllers: { uses: clock.controller, with: { limit: many } }\n" + Self.work)
    #expect(found.count == 1)
    #expect(found.first?.contains("invalid-setting") == true)
    #expect(plugin.checked.withLock { $0 } == [])
  }

  @Test("a plugin that crashes is reported as such, and not called again")
  func crash() throws {
    let message = "plugin 'clock' crashed: SIGSEGV while it checked the settings of 'clock.controller'"
    let plugin = try Self.plugin { _, _ in PluginFailure(code: "plugin-crashed", message: message) }
    let found = FakeCatalog([plugin]).findings(
      """
      controllers:
        - { uses: clock.controller, with: { limit: 1 } }
        - { uses: clock.controller, with: { limit: 2 } }
      \(Self.work)
      """)
    #expect(
      found == [
        "2:31 plugin-crashed \(message) ('penstock plugins check FILE' drives a plugin through its whole contract, and says more)"
      ])
    #expect(plugin.checked.withLock { $0.count } == 1)
  }

  @Test("inspecting a file calls no plugin")
  func unchecked() throws {
    let text = "controllers: { uses: clock.controller, with: { schedule: x } }\n" + Self.work
    #expect(PipelineLoader.load(text: text, path: "test.yaml", plugins: .unchecked).isValid)
  }

  @Test("plugins of controllers are not loaded for recorded pipelines, where they are no longer needed")
  func recorded() throws {
    func load(_ text: String) throws -> LoadResult {
      PipelineLoader.load(
        text: text, path: "/p/main.yaml", plugins: .catalog(FakeCatalog([])), isRecorded: true)
    }
    let controlled = try load("controllers: [{ uses: clock.controller }]\n\(Self.work)")
    #expect(controlled.pipeline?.controllers.count == 1)
    #expect(controlled.diagnostics.isEmpty)
    #expect(try load("operations: [{ name: x, uses: clock.operation }]").pipeline == nil)
  }
}
