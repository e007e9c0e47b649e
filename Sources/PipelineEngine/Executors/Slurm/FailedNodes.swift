import RunHistory

/// The nodes that failed while they ran attempts of an operation, which its next attempts avoid. *On the event loop.*
final class FailedNodes {
  /// How many are avoided, the latest ones.
  static let most = 8

  private var nodes: [RunID: [Int: [String]]] = [:]

  /// Notes that a node failed while it ran a job.
  func note(_ node: String, of job: JobID) {
    guard Self.isName(node) else { return }
    var list = (nodes[job.run]?[job.ordinal] ?? []).filter { $0 != node }
    list.append(node)
    nodes[job.run, default: [:]][job.ordinal] = list.suffix(Self.most)
  }

  /// Returns the nodes that a job must not run on, in the order in which they failed.
  func avoided(by job: JobID) -> [String] { nodes[job.run]?[job.ordinal] ?? [] }

  /// Drops those of a run, which has ended.
  func forget(_ run: RunID) { nodes[run] = nil }

  /// Whether a text of Slurm is the name of one node, rather than a list.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        ($0 | 32 >= 97 && $0 | 32 <= 122) || (48...57).contains($0) || $0 == 45 || $0 == 46 || $0 == 95
      }
  }
}
