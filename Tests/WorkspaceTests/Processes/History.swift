import WorkspaceChild

/// The observations of several processes, checked for an order that explains all of them.
///
/// Each write was made by a transaction that had read what it replaced, and every version is written once. The versions of a register therefore form a
/// chain, and the reads of each transaction place it between two links. A transaction that ended before another began also precedes it. If nothing of this
/// contradicts itself, there is an order, and the history is strictly serializable.
struct History {
  let observations: [Observation]

  /// A description of what is wrong; nil if there is an order.
  var fault: String? {
    var writers: [Link: Int] = [:]
    for (place, observation) in observations.enumerated() {
      for key in observation.written { writers[Link(key: key, version: observation.version)] = place }
    }
    var successors: [Link: Int] = [:]
    for (place, observation) in observations.enumerated() {
      for key in observation.written {
        guard let before = observation.seen[key] else { return "\(observation) has not read what it replaced" }
        let link = Link(key: key, version: before)
        if let other = successors[link] {
          return "a lost update: \(observations[other]) and \(observation) replace the same version of register \(key)"
        }
        successors[link] = place
      }
    }
    var graph = Graph(count: observations.count)
    for (place, observation) in observations.enumerated() {
      for (key, version) in observation.seen {
        let link = Link(key: key, version: version)
        if version != 0 {
          guard let writer = writers[link] else { return "\(observation) has read what nobody wrote" }
          graph.add(writer, before: place)
        }
        if let next = successors[link], next != place { graph.add(place, before: next) }
      }
    }
    graph.add(times: observations.map { ($0.began, $0.ended) })
    guard let cycle = graph.contradiction(of: observations.count) else { return nil }
    return "no order: " + cycle.map { "\(observations[$0])" }.joined(separator: "; ")
  }

  private struct Link: Hashable {
    let key: Int
    let version: Int
  }
}

/// The known precedences.
private struct Graph {
  private var following: [[Int]]

  init(count: Int) {
    following = Array(repeating: [], count: count)
  }

  mutating func add(_ place: Int, before other: Int) {
    following[place].append(other)
  }

  /// Places each transaction that ended before all that began later, through nodes that stand for instants.
  mutating func add(times: [(began: UInt64, ended: UInt64)]) {
    let events =
      times.enumerated().map { (time: $1.began, isEnd: false, place: $0) }
      + times.enumerated().map { (time: $1.ended, isEnd: true, place: $0) }
    var instant: Int?
    // Within the same nanosecond, none precedes the other.
    for event in events.sorted(by: { ($0.time, $0.isEnd ? 1 : 0) < ($1.time, $1.isEnd ? 1 : 0) }) {
      if !event.isEnd {
        if let instant { following[instant].append(event.place) }
        continue
      }
      let new = following.count
      following.append([])
      if let instant { following[instant].append(new) }
      following[event.place].append(new)
      instant = new
    }
  }

  /// Returns some of the first `count` nodes that have no order; nil if all have one.
  func contradiction(of count: Int) -> [Int]? {
    var waiting = Array(repeating: 0, count: following.count)
    for places in following { for place in places { waiting[place] += 1 } }
    var free = waiting.indices.filter { waiting[$0] == 0 }
    while let place = free.popLast() {
      for next in following[place] {
        waiting[next] -= 1
        if waiting[next] == 0 { free.append(next) }
      }
    }
    let stuck = waiting.indices.filter { waiting[$0] > 0 && $0 < count }
    return stuck.isEmpty && waiting.allSatisfy({ $0 == 0 }) ? nil : Array(stuck.prefix(6))
  }
}
