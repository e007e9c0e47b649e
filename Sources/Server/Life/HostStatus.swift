import PipelineEngine
import RunHistory
import Workspace

/// The current work of a host in one line: `12 running, 3 queued, next: nightly 03:00`.
struct HostStatus: Sendable {
  var running: Int
  var queued: Int
  /// The pipeline that is due next and its time, if known.
  var next: (pipeline: String, at: RecordTime)?
  var now: RecordTime
  /// The time since which the history cannot be written; nil if it can.
  var unwrittenSince: RecordTime?

  var text: String {
    let counts = "\(running) running, \(queued) queued"
    if let unwrittenSince {
      return "\(counts), unable to write since \(ClockText.moment(unwrittenSince, seenFrom: now))"
    }
    guard let next, next.at > now else { return counts }
    var time = ClockText.moment(next.at, seenFrom: now)
    // Most instants are whole minutes.
    if time.hasSuffix(":00") { time.removeLast(3) }
    return "\(counts), next: \(next.pipeline) \(time)"
  }
}

/// Reports the work of a host when it has changed, at most once a second; nothing wakes it between changes.
final class StatusTeller: Sendable {
  private let host: RunHost
  private let running: @Sendable () async -> Int
  private let tell: @Sendable (String) -> Void
  private let changes: AsyncStream<Void>
  private let sink: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - host: The host to report about.
  ///   - running: Returns the number of runs that are active or about to begin.
  ///   - tell: Called with the line.
  init(of host: RunHost, running: @escaping @Sendable () async -> Int, _ tell: @escaping @Sendable (String) -> Void) {
    self.host = host
    self.running = running
    self.tell = tell
    (changes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Notes that something may have changed.
  func notice() { sink.yield() }

  /// Reports until the task is cancelled.
  func run() async {
    let following =
      try? host.history.followQueue { [sink] in sink.yield() } + host.history.followHosting { [sink] in sink.yield() }
    notice()
    var former: String?
    for await _ in changes {
      // Changes that happen together are reported together.
      guard (try? await host.delay(for: .milliseconds(100))) != nil else { break }
      guard let text = await text(), text != former else { continue }
      former = text
      tell(text)
      guard (try? await host.delay(for: .milliseconds(900))) != nil else { break }
    }
    extendLifetime(following)
  }

  private func text() async -> String? {
    // A history that cannot be read provides no status.
    guard let counts = try? host.history.queueCounts(),
      let due = try? host.history.nextDue(at: host.now()).map({ [$0] }) ?? []
    else {
      return nil
    }
    // A draining host starts nothing more.
    let isDraining = (try? host.history.currentHost()?.state) == .draining
    let next = isDraining ? nil : due.first.flatMap { pipeline in pipeline.nextAt.map { (pipeline.name, $0) } }
    return HostStatus(
      // A run that has not begun counts as queued, as in `penstock status`.
      running: max(0, await running() - counts.taken), queued: counts.queued, next: next, now: host.now(),
      unwrittenSince: host.writeFailure?.since
    ).text
  }
}
