/// One of those that do the same work: the floor, Penstock, or a peer.
struct Contender: Sendable {
  let name: String
  /// Makes what a round needs in its own new directory, untimed, and returns the command to time.
  let prepare: @Sendable (_ directory: String) throws -> Command
  /// Looks whether the work was done, after the warm-up round.
  var verify: @Sendable (_ directory: String) async throws -> Void = { _ in }
}

/// What a workload must show.
enum Goal: Sendable {
  /// Subject divided by floor.
  case ratio(atMost: Double)
  /// Subject minus floor.
  case added(atMostMilliseconds: Double)
  /// The subject's time.
  case time(atMostMilliseconds: Double)
  /// Operations divided by the subject's time.
  case throughput(operations: Int, atLeast: Double)
  /// A ratio without a target.
  case informativeRatio
  /// A time without a target.
  case informativeTime
}

/// One line of the table: a piece of work, and what it should cost.
struct Workload: Sendable {
  /// What `--only` knows it by.
  let name: String
  /// What is done, in a few words.
  let title: String
  let goal: Goal
  let subject: Contender
  var floor: Contender?
  var peers: [Contender] = []
  /// The most memory the subject may have resident, in bytes.
  var memoryLimit: Int?
  /// How many rounds for each one asked for: short work needs more of them.
  var roundFactor = 1
  /// A second time to be judged by the same goal, in seconds, taken from what the round left in its directory.
  var innerTime: (title: String, read: @Sendable (_ directory: String) async throws -> Double)?
}
