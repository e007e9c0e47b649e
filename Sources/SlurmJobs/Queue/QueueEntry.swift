/// One line of `squeue`: a job, an element of an array, or the waiting elements of an array.
package struct QueueEntry: Sendable, Hashable {
  /// The number of the job or the array.
  package var job: Int64
  /// The elements of the array; nil for all that are not listed singly.
  package var indices: IndexSet?
  /// The name of the job, which is the token of its batch.
  package var name: String
  package var state: SlurmState
  /// The state in Slurm's own word.
  package var stateName: String
  /// Why Slurm keeps it waiting, in Slurm's own word.
  package var reason: String
  /// When it started, or will start, in seconds since 1970; nil if unknown.
  package var start: Int64?
  /// When it was submitted, in seconds since 1970; nil if unknown.
  package var submitted: Int64?
  /// The nodes; empty if it has none yet.
  package var nodes: String
  package var partition: String

  /// The elements of an array, as Slurm lists them: `0-3,7`.
  package struct IndexSet: Sendable, Hashable {
    package var ranges: [ClosedRange<Int>]

    package func contains(_ index: Int) -> Bool { ranges.contains { $0.contains(index) } }
    /// The only element; nil if there are several.
    package var single: Int? { ranges.count == 1 && ranges[0].count == 1 ? ranges[0].lowerBound : nil }
  }
}

/// An answer of `squeue`, which tells about all jobs of the user.
package struct QueueListing: Sendable {
  /// The format in which ``init(text:)`` expects it.
  package static let format = "%i|%j|%T|%r|%S|%V|%N|%P"
  /// How the answer begins. It is asked for, because without it an empty answer and none look alike.
  private static let header = "JOBID|NAME|STATE|REASON|START_TIME|SUBMIT_TIME|NODELIST|PARTITION"

  private var entries: [String: [QueueEntry]] = [:]

  /// Reads an answer; nil if it is not one, because its first line is not the header or some line has too few columns. A line with more columns is
  /// skipped: it contains a job or a node with a strange name, and tokens have none.
  package init?(text: String) {
    var lines = text.split(separator: "\n")[...]
    guard lines.popFirst() == Self.header[...] else { return nil }
    for line in lines {
      let columns = line.split(separator: "|", omittingEmptySubsequences: false)
      guard columns.count >= 8 else { return nil }
      guard columns.count == 8, let entry = QueueEntry(columns) else { continue }
      entries[entry.name, default: []].append(entry)
    }
  }

  /// Returns what is known about an element of a batch. An entry of the element itself counts before one that stands for all that are not listed singly:
  /// a waiting array that is cancelled from outside is listed without indices.
  package func entry(batch: String, job: Int64?, index: Int) -> QueueEntry? {
    let known = (entries[batch] ?? []).filter { job == nil || $0.job == job }
    return known.first { $0.indices?.contains(index) == true } ?? known.first { $0.indices == nil }
  }
}

extension QueueEntry {
  fileprivate init?(_ columns: [Substring]) {
    guard let id = SlurmJobID(columns[0]) else { return nil }
    job = id.job
    indices = id.indices
    name = String(columns[1])
    state = SlurmState(name: columns[2])
    stateName = String(columns[2])
    reason = String(columns[3])
    start = Int64(columns[4])
    submitted = Int64(columns[5])
    nodes = String(columns[6])
    partition = String(columns[7])
  }
}

/// The number of a job as Slurm writes it: `13`, `13_7`, or `13_[0-99%5]` for the waiting elements of an array.
package struct SlurmJobID: Sendable, Hashable {
  package var job: Int64
  package var indices: QueueEntry.IndexSet?

  package init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "_", maxSplits: 1)
    guard let first = parts.first, let job = Int64(first), job > 0 else { return nil }
    self.job = job
    guard parts.count == 2 else { return }
    var list = parts[1][...]
    if list.hasPrefix("["), list.hasSuffix("]") { list = list.dropFirst().dropLast() }
    // What follows is the largest number of elements that run at once.
    list = list.prefix { $0 != "%" }
    var ranges: [ClosedRange<Int>] = []
    for part in list.split(separator: ",") {
      // A long list is cut: `0-3,7,...`.
      if part == "..." { return }
      let bounds = part.split(separator: ":")[0].split(separator: "-").compactMap { Int($0) }
      guard let low = bounds.first, let high = bounds.last, low <= high, bounds.count <= 2 else { return nil }
      ranges.append(low...high)
    }
    guard !ranges.isEmpty else { return nil }
    indices = QueueEntry.IndexSet(ranges: ranges)
  }
}
