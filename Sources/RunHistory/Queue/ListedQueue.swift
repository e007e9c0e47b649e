/// The queue of a workspace in memory, for readers that determine the order in which a host will take the runs.
struct ListedQueue: QueuedRuns {
  /// The runs of a pipeline in one class, the oldest last.
  private struct Line {
    var pipeline: Name
    var runs: [Int64]
  }

  /// A name ordered by its bytes.
  private struct Name: Comparable {
    var text: String

    static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
  }

  /// The lines of each class, by name; classes without runs are absent.
  private var lines: [QueueTurns.Class: [Line]] = [:]
  /// The priorities in each queue, the lowest first.
  private var priorities: [String: [Int64]] = [:]
  private var queues: [Name] = []
  private let latest: [QueueTurns.Class: String]
  private var turns: [Served: Int64]
  private var lastTurn: Int64

  /// A pipeline with a priority, as which it has had turns.
  struct Served: Hashable {
    var pipeline: String
    var priority: Int64
  }

  init(_ runs: [QueueTurns.Candidate], latest: [QueueTurns.Class: String], turns: [Served: Int64]) {
    self.latest = latest
    self.turns = turns
    lastTurn = turns.values.max() ?? 0
    for (place, members) in Dictionary(grouping: runs, by: \.place) {
      lines[place] = Dictionary(grouping: members, by: \.pipeline).map { name, runs in
        Line(pipeline: Name(text: name), runs: runs.map(\.run).sorted(by: >))
      }.sorted { $0.pipeline < $1.pipeline }
      priorities[place.queue, default: []].append(place.priority)
    }
    for queue in priorities.keys { priorities[queue]?.sort() }
    queues = priorities.keys.map(Name.init).sorted()
  }

  func queue(after name: String?) -> String? {
    guard let name else { return queues.first?.text }
    return queues.first { Name(text: name) < $0 }?.text
  }

  func priority(in queue: String, below limit: Int64) -> Int64? { priorities[queue]?.last { $0 < limit } }

  func latest(in place: QueueTurns.Class) -> String? { latest[place] }

  func turn(of pipeline: String, priority: Int64) -> Int64 {
    turns[Served(pipeline: pipeline, priority: priority)] ?? 0
  }

  func first(in place: QueueTurns.Class, after name: String, upTo end: String?) -> QueueTurns.Candidate? {
    guard let lines = lines[place] else { return nil }
    let index = Self.index(after: Name(text: name), in: lines)
    guard index < lines.count, let run = lines[index].runs.last else { return nil }
    if let end, Name(text: end) < lines[index].pipeline { return nil }
    return QueueTurns.Candidate(run: run, pipeline: lines[index].pipeline.text, place: place)
  }

  mutating func take(_ candidate: QueueTurns.Candidate) {
    let place = candidate.place
    lastTurn += 1
    turns[Served(pipeline: candidate.pipeline, priority: place.priority)] = lastTurn
    let name = Name(text: candidate.pipeline)
    guard let index = lines[place].map({ Self.index(after: name, in: $0) - 1 }), index >= 0,
      lines[place]?[index].pipeline == name
    else { return }
    lines[place]?[index].runs.removeLast()
    guard lines[place]?[index].runs.isEmpty == true else { return }
    lines[place]?.remove(at: index)
    guard lines[place]?.isEmpty == true else { return }
    lines[place] = nil
    priorities[place.queue]?.removeAll { $0 == place.priority }
    guard priorities[place.queue]?.isEmpty == true else { return }
    priorities[place.queue] = nil
    queues.removeAll { $0.text == place.queue }
  }

  /// Returns the index of the first line after a name.
  private static func index(after name: Name, in lines: [Line]) -> Int {
    var (low, high) = (0, lines.count)
    while low < high {
      let middle = (low + high) / 2
      if name < lines[middle].pipeline { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
