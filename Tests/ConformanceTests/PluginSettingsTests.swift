import Foundation
import Testing

/// What `penstock check` finds with the help of plugins, as seen from outside.
@Suite("Settings that only a plugin can check")
struct PluginSettingsTests {
  private let place: PluginCommandTests.Place

  init() throws { place = try PluginCommandTests.Place() }

  /// Whether this build also built the standard plugin.
  private static func hasStandard(_ id: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(BuiltPenstock.directory)/libpenstock-\(id).so")
  }

  private func check(_ text: String) async throws -> (output: String, errors: String, code: Int32?) {
    try text.write(toFile: place.path + "/pipeline.yaml", atomically: false, encoding: .utf8)
    return try await place.shell("penstock check pipeline.yaml")
  }

  @Test(
    "a wrong cron line is found before anything runs, with its position, wherever the plugin runs",
    .enabled(if: hasStandard("cron")), arguments: ["host", "process"])
  func cron(isolation: String) async throws {
    let checked = try await check(
      """
      plugins: { cron: { isolation: \(isolation) } }
      controllers:
        - { uses: cron, with: { schedule: "99 * * * *" } }
        - { uses: cron, with: { schedule: "0 3 * * *", zone: Europe/Berln } }
        - { uses: cron, with: { schedule: "0 0 30 2 *" } }
        - { uses: cron, with: { schedule: "0 3 * * mon-fri", zone: Europe/Berlin } }
      operations: [{ name: x, run: ls }]
      """)
    #expect(checked.code == 2)
    #expect(
      checked.errors.contains(
        "pipeline.yaml:3:38: error[invalid-schedule]: the setting 'schedule' of 'cron' is invalid: "),
      "\(checked.errors)")
    #expect(
      checked.errors.contains(
        "pipeline.yaml:4:56: error[unknown-time-zone]: the setting 'zone' of 'cron' is invalid: "),
      "\(checked.errors)")
    #expect(
      checked.errors.contains(
        "pipeline.yaml:5:37: error[invalid-schedule]: the setting 'schedule' of 'cron' is invalid: "),
      "\(checked.errors)")
    #expect(checked.errors.contains("3 errors"), "\(checked.errors)")
  }

  @Test("settings with expressions are left to the run", .enabled(if: hasStandard("cron")))
  func expressions() async throws {
    let checked = try await check(
      """
      params: { minute: { default: "99" } }
      controllers: { uses: cron, with: { schedule: "${{ params.minute }} * * * *" } }
      operations: [{ name: x, run: ls }]
      """)
    #expect(checked.code == 0, "\(checked.errors)")
  }

  @Test("a plugin that crashes on its settings is reported as an error")
  func crash() async throws {
    try await place.compile(create: "*(volatile int *)8 = 1;")
    let checked = try await check("operations: [{ name: x, uses: echo, with: { times: 2 } }]")
    #expect(checked.code == 2)
    #expect(
      checked.errors.contains(
        "pipeline.yaml:1:37: error[plugin-crashed]: plugin 'echo' crashed: SIGSEGV while it checked the settings of 'echo'"
      ), "\(checked.errors)")
  }
}
