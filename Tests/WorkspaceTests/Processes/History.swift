import WorkspaceChild

/// What several processes have observed, and whether there is one order of it that explains everything.
///
/// Each write was made by a transaction that had read what it replaced, and every version is written once; so the versions of a register
/// form a chain, and what each transaction has read puts it between two links. A transaction that ended before another one began comes
/// before it too. If all this contradicts itself nowhere, there is an order, and the history is strictly serialisable.
struct History {
  let observations: [Observation]

  /// What is wrong, in words; nil if there is an order.
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

/// What comes before what.
private struct Graph {
  private var following: [[Int]]

  init(count: Int) {
    following = Array(repeating: [], count: count)
  }

  mutating func add(_ place: Int, before other: Int) {
    following[place].append(other)
  }

  /// Whoever ended comes before whoever began later, by way of nodes that stand for instants.
  mutating func add(times: [(began: UInt64, ended: UInt64)]) {
    let events =
      times.enumerated().map { (time: $1.began, isEnd: false, place: $0) }
      + times.enumerated().map { (time: $1.ended, isEnd: true, place: $0) }
    var instant: Int?
    // At the same nanosecond nobody has come before.
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

  /// Some of those that have no order, of the first `count` nodes; nil if all have one.
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
