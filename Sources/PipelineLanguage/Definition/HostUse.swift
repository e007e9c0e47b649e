/// What a pipeline requires of a host, with the places in its files. Pipelines that run this one, and checks against a host, use it.
struct HostUse: Sendable {
  /// A range of a file.
  struct Place: Sendable {
    /// The path of the file, as messages show it.
    var file: String
    var range: SourceRange
  }

  /// The amount of a resource that an operation takes.
  struct Demand: Sendable {
    var resource: String
    var amount: Int
    /// The maximum amount that a nested pipeline takes at once while the operation holds the resource.
    var inner: Int
    /// Whether the pipeline declares the resource itself.
    var isDeclared: Bool
    /// The name of the operation for messages.
    var taker: String
    /// The place of the resource's name.
    var name: Place
    /// The place of the amount.
    var number: Place
  }

  /// Another pipeline that a condition names.
  struct Mention: Sendable {
    var pipeline: String
    /// The place of its name.
    var place: Place
  }

  /// The place where the pipeline names its queue.
  var queue: Place?
  /// The places where its conditions require a terminal, which no host has.
  var terminals: [Place] = []
  /// The pipelines that its conditions name, in file order.
  var pipelines: [Mention] = []
  /// What its own operations take, in file order.
  private(set) var demands: [Demand] = []
  /// The maximum amount of each resource that one operation takes at once, including its nested pipeline.
  private(set) var most: [String: Int] = [:]

  /// Creates a use that requires nothing.
  init() {}

  /// Adds what an operation takes, and what its nested pipeline takes.
  mutating func add(_ own: [Demand], running nested: HostUse?) {
    demands += own
    var sums = nested?.most ?? [:]
    for demand in own { sums[demand.resource, default: 0] = Self.sum(sums[demand.resource] ?? 0, demand.amount) }
    most.merge(sums) { max($0, $1) }
  }

  /// Returns the sum, or `.max` on overflow: amounts may be arbitrarily large.
  static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, overflows) = first.addingReportingOverflow(second)
    return overflows ? .max : sum
  }
}
