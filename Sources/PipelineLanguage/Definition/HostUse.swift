/// What a pipeline wants of a host, with the places where it says so: known to those who check it against one.
struct HostUse: Sendable {
  /// A stretch of a file.
  struct Place: Sendable {
    /// The path of the file, as messages show it.
    var file: String
    var range: SourceRange
  }

  /// How much of a resource an operation takes.
  struct Demand: Sendable {
    var resource: String
    var amount: Int
    /// The most that the pipeline takes at once which the operation runs, and holds the resource around.
    var inner: Int
    /// Whether the pipeline declares the resource for itself.
    var isDeclared: Bool
    /// How messages name the operation.
    var taker: String
    /// Where the resource is named.
    var name: Place
    /// Where the amount is written.
    var number: Place
  }

  /// Where the pipeline names its queue.
  var queue: Place?
  /// Where its formulas ask for a terminal, which no host has.
  var terminals: [Place] = []
  /// What its own operations take, in the order of the file.
  private(set) var demands: [Demand] = []
  /// The most of each resource that one operation takes at once, with what the pipeline takes that it runs.
  private(set) var most: [String: Int] = [:]

  /// Nothing is wanted.
  init() {}

  /// Adds what an operation takes, and what the pipeline takes that it runs.
  mutating func add(_ own: [Demand], running nested: HostUse?) {
    demands += own
    var sums = nested?.most ?? [:]
    for demand in own { sums[demand.resource, default: 0] = Self.sum(sums[demand.resource] ?? 0, demand.amount) }
    most.merge(sums) { max($0, $1) }
  }

  /// Amounts may be as large as a number can be.
  static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, overflows) = first.addingReportingOverflow(second)
    return overflows ? .max : sum
  }
}
