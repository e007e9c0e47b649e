import Foundation
import Testing
import Workspace
import WorkspaceChild

@Suite("Two processes with eight writers")
struct SerialisabilityTests {
  private static var isFull: Bool { ProcessInfo.processInfo.environment["PENSTOCK_SOAK"] == "full" }

  @Test("see one order of all transactions and snapshots, which agrees with the clock", .timeLimit(.minutes(20)))
  func order() throws {
    let directory = try TemporaryDirectory()
    let count = Self.isFull ? 2_000 : 400
    let children = try (1...2).map { seed in
      try Child(["compete", directory.workspace, "\(seed)", "4", "\(count)", directory.path + "/history-\(seed)"])
    }
    for child in children { #expect(child.line() == "ready") }
    for child in children { child.endInput() }
    for child in children { try #require(child.wait() == 0) }
    let observations = try (1...2).flatMap { seed in
      try String(contentsOfFile: directory.path + "/history-\(seed)", encoding: .utf8).split(separator: "\n")
        .map { try #require(Observation(line: $0)) }
    }
    #expect(observations.count == 8 * count)
    #expect(History(observations: observations).fault == nil)
    #expect(Self.overlaps(observations) > 100, "they hardly met, so that this shows little")
    let workspace = try openRegisters(directory.workspace)
    #expect(try workspace.checkIntegrity() == [])
    // The current versions are those that were not replaced.
    let replaced = Set(observations.flatMap { seen in seen.written.map { [$0, seen.seen[$0] ?? 0] } })
    for register in try workspace.fetch(for: Register.self).all() {
      #expect(!replaced.contains([register.key, register.version]))
    }
  }

  /// Returns how many of one process's transactions overlapped with one of the other process.
  private static func overlaps(_ observations: [Observation]) -> Int {
    let (first, second) = (
      observations.filter { $0.version < 200_000_000 }, observations.filter { $0.version >= 200_000_000 }
    )
    let sorted = second.sorted { $0.began < $1.began }
    return first.count { one in sorted.contains { $0.began < one.ended && one.began < $0.ended } }
  }

  @Test("The checker accepts histories that can be explained, and rejects others")
  func checker() {
    func seen(_ version: Int, _ began: UInt64, _ ended: UInt64, _ seen: [Int: Int], _ written: Set<Int> = [])
      -> Observation
    {
      Observation(version: version, began: began, ended: ended, seen: seen, written: written)
    }
    func fault(_ observations: Observation...) -> String? { History(observations: observations).fault }
    // One after the other, and concurrently in either order.
    #expect(fault(seen(1, 0, 1, [0: 0], [0]), seen(2, 2, 3, [0: 1], [0]), seen(3, 4, 5, [0: 2])) == nil)
    #expect(fault(seen(1, 0, 9, [0: 0], [0]), seen(2, 0, 9, [0: 0])) == nil)
    #expect(fault(seen(1, 0, 9, [0: 0], [0]), seen(2, 0, 9, [0: 1])) == nil)
    // A lost update.
    #expect(fault(seen(1, 0, 9, [0: 0], [0]), seen(2, 0, 9, [0: 0], [0]))?.hasPrefix("a lost update") == true)
    // A stale read, after the end of the writer.
    #expect(fault(seen(1, 0, 1, [0: 0], [0]), seen(2, 2, 3, [0: 0]))?.hasPrefix("no order") == true)
    // Write skew: each has read what the other one replaced.
    #expect(fault(seen(1, 0, 9, [0: 0, 1: 0], [0]), seen(2, 0, 9, [0: 0, 1: 0], [1]))?.hasPrefix("no order") == true)
    // A snapshot of half a transaction, and two readers that see two writers in different orders.
    #expect(fault(seen(1, 0, 9, [0: 0, 1: 0], [0, 1]), seen(2, 0, 9, [0: 1, 1: 0]))?.hasPrefix("no order") == true)
    #expect(
      fault(
        seen(1, 0, 9, [0: 0], [0]), seen(2, 0, 9, [1: 0], [1]), seen(3, 0, 9, [0: 1, 1: 0]),
        seen(4, 0, 9, [0: 0, 1: 2]))?
        .hasPrefix("no order") == true)
    #expect(fault(seen(1, 0, 9, [0: 7]))?.contains("nobody wrote") == true)
  }
}
