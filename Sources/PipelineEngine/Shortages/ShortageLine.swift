import DequeModule
import Glibc
import Operations
import RunHistory

/// Where attempts wait for which the process has no descriptor, thread or memory: one after the other, the one that has waited longest first.
///
/// An attempt takes what it needs together or not at all, and what runs keep for later is given back before anybody waits. So whoever waits holds nothing that
/// another one waits for, and the first in line begins as soon as what it needs is free: that is tried each second, and whenever something is given back. *On
/// the loop.*
final class ShortageLine: @unchecked Sendable {
  // @unchecked: touched only on the loop.

  /// Where one attempt stands in line, if it does.
  final class Place {
    /// Since when it does.
    fileprivate var since: Duration?
    fileprivate var waiter: LoopWaiter?

    /// Whether it stands in line.
    var isInLine: Bool { since != nil }
  }

  /// How long after the first in line was tried in vain it is tried again.
  private static let pause = Duration.seconds(1)
  /// How long the first in line is passed by those that come later. Then they wait behind it, or an attempt that needs more than others would wait for ever.
  private static let patience = Duration.seconds(10)
  /// How long after somebody was told of it, a shortage is told of again.
  private static let reminder = Duration.seconds(60)

  private let loop: EventLoop
  private let delayer: any OperationDelayer
  private let time: HostClock
  private let onShortage: @Sendable (ResourceShortage) -> Void
  /// Gives back what runs keep for later attempts: log files that stayed empty, and jobs that were made ready.
  var giveBackSpares: () -> Void = {}
  private var line: Deque<Place> = []
  private var toldAt: Duration?
  /// The error of the one that joined last.
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

  /// Whether nobody waits. If not, nothing should be kept for later.
  var isEmpty: Bool { line.isEmpty }

  /// Whether what has not been tried yet has to stand in line, too.
  var isForAll: Bool { line.first?.since.map { time.monotonic() - $0 >= Self.patience } ?? false }

  /// What is said of an attempt that has to stand in line and has not been tried; `what` is what it would do: "starting 'make'".
  func error(_ what: String) -> EngineError { .systemCall(what, number) }

  /// Returns when it is time to try again what could not be begun: for the first in line a second after that, or when something was given back. Whoever is not in
  /// line yet stands at its end, until ``leave(_:)``. It must hold nothing any more.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
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

  /// Has begun, or never will: the next one is tried. Ignores one that is not in line.
  func leave(_ place: Place) {
    guard place.isInLine else { return }
    let wasFirst = line.first === place
    place.since = nil
    line.removeAll { $0 === place }
    if wasFirst { noticeGivenBack() }
  }

  /// Something was given back that the first in line may have: it is tried.
  func noticeGivenBack() {
    guard let waiter = line.first?.waiter else { return }
    giveBackSpares()
    waiter.wake()
  }

  /// Says that something waits, at most once a minute.
  func tell(of shortage: ResourceShortage) {
    let now = time.monotonic()
    if let toldAt, now - toldAt < Self.reminder { return }
    toldAt = now
    var shortage = shortage
    shortage.others = max(0, line.count - 1)
    onShortage(shortage)
  }
}
