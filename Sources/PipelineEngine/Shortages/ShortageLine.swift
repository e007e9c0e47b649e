import DequeModule
import Glibc
import Operations
import RunHistory

/// The queue of attempts for which the process lacks a descriptor, a thread or memory, ordered by waiting time, the longest first.
///
/// An attempt takes everything it needs together or nothing, and what runs keep for later is released before an attempt waits. No waiting attempt
/// therefore holds anything that another one waits for, and the first begins as soon as what it needs is free: it is retried each second, and
/// whenever something is released. *On the event loop.*
final class ShortageLine: @unchecked Sendable {
  // @unchecked: accessed only on the event loop.

  /// The place of one attempt in the queue, if it is queued.
  final class Place {
    /// When it was queued.
    fileprivate var since: Duration?
    fileprivate var waiter: LoopWaiter?

    /// Whether it is queued.
    var isInLine: Bool { since != nil }
  }

  /// How long after an unsuccessful try the first attempt in the queue is retried.
  private static let pause = Duration.seconds(1)
  /// How long later attempts may overtake the first one in the queue. After that they wait behind it; otherwise an attempt that needs more than
  /// others would wait indefinitely.
  private static let patience = Duration.seconds(10)
  /// The minimum interval between reports of a shortage.
  private static let reminder = Duration.seconds(60)

  private let loop: EventLoop
  private let delayer: any OperationDelayer
  private let time: HostClock
  private let onShortage: @Sendable (ResourceShortage) -> Void
  /// Releases what runs keep for later attempts: log files that stayed empty, and prepared jobs.
  var giveBackSpares: () -> Void = {}
  private var line: Deque<Place> = []
  private var toldAt: Duration?
  /// The error of the attempt that was queued last.
  private var number = EMFILE

  init(
    loop: EventLoop, time: HostClock, delayer: any OperationDelayer,
    onShortage: @escaping @Sendable (ResourceShortage) -> Void
  ) {
    self.loop = loop
    self.delayer = delayer
    self.time = time
    self.onShortage = onShortage
  }

  /// Whether no attempt is waiting. If some are, nothing should be kept for later.
  var isEmpty: Bool { line.isEmpty }

  /// Whether attempts that have not been tried yet have to be queued, too.
  var isForAll: Bool { line.first?.since.map { time.monotonic() - $0 >= Self.patience } ?? false }

  /// Returns the error of an attempt that is queued without having been tried; `what` names what it would do: "starting 'make'".
  func error(_ what: String) -> EngineError { .systemCall(what, number) }

  /// Waits until it is time to retry what could not be begun: for the first attempt in the queue a second later, or when something was released. An
  /// attempt that is not queued yet is appended, until ``leave(_:)``. It must no longer hold anything.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  nonisolated(nonsending) func wait(in place: Place, for error: EngineError) async throws {
    if !place.isInLine {
      place.since = time.monotonic()
      line.append(place)
      if let number = error.number { self.number = number }
    }
    giveBackSpares()
    let waiter = LoopWaiter(loop: loop)
    place.waiter = waiter
    defer { place.waiter = nil }
    var timer: Task<Void, Never>?
    if line.first === place {
      timer = Task(executorPreference: loop) { [delayer] in
        if (try? await delayer.delay(for: Self.pause)) != nil { waiter.wake() }
      }
    }
    defer { timer?.cancel() }
    guard await waiter.wait() else { throw CancellationError() }
  }

  /// Removes an attempt that has begun, or never will, and lets the next one try. Ignores one that is not queued.
  func leave(_ place: Place) {
    guard place.isInLine else { return }
    let wasFirst = line.first === place
    place.since = nil
    line.removeAll { $0 === place }
    if wasFirst { noticeGivenBack() }
  }

  /// Lets the first attempt in the queue try, because something that it may need was released.
  func noticeGivenBack() {
    guard let waiter = line.first?.waiter else { return }
    giveBackSpares()
    waiter.wake()
  }

  /// Reports that something is waiting, at most once a minute.
  func tell(of shortage: ResourceShortage) {
    let now = time.monotonic()
    if let toldAt, now - toldAt < Self.reminder { return }
    toldAt = now
    var shortage = shortage
    shortage.others = max(0, line.count - 1)
    onShortage(shortage)
  }
}
