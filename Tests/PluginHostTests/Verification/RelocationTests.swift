import Foundation
import OperationsTesting
import Testing

@testable import PluginHost

/// A shared object must not be able to crash the dynamic linker: see ``ELFRelocations``.
@Suite("Relocations of shared objects")
struct RelocationTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isFull = environment["PENSTOCK_SOAK"] == "full"
  private static let seed = environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? 20_261_122
  private static let rounds: Range<Int> = {
    if let only = environment["PENSTOCK_SOAK_ROUND"].flatMap({ Int($0) }) { return only..<(only + 1) }
    return 0..<(isFull ? 10_000 : 100)
  }()

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A plugin with relocations of many kinds: addresses, external functions, thread-local variables, initialisers.
  private static let source = TestPlugin.Source {
    $0.preamble = """
      #include <errno.h>
      #include <stdio.h>
      static __thread int calls;
      __thread int seen;
      int count;
      static const char *names[] = {"one", "two", "three"};
      __attribute__((constructor)) static void begin(void) { count = names[0] != NULL; calls++; }
      __attribute__((destructor)) static void end(void) { count = 0; }
      """
    $0.start =
      "seen = ++calls; errno = 0; fprintf(stderr, \"%s %d\", names[count % 3], seen); instances->complete(host, me->id, input);"
  }

  @Test(
    "those of sound objects are accepted, in whatever form the linker writes them",
    arguments: [
      [], ["-Wl,-z,pack-relative-relocs"], ["-Wl,-z,relro,-z,now"], ["-Wl,-z,norelro"], ["-Wl,-z,lazy"], ["-O2", "-s"],
      ["-mtls-dialect=gnu2"], ["-Wl,-z,separate-code"], ["-Wl,-z,noseparate-code"],
    ])
  func sound(flags: [String]) throws {
    let path: String
    do { path = try TestPlugin.compile(Self.source, flags: flags) } catch {
      // If the compiler or processor does not support the option, there is nothing to test.
      guard "\(error)".contains("unrecognized") || "\(error)".contains("unknown") else { throw error }
      return
    }
    #expect(verification(of: path) == (nil, ""))
  }

  @Test("those of the machine's own libraries are accepted too")
  func libraries() throws {
    for name in ["libc.so.6", "libm.so.6", "libstdc++.so.6"] {
      guard let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { continue }
      defer { dlclose(handle) }
      guard let maps = try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8),
        let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/" + name) || $0.contains("/\(name).") }),
        let start = line.firstIndex(of: "/")
      else { continue }
      let image = try ELFImage(ELFBytes(try bytes(of: String(line[start...]))))
      #expect(throws: Never.self, "\(name)") { try ELFRelocations.check(image) }
    }
  }

  /// Returns the object with one relocation changed: the first in its table that satisfies `condition`.
  private func changed(
    _ part: Int, to value: UInt64, where condition: (ELFTable, Int) -> Bool = { _, _ in true }
  ) throws -> String {
    var object = try bytes(of: TestPlugin.compile(Self.source))
    let image = try ELFImage(ELFBytes(object))
    let table = try #require(image.dynamic.relocations.first)
    let entries = try image.table(at: table.address, count: table.size, "relocations")
    let at = try #require(stride(from: 0, to: entries.count, by: 24).first { condition(entries, $0) })
    let offset = Int(try #require(image.offset(of: table.address, table.size))) + at + 8 * part
    for index in 0..<8 { object[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    return try scratch.write(object, to: "changed.so")
  }

  @Test(
    "a place outside the writable parts is refused",
    arguments: [0, 0x10, .max, .max - 3, 1 << 40, 1 << 63] as [UInt64])
  func place(place: UInt64) throws {
    let (code, message) = verification(of: try changed(0, to: place))
    #expect(code == .notASharedObject)
    #expect(message.contains("is refused: it is damaged: a relocation lies outside the writable segments; build"))
  }

  @Test("a symbol that does not exist is refused", arguments: [100_000, 0xFFFF_FFFF] as [UInt64])
  func symbol(number: UInt64) throws {
    let (code, message) = verification(of: try changed(1, to: number << 32 | 6) { $0.u64($1 + 8) & 0xFF == 6 })
    #expect(code == .notASharedObject)
    #expect(message.contains("is refused: it is damaged: "))
  }

  @Test("an initialiser that is not code is refused", arguments: [8, 1 << 40, .max - 1] as [UInt64])
  func initializer(address: UInt64) throws {
    let image = try ELFImage(ELFBytes(try bytes(of: TestPlugin.compile(Self.source))))
    let array = try #require(image.dynamic.functionArrays.first)
    let path = try changed(2, to: address) { $0.u64($1) == array.address }
    let (code, message) = verification(of: path)
    #expect(code == .notASharedObject)
    #expect(message.contains("a function to call when it is loaded lies outside its code"))
  }

  /// Run ten thousand rounds with `PENSTOCK_SOAK=full swift test --filter RelocationTests`.
  @Test("damaged objects are refused, or detected in a child, or harmless in the host")
  func fuzz() async throws {
    let objects = try [[], ["-Wl,-z,pack-relative-relocs"]].map {
      try bytes(of: TestPlugin.compile(Self.source, flags: $0))
    }
    var counts: [String: Int] = [:]
    for round in Self.rounds {
      var random = SeededRandom(seed: Self.seed &+ UInt64(round))
      var object = objects[round % objects.count]
      let change = try Self.damage(&object, &random)
      let path = try scratch.write(object, to: "mutant-\(round).so")
      let place: Comment = "repeat with PENSTOCK_SOAK_SEED=\(Self.seed) PENSTOCK_SOAK_ROUND=\(round): \(change)"
      let outcome = try await Self.outcome(path)
      counts[outcome, default: 0] += 1
      #expect(outcome != "crash", place)
      unlink(path)
    }
    // If nothing was refused, or nothing loaded, the test did not cover that.
    if Self.rounds.count >= 100 { #expect(counts["refused", default: 0] > 0 && counts["loaded", default: 0] > 0) }
  }

  /// Changes some bytes of the tables of relocations.
  private static func damage(_ object: inout [UInt8], _ random: inout SeededRandom) throws -> String {
    let image = try ELFImage(ELFBytes(object))
    let tables = image.dynamic.relocations + (image.dynamic.relativeRelocations.map { [$0] } ?? [])
    var changes: [String] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let table = tables[Int.random(in: 0..<tables.count, using: &random)]
      guard let offset = image.offset(of: table.address, table.size) else { continue }
      let at = Int(offset) + Int.random(in: 0..<Int(table.size), using: &random)
      if Bool.random(using: &random) {
        object[at] ^= 1 << UInt8.random(in: 0...7, using: &random)
      } else {
        object[at] = .random(in: 0...255, using: &random)
      }
      changes.append("byte \(at) to \(object[at])")
    }
    return changes.joined(separator: ", ")
  }

  /// Treats a file as a host treats one that did not come with Penstock: verified, loaded in a child, and only then loaded where a crash matters.
  private static func outcome(_ path: String) async throws -> String {
    guard verification(of: path).code == nil else { return "refused" }
    let launch = try IsolatedTestPlugin.launch(path)
    let isFine = await withCheckedContinuation { continuation in
      _ = TestThread { continuation.resume(returning: (try? PluginProbe.describe(launch)) != nil) }
    }
    guard isFine else { return "found out" }
    return try TestProcess([IsolatedTestPlugin.program, "loads", path]).wait() == 0 ? "loaded" : "crash"
  }
}
