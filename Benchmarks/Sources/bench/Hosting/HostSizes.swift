/// How much of everything is measured.
struct HostSizes: Sendable {
  /// Pipelines of the idle host.
  var pipelines = 1000
  /// How long hosts do nothing before they are looked at, in seconds.
  var settle = 600
  /// How long they are looked at, in seconds.
  var window = 60
  /// Queued runs whose rate is measured.
  var runs = 10_000
  /// Short runs that are measured beside others, and alone.
  var short = 1000
  /// Runs beside them that wait or sleep, and runs that go on when one is cancelled.
  var others = 500
  /// Runs of a long queue.
  var queued = 100_000
  /// How many of them are begun.
  var begun = 500
  /// Runs that are started by command.
  var starts = 200
  /// Pipelines that are due in one second.
  var instants = 100
  /// Runs that are cancelled by command.
  var cancels = 100
  /// How often throughput and starts of hosts are measured.
  var rounds = 3

  /// Whether everything works, which says nothing about how fast it is.
  static let quick = HostSizes(
    pipelines: 20, settle: 2, window: 2, runs: 100, short: 50, others: 10, queued: 1000, begun: 20, starts: 5,
    instants: 10, cancels: 5, rounds: 1)
}
