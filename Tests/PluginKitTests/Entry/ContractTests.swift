import CPluginKit
import Glibc
import PluginKit
import PluginKitTesting
import Testing

// Serialized: the functions that shared objects export belong to the process, so there is one plugin at a time.
@Suite(.serialized) struct ContractTests {
  @Test func aPluginWorksThroughTheFunctionsThatASharedObjectExports() async throws {
    Words.register()
    let host = try TestPluginHost(registered: ())
    #expect(try host.description["id"] == "words")
    #expect(try await host.run("words.count", requirement: "to be or not") == ["words": 4, "longest": "not"])
    let controller = try host.controller("words.states")
    controller.start()
    #expect(controller.events.count == 4)
    controller.stop()
    controller.destroy()
    host.close()
    #expect(host.faults.isEmpty)
  }

  @Test func theDescriptionStaysWhereItIs() {
    Words.register()
    let first = PluginEntry.functions.describe()
    let second = PluginEntry.functions.describe()
    #expect(first.bytes == second.bytes && first.length == second.length)
  }

  @Test func thereAreTablesForTheThreeCapabilitiesAndForNothingElse() throws {
    for id in [PENSTOCK_OPERATION, PENSTOCK_CONTROLLER, PENSTOCK_SPECIFICATION] {
      let table = try #require(withText(id) { PluginEntry.functions.capability($0) })
      #expect(table.load(as: UInt32.self) == UInt32(MemoryLayout<penstock_functions>.size))
    }
    let instants = try #require(withText(PENSTOCK_INSTANTS) { PluginEntry.functions.capability($0) })
    #expect(instants.load(as: UInt32.self) == UInt32(MemoryLayout<penstock_instants>.size))
    #expect(withText("penstock.operation/2") { PluginEntry.functions.capability($0) } == nil)
  }

  @Test func anOfferThatThePluginDoesNotHaveIsRefused() throws {
    let host = try TestPluginHost(Words.self)
    #expect(throws: PluginProblem("no-such-offer", "the plugin has no controller 'words.count'")) {
      try host.controller("words.count")
    }
  }

  @Test func aHostWithoutTheServicesThatArePromisedIsRefused() {
    let runtime = PluginRuntime(Words.self)
    var bare = penstock_host(
      struct_size: UInt32(MemoryLayout<penstock_host>.size), abi_major: 1, abi_minor: 0, service: { _, _ in nil },
      implementation: nil)
    #expect(runtime.open(&bare) == penstock_status(PENSTOCK_UNAVAILABLE))
  }

  /// Opens a plugin with a host whose tables all have this size and end at the end of readable memory.
  private func opening(_ size: Int) -> penstock_status {
    let page = Int(getpagesize())
    let memory = mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED, mprotect(memory + page, page, PROT_NONE) == 0 else { return -1 }
    defer { munmap(memory, 2 * page) }
    let table = memory + (page - size)
    table.storeBytes(of: UInt32(size), as: UInt32.self)
    var host = penstock_host(
      struct_size: UInt32(MemoryLayout<penstock_host>.size), abi_major: 1, abi_minor: 0,
      service: { host, _ in host.map { UnsafeRawPointer($0.pointee.implementation) } }, implementation: table)
    return PluginRuntime(Words.self).open(&host)
  }

  @Test func tablesOfAnotherMinorVersionAreReadAsFarAsBothSidesKnowThem() {
    #expect(opening(64) == penstock_status(PENSTOCK_OK))
    #expect(opening(Int(PENSTOCK_CLOCK_SERVICE_SIZE_1_0)) == penstock_status(PENSTOCK_OK))
    #expect(opening(Int(PENSTOCK_CLOCK_SERVICE_SIZE_1_0) - 8) == penstock_status(PENSTOCK_UNAVAILABLE))
  }

  @Test func whatATaskTellsAfterTheCloseIsNotHeard() async throws {
    let host = try TestPluginHost(Words.self)
    let instance = try host.operation("words.sleep", with: ["time": "1h"])
    instance.start()
    await host.clock.hasTimers()
    host.close()
    instance.stop()
    instance.destroy()
    #expect(instance.events.isEmpty)
    #expect(host.faults.isEmpty)
  }

  @Test func manyOperationsAtOnceEachEndOnce() async throws {
    let host = try TestPluginHost(Words.self)
    let results = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
      for number in 0..<500 {
        group.addTask {
          try await host.run("words.count", requirement: .string(String(repeating: "w ", count: number)))
        }
      }
      var counts: Set<Int64> = []
      for try await result in group { if let count = result?["words"]?.intValue { counts.insert(count) } }
      return counts
    }
    #expect(results == Set(0..<500))
    #expect(host.faults.isEmpty)
  }
}
