import PipelineEngine
import RunHistory
import Workspace

/// What a host has to do at a moment, in one line: `12 running, 3 queued, next: nightly 03:00`.
struct HostStatus: Sendable {
  var running: Int
  var queued: Int
  /// The pipeline that is due next, and when, as far as known.
  var next: (pipeline: String, at: RecordTime)?
  var now: RecordTime
  /// Since when the history cannot be written; nil where it can.
  var unwrittenSince: RecordTime?

  var text: String {
    let counts = "\(running) running, \(queued) queued"
    if let unwrittenSince { return "\(counts), cannot write since \(ClockText.moment(unwrittenSince, seenFrom: now))" }
    guard let next, next.at > now else { return counts }
    var time = ClockText.moment(next.at, seenFrom: now)
    // Most instants are whole minutes.
    if time.hasSuffix(":00") { time.removeLast(3) }
    return "\(counts), next: \(next.pipeline) \(time)"
  }
}

/// Tells what a host has to do whenever that has changed, at most once a second; nothing wakes it meanwhile.
final class StatusTeller: Sendable {
  private let host: RunHost
  private let running: @Sendable () async -> Int
  private let tell: @Sendable (String) -> Void
  private let changes: AsyncStream<Void>
  private let sink: AsyncStream<Void>.Continuation

  /// - Parameters:
  ///   - host: The host that it is about.
  ///   - running: How many runs go on, or are about to begin.
  ///   - tell: Told the line.
  init(of host: RunHost, running: @escaping @Sendable () async -> Int, _ tell: @escaping @Sendable (String) -> Void) {
    self.host = host
    self.running = running
    self.tell = tell
    (changes, sink) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Something may have changed.
  func notice() { sink.yield() }

  /// Tells until the task is cancelled.
  func run() async {
    let following =
      try? host.history.followQueue { [sink] in sink.yield() } + host.history.followHosting { [sink] in sink.yield() }
    notice()
    var former: String?
    for await _ in changes {
      // What changes together is told together.
      guard (try? await host.delay(for: .milliseconds(100))) != nil else { break }
      guard let text = await text(), text != former else { continue }
      former = text
      tell(text)
      guard (try? await host.delay(for: .milliseconds(900))) != nil else { break }
    }
    extendLifetime(following)
  }

  private func text() async -> String? {
    // A history that cannot be read has nothing to tell.
    guard let counts = try? host.history.queueCounts(),
      let due = try? host.history.nextDue(at: host.now()).map({ [$0] }) ?? []
    else {
      return nil
    }
    // A host that drains begins nothing more.
    let isDraining = (try? host.history.currentHost()?.state) == .draining
    let next = isDraining ? nil : due.first.flatMap { pipeline in pipeline.nextAt.map { (pipeline.name, $0) } }
    return HostStatus(
      // What has not begun is queued, as in `penstock status`.
      running: max(0, await running() - counts.taken), queued: counts.queued, next: next, now: host.now(),
      unwrittenSince: host.writeFailure?.since
    ).text
  }
}
