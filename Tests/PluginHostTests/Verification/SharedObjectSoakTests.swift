import Foundation
import OperationsTesting
import Testing

@testable import PluginHost

/// Mutated shared objects: whatever a file contains, the verifier refuses or accepts it, and does not crash. None of them is loaded here.
///
/// Run the long form with `PENSTOCK_SOAK=full swift test --filter SoakTests`; `PENSTOCK_SOAK_SEED` and `PENSTOCK_SOAK_ROUND` repeat a round.
@Suite("Mutated shared objects")
struct SharedObjectSoakTests {
  private static let environment = ProcessInfo.processInfo.environment
  private static let isFull = environment["PENSTOCK_SOAK"] == "full"
  private static let seed = environment["PENSTOCK_SOAK_SEED"].flatMap { UInt64($0) } ?? 20_261_122
  private static let rounds: Range<Int> = {
    if let only = environment["PENSTOCK_SOAK_ROUND"].flatMap({ Int($0) }) { return only..<(only + 1) }
    return 0..<(isFull ? 10_000 : 300)
  }()

  @Test("ten thousand of them are accepted, or refused with a reason")
  func fuzz() throws {
    let scratch = try Scratch()
    let seeds = try [["-Wl,--hash-style=gnu"], ["-Wl,--hash-style=sysv"], ["-s", "-Wl,-z,relro,-z,now"]].map {
      try bytes(of: TestPlugin.compile(TestPlugin.Source(), flags: $0))
    }
    var counts: [String: Int] = [:]
    for round in Self.rounds {
      var mutator = ObjectMutator(seed: Self.seed &+ UInt64(round))
      let mutant = mutator.mutant(of: seeds[round % seeds.count])
      let place: Comment = "repeat with PENSTOCK_SOAK_SEED=\(Self.seed) PENSTOCK_SOAK_ROUND=\(round): \(mutant.change)"
      let outcome = Self.verify(ELFBytes(mutant.bytes))
      counts[outcome?.code.rawValue ?? "accepted", default: 0] += 1
      if let expected = mutant.expected { #expect(outcome?.code == expected, place) }
      if let outcome {
        #expect(!outcome.reason.isEmpty && !outcome.fix.isEmpty, place)
        #expect(
          [.notASharedObject, .wrongArchitecture, .noEntry, .versionMismatch, .malformed].contains(outcome.code), place)
      }
      // The result is the same when read from a file.
      if round % 10 == 0 {
        let path = try scratch.write(mutant.bytes, to: "mutant.so")
        #expect(verification(of: path).code == outcome?.code, place)
      }
    }
    // If all were refused, or all accepted, the test did not cover the rest.
    if Self.rounds.count >= 300 {
      #expect(
        counts.keys.sorted() == [
          "abi-mismatch", "accepted", "malformed-plugin", "no-plugin-entry", "not-a-shared-object",
          "wrong-architecture",
        ])
    }
  }

  private static func verify(_ bytes: ELFBytes) -> Refusal? {
    do throws(Refusal) {
      let image = try ELFImage(bytes)
      _ = try PluginEntry(image)
      try ELFRelocations.check(image)
      _ = try image.dynamic.libraries(image)
      return nil
    } catch {
      return error
    }
  }
}

/// Changes a shared object where it matters: in the headers and the tables that the dynamic linker reads.
private struct ObjectMutator {
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  struct Mutant {
    var bytes: [UInt8]
    /// A description of the change.
    var change: String
    /// The expected result, if it is known.
    var expected: PluginError.Code?
  }

  mutating func mutant(of object: [UInt8]) -> Mutant {
    switch Int.random(in: 0..<10, using: &random) {
    case 0:
      let end = Self.segments(of: object).filter { $0.kind == 1 }.map { $0.range.upperBound }.max() ?? 0
      let size = Int.random(in: 0..<end, using: &random)
      return Mutant(bytes: Array(object[..<size]), change: "cut to \(size)", expected: .notASharedObject)
    case 1:
      var bytes = object
      let machines: [UInt8] = [3, 8, 20, 40, 43]
      bytes[18] = machines[Int.random(in: 0..<machines.count, using: &random)]
      return Mutant(bytes: bytes, change: "machine \(bytes[18])", expected: .wrongArchitecture)
    case 2:
      var bytes = object
      bytes[4] = 1
      return Mutant(bytes: bytes, change: "32 bits", expected: .wrongArchitecture)
    default:
      var bytes = object
      var changes: [String] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) { changes.append(change(&bytes, in: object)) }
      return Mutant(bytes: bytes, change: changes.joined(separator: ", "), expected: nil)
    }
  }

  /// Makes one change at one place; the places are those of the sound object.
  private mutating func change(_ bytes: inout [UInt8], in object: [UInt8]) -> String {
    let range = place(in: object)
    if Bool.random(using: &random) {
      let at = Int.random(in: range, using: &random)
      let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
      bytes[at] ^= bit
      return "bit \(bit) of byte \(at)"
    }
    let width = [2, 4, 8][Int.random(in: 0..<3, using: &random)]
    let values: [UInt64] = [
      0, 1, 0xFF, 0x7FFF_FFFF, 0xFFFF_FFFF, .max, .max - 7, 1 << 63, UInt64(object.count), UInt64(object.count) - 1,
      4096,
      UInt64.random(in: 0...(.max), using: &random), UInt64.random(in: 0...UInt64(object.count), using: &random),
    ]
    let value = values[Int.random(in: 0..<values.count, using: &random)]
    let at = min(Int.random(in: range, using: &random) / width * width, object.count - width)
    for index in 0..<width { bytes[at + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
    return "\(width) bytes at \(at) to \(value)"
  }

  private mutating func place(in object: [UInt8]) -> Range<Int> {
    let segments = Self.segments(of: object)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: return 0..<64
    case 1: return 64..<(64 + 56 * segments.count)
    case 2: return segments.first { $0.kind == 2 }?.range ?? 0..<64
    // The tables of hashes, symbols and strings follow the program headers.
    case 3, 4: return 64 + 56 * segments.count..<min(object.count, 2048)
    default:
      // The entry is among the relocated data, just before the writable data or in it.
      let data = segments.last { $0.kind == 1 }?.range ?? 0..<64
      return data.lowerBound..<min(data.upperBound, data.lowerBound + 1024)
    }
  }

  private static func segments(of object: [UInt8]) -> [(kind: UInt32, range: Range<Int>)] {
    let table = ELFTable(bytes: object)
    return (0..<Int(table.u16(56))).map { index in
      let at = Int(table.u64(32)) + 56 * index
      let offset = Int(table.u64(at + 8))
      return (table.u32(at), offset..<(offset + Int(table.u64(at + 32))))
    }
  }
}
