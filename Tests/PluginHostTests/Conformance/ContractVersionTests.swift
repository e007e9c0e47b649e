import Foundation
import PluginABI
import Testing
import Values

@testable import PluginHost

/// Plugins and hosts that were compiled with different minor versions of `plugin.h`: see `Tests/PluginContract`.
@Suite("Minor versions of the contract")
struct ContractVersionTests {
  private static let repository: URL = {
    var path = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { path.deleteLastPathComponent() }
    return path
  }()

  private static func header(_ version: String) -> String {
    repository.appendingPathComponent("Tests/PluginContract/\(version)").path
  }

  /// Returns the plugin `seen`, compiled with the header of `version`, or with this host's if it is nil.
  private func seen(_ version: String?) throws -> String {
    let source = try String(
      contentsOf: Self.repository.appendingPathComponent("Tests/PluginContract/seen.c"), encoding: .utf8)
    return try TestPlugin.compile(
      source: source, name: "seen", flags: version.map { ["-I", Self.header($0)] } ?? [])
  }

  private static let plugins: [(String?, Int64)] = [
    ("1.0", 0), ("1.1", 1), (nil, Int64(PENSTOCK_ABI_MINOR)), ("1.2", 2),
  ]

  @Test("A plugin with an older or later header works in this host", arguments: plugins)
  func pluginInHost(_ version: String?, _ minor: Int64) async throws {
    let path = try seen(version)
    let expected: JSONValue = [
      "compiled": .int(minor), "host": .int(Int64(PENSTOCK_ABI_MINOR)), "later": 0,
    ]
    let connection = try InProcessConnection(PluginImage.open(path, isCopy: true))
    let isolated = try IsolatedConnection.open(IsolatedTestPlugin.launch(path, name: "seen"))
    for connection in [connection as any PluginConnection, isolated] {
      let events = RecordedEvents()
      let instance = connection.create(connection.description.offers[0], settings: [:], access: .none, events: events)
      instance.start([:])
      #expect(await events.waitForEnd() == .ended(expected))
      instance.destroy()
      await connection.close()
    }
    let verified = try PluginVerifier().verify(PluginFile(at: path, origin: .commandLine))
    #expect(verified.entry.abiMinor == UInt16(minor))
    let report = try await CheckedPlugin.report(onFile: path, only: ["entry", "capabilities", "run"])
    #expect(report.results.filter { $0.outcome != .passed } == [])
  }

  /// Runs a host that was compiled with the header of version 1.2 on a plugin, and returns what it prints.
  private func laterHost(_ arguments: [String]) throws -> [String] {
    let source = try String(
      contentsOf: Self.repository.appendingPathComponent("Tests/PluginContract/host.c"), encoding: .utf8)
    let program = try TestPlugin.build(
      source: source, name: "host", flags: ["-I", Self.header("1.2"), "-Wno-unused-value"])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test("A plugin with an older header, this one or the later one works in a later host", arguments: plugins)
  func pluginInLaterHost(_ version: String?, _ minor: Int64) throws {
    let isLater = version == "1.2"
    #expect(
      try laterHost([seen(version), "operation", "seen", "{}"]) == [
        isLater ? "entry longer, functions longer" : "entry of 1.0, functions of 1.0",
        "completed {\"compiled\":\(minor),\"host\":2,\"later\":\(isLater ? 2 : 0)}", "closed",
      ])
  }

  @Test("A plugin made with PluginKit works in a later host", .enabled(if: isIntervalExpected))
  func kitInLaterHost() throws {
    #expect(
      try laterHost([Self.interval, "controller", "interval", #"{"every":"1h","immediately":true}"#]) == [
        "entry of 1.0, functions of 1.0", #"yielded {"reason":"every 1h, at the start"}"#, "closed",
      ])
  }

  private static let interval =
    (IsolatedTestPlugin.program as NSString).deletingLastPathComponent + "/libpenstock-interval.so"
  /// If the plugin is missing, the test is skipped, but never in CI.
  private static let isIntervalExpected = FileManager.default.fileExists(atPath: interval) || getenv("CI") != nil

  // MARK: Tables

  /// Calls `body` with bytes that end at the end of readable memory.
  private static func atTheEndOfMemory(_ bytes: [UInt8], _ body: (UnsafeRawPointer) -> Void) {
    let page = Int(getpagesize())
    guard let memory = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
      memory != MAP_FAILED, mprotect(memory + page, page, PROT_NONE) == 0
    else { return #expect(Bool(false), "there is no memory") }
    let start = memory + (page - bytes.count)
    bytes.withUnsafeBytes { start.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(start), byteCount: $0.count) }
    body(UnsafeRawPointer(start))
    munmap(memory, 2 * page)
  }

  /// A plugin's functions, as a host of a later version knows them.
  private struct LaterFunctions {
    var functions = penstock_functions()
    var later: (UInt64, UInt64) = (7, 7)
  }

  private static func table(_ size: UInt32, of count: Int) -> [UInt8] {
    withUnsafeBytes(of: size.littleEndian, Array.init) + [UInt8](repeating: 1, count: count - 4)
  }

  @Test("A host with a longer table does without members that a 1.0 plugin lacks, and reads nothing beyond its table")
  func shorterTable() {
    let size = UInt32(PENSTOCK_FUNCTIONS_SIZE_1_0)
    Self.atTheEndOfMemory(Self.table(size, of: Int(size))) { table in
      let copy = ContractTable.copy(table, LaterFunctions.self, least: PENSTOCK_FUNCTIONS_SIZE_1_0)
      #expect(copy?.functions.struct_size == size)
      #expect(copy?.functions.destroy != nil)
      #expect(copy.map { $0.later == (0, 0) } == true)
    }
  }

  @Test("A host reads only the part of a longer table that it knows")
  func longerTable() {
    let known = MemoryLayout<penstock_functions>.size
    Self.atTheEndOfMemory(Self.table(4096, of: known)) { table in
      let copy = ContractTable.copy(table, penstock_functions.self, least: PENSTOCK_FUNCTIONS_SIZE_1_0)
      #expect(copy?.struct_size == 4096)
      #expect(copy?.create != nil)
    }
  }

  @Test("A table that is smaller than in 1.0 is invalid")
  func tooShort() {
    for size in [0, 4, UInt32(PENSTOCK_FUNCTIONS_SIZE_1_0) - 1] {
      Self.atTheEndOfMemory(Self.table(size, of: 8)) { table in
        #expect(ContractTable.copy(table, penstock_functions.self, least: PENSTOCK_FUNCTIONS_SIZE_1_0) == nil)
      }
    }
  }

  @Test("The sizes of additions in version 1.1 match its header")
  func frozenLater() throws {
    _ = try TestPlugin.compile(
      source: """
        #include <penstock/plugin.h>
        _Static_assert(sizeof(penstock_instants) == \(PENSTOCK_INSTANTS_SIZE_1_1), "instants");
        _Static_assert(sizeof(penstock_controller_service) == \(PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0) + 8, "controller");
        """, name: "sizes11", flags: ["-I", Self.header("1.1")])
  }

  @Test("The sizes of version 1.0 match its header")
  func frozen() throws {
    let tables = [
      ("plugin_entry", PENSTOCK_PLUGIN_ENTRY_SIZE_1_0), ("functions", PENSTOCK_FUNCTIONS_SIZE_1_0),
      ("host", PENSTOCK_HOST_SIZE_1_0), ("instance_service", PENSTOCK_INSTANCE_SERVICE_SIZE_1_0),
      ("controller_service", PENSTOCK_CONTROLLER_SERVICE_SIZE_1_0),
      ("specification_service", PENSTOCK_SPECIFICATION_SERVICE_SIZE_1_0),
      ("log_service", PENSTOCK_LOG_SERVICE_SIZE_1_0), ("clock_service", PENSTOCK_CLOCK_SERVICE_SIZE_1_0),
      ("secrets_service", PENSTOCK_SECRETS_SERVICE_SIZE_1_0),
      ("workspace_service", PENSTOCK_WORKSPACE_SERVICE_SIZE_1_0),
    ]
    let conditions = tables.map { "_Static_assert(sizeof(penstock_\($0.0)) == \($0.1), \"\($0.0)\");" }
    _ = try TestPlugin.compile(
      source: "#include <penstock/plugin.h>\n" + conditions.joined(separator: "\n"), name: "sizes",
      flags: ["-I", Self.header("1.0")])
  }
}
