import Glibc
import Synchronization
import Workspace

/// What one transaction or snapshot has read and written, and when.
package struct Observation: Sendable, Equatable {
  /// The version that it writes to registers, unique to each transaction. Readers have versions as well, but do not write them.
  package var version: Int
  /// Nanoseconds of a clock shared by all processes: just before the call, and just after the completion.
  package var began: UInt64
  package var ended: UInt64
  /// The version of each register that was read.
  package var seen: [Int: Int]
  /// The registers that were written; each was read before.
  package var written: Set<Int>

  package init(version: Int, began: UInt64, ended: UInt64, seen: [Int: Int], written: Set<Int>) {
    self.version = version
    self.began = began
    self.ended = ended
    self.seen = seen
    self.written = written
  }

  var line: String {
    let seen = seen.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: ",")
    return "\(version) \(began) \(ended) \(seen) \(written.sorted().map(String.init).joined(separator: ","))"
  }

  /// Parses a line; returns nil if it is malformed.
  package init?(line: some StringProtocol) {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 5, let version = Int(parts[0]), let began = UInt64(parts[1]), let ended = UInt64(parts[2])
    else { return nil }
    let pairs = parts[3].split(separator: ",").map { $0.split(separator: ":").compactMap { Int($0) } }
    guard pairs.allSatisfy({ $0.count == 2 }) else { return nil }
    self.init(
      version: version, began: began, ended: ended,
      seen: Dictionary(pairs.map { ($0[0], $0[1]) }, uniquingKeysWith: { first, _ in first }),
      written: Set(parts[4].split(separator: ",").compactMap { Int($0) }))
  }
}

/// Tasks that read and change the same few registers.
enum Competition {
  private static let registers = 5

  static func take(part directory: String, seed: UInt64, tasks: Int, count: Int, file: String) async throws {
    let workspace = try openRegisters(directory)
    say("ready")
    // All processes start when their input ends.
    while getchar() != EOF {}
    let observations = try await withThrowingTaskGroup(of: [Observation].self) { group in
      for task in 0..<tasks {
        group.addTask {
          var random = Repeatable(seed: seed &* 31 &+ UInt64(task))
          var observations: [Observation] = []
          for turn in 0..<count {
            let version = Int(seed) * 100_000_000 + task * 1_000_000 + turn + 1
            observations.append(try await observe(workspace, version, &random))
          }
          return observations
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    await workspace.shutdown()
    let text = observations.map { $0.line + "\n" }.joined()
    guard let output = fopen(file, "w"), fputs(text, output) >= 0, fclose(output) == 0 else {
      throw WorkspaceError.io(path: file, code: Int(errno), message: "cannot write the history")
    }
  }

  private static func observe(
    _ workspace: OpenWorkspace, _ version: Int, _ random: inout Repeatable
  ) async throws -> Observation {
    let keys = Set(
      (0..<Int.random(in: 1...3, using: &random)).map { _ in Int.random(in: 0..<registers, using: &random) })
    let began = now()
    let seen: [Int: Int]
    var written: Set<Int> = []
    if Int.random(in: 0..<3, using: &random) == 0 {
      seen = try workspace.fetchWithinASnapshot { snapshot in
        try read(keys) { try snapshot.fetch(for: Register.self).where(Register.key == $0).first }
      }
    } else {
      written = keys.filter { _ in Bool.random(using: &random) }
      let toWrite = written
      seen = try await workspace.performChanges([Register.self]) { context in
        let seen = try read(keys) { try context.fetch(for: Register.self).where(Register.key == $0).first }
        for key in toWrite.sorted() {
          try context.submit(Register.upsertRequest(Register(key: key, version: version)))
        }
        return seen
      }
    }
    return Observation(version: version, began: began, ended: now(), seen: seen, written: written)
  }

  private static func read(_ keys: Set<Int>, _ read: (Int) throws -> Register?) rethrows -> [Int: Int] {
    var seen: [Int: Int] = [:]
    for key in keys.sorted() { seen[key] = try read(key)?.version ?? 0 }
    return seen
  }

  private static func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
